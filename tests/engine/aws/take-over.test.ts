/**
 * Routes of a NAT instance, and of a pair whose machines move them: `privateRouteTableIds` in another order, or without a table
 * that is not the last, leaves each other table's route, so that no client loses its way out. And the engine never moves a pair's addresses and routes back: after each form of take-over a refresh, an update with
 * `--refresh` and a plain update replace no machine and keep address and routes in place.
 *
 * Not proved: which association id EC2 gives an Elastic IP whose private address moved; both answers are tried.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { natProgram } from "../../helpers/aws-standin/nat-program.ts";
import { activeMachines, takeOver } from "../../helpers/aws-standin/take-over.ts";
import { changedBy, type Step } from "../../helpers/engine-events.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());
let stack: Stack | undefined;
afterEach(() => stack?.destroy());

async function pairStack(standby: string): Promise<Stack> {
  stack = await engine.programStack(natProgram({ options: `highAvailability: { ${standby} },` }));
  return stack;
}

/** Steps that change the cloud; a refresh only reads. */
const acts = (steps: readonly Step[]) =>
  steps.filter(({ step }) => step !== "refresh").map(({ step, type, name }) => `${step} ${type} ${name}`);

it.each([
  ["in one subnet stays after a take-over, with its Elastic IP's association made anew", "", false, false],
  [
    "in two zones stays after one, with the association's id kept",
    "standbySubnetId: other.subnetId",
    true,
    true,
  ],
])(
  "a pair %s, and can be destroyed after another",
  { timeout: 300_000 },
  async (_, standby, apart, keepsAssociation) => {
    const stack = await pairStack(standby);
    await stack.up();
    const machines = () =>
      Object.values(engine.cloud().resources)
        .filter(({ kind }) => kind === "Instance")
        .map(({ id }) => id);
    const before = machines();
    expect(activeMachines(engine.cloud(), "nat")).toEqual({ address: [1], routes: [1] });

    const moved = { pair: "nat", apart, keepsAssociation } as const;
    for (const to of [2, 1] as const) {
      engine.changeCloud((state) => takeOver(state, { ...moved, to }));
      const operations = [
        // The state does not know the take-over yet.
        (onEvent: never) => stack.up({ onEvent }),
        (onEvent: never) => stack.up({ onEvent, refresh: true }),
        (onEvent: never) => stack.refresh({ onEvent }),
        (onEvent: never) => stack.up({ onEvent }),
      ];
      for (const operate of operations) {
        const steps = acts(await changedBy(operate as never));
        // An association that the engine lost is made again at its present place.
        expect(steps.filter((step) => step !== "create EipAssociation nat-nat-1-eni-2")).toEqual([]);
        expect(activeMachines(engine.cloud(), "nat")).toMatchObject({ address: [to], routes: [to] });
      }
      expect(machines()).toEqual(before);
    }

    // It can be destroyed after a take-over without a refresh.
    engine.changeCloud((state) => takeOver(state, { ...moved, to: 2 }));
    await stack.destroy();
    const { resources, requests } = engine.cloud();
    expect(resources).toEqual({});
    // EC2 releases no address that an interface still has, and detaches no gateway with mapped addresses.
    const gone = requests.filter(({ action }) => action === "delete").map(({ name }) => name);
    for (const after of ["nat-eip-1", "net-igw"]) {
      expect(gone.lastIndexOf(after)).toBeGreaterThan(gone.lastIndexOf("nat-nat-2-eni"));
    }
  },
);

/** The effect of an update on routes. */
async function routeChanges(options: string, tables?: readonly string[]): Promise<string[]> {
  stack = await engine.programStack(natProgram({ options, ...(tables && { tables }) }));
  const before = tables === undefined ? 0 : engine.cloud().requests.length;
  await stack.up();
  await stack.preview({ expectNoChanges: true });
  const made = engine.cloud().requests.slice(before);
  return made.filter(({ kind }) => kind === "Route").map(({ action, name }) => `${action} ${name}`);
}

it.each([
  ["one machine", ""],
  ["a pair", "highAvailability: {},"],
])("%s keeps the routes of the tables that stay", { timeout: 300_000 }, async (_, options) => {
  await routeChanges(options);
  expect(await routeChanges(options, ["more", "apps"])).toEqual([]);
  expect(await routeChanges(options, ["more"])).toEqual(["delete nat-default-net-apps"]);
  expect(await routeChanges(options, ["apps", "more"])).toEqual(["create nat-default-net-apps"]);
  if (options !== "") {
    expect(activeMachines(engine.cloud(), "nat").routes).toEqual([1]);
  }
});
