/**
 * `privateRouteTableIds` in another order, or without a table that is not the last: each table's route stays, so that no
 * client loses its way out. Earlier, routes were named by their tables' places, and EC2 refused the second route of a
 * table.
 */
import { afterEach, expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { natProgram } from "../../helpers/aws-standin/nat-program.ts";
import { activeMachines } from "../../helpers/aws-standin/take-over.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());
afterEach(async () => (await engine.programStack("export {};")).destroy());

/** The effect of an update on routes. */
async function routeChanges(options: string, tables: readonly string[]): Promise<string[]> {
  const stack = await engine.programStack(natProgram({ options, tables }));
  const before = engine.cloud().requests.length;
  await stack.up();
  await stack.preview({ expectNoChanges: true });
  const made = engine.cloud().requests.slice(before);
  return made.filter(({ kind }) => kind === "Route").map(({ action, name }) => `${action} ${name}`);
}

it.each([
  ["one machine", ""],
  ["a pair", "highAvailability: {},"],
])("%s keeps the routes of the tables that stay", { timeout: 300_000 }, async (_, options) => {
  await (await engine.programStack(natProgram({ options }))).up();
  expect(await routeChanges(options, ["more", "apps"])).toEqual([]);
  expect(await routeChanges(options, ["more"])).toEqual(["delete nat-default-net-apps"]);
  expect(await routeChanges(options, ["apps", "more"])).toEqual(["create nat-default-net-apps"]);
  if (options !== "") {
    expect(activeMachines(engine.cloud(), "nat").routes).toEqual([1]);
  }
});
