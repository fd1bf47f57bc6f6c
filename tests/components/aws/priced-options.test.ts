/**
 * Each option and setting that makes other resources, or others of their kind, changes the price that a preview tells: found
 * by what is made, so that a new option cannot be forgotten.
 */
import { expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { stackCost } from "../../../cli/compare/cost.ts";
import { priceSnapshots } from "../../../report/cost/prices.ts";
import { oneAtATime, partsOf } from "../../helpers/option-tables.ts";
import { deployMocked } from "./deploy.ts";
import { parameters } from "./options.ts";

/** What costs by the hour. */
function priced(resources: readonly { type: string; inputs: Record<string, unknown> }[]): string[] {
  return resources
    .flatMap(({ type, inputs }) => {
      const kind = type.split(":").at(-1);
      switch (kind) {
        case "Instance":
        case "LaunchTemplate":
          return [`machine ${String(inputs.instanceType)}`];
        case "Eip":
        case "NatGateway":
          return [kind];
        default:
          return [];
      }
    })
    .sort();
}

const plan = parsePlan("quick");

async function madeAndCost(topology: string, combination: Record<string, unknown>) {
  const { pairs, settings, options: own } = partsOf(combination);
  const options = { ...own };
  const { resources } = await deployMocked([{ topology, ...options }], { settings, pairs });
  const file = {
    name: "s",
    cloud: "aws",
    plan: {},
    topologies: [{ name: topology, topology, options }],
    settings,
    pairs,
  };
  const { hourlyUsd, missing } = stackCost(file as never, plan, priceSnapshots.aws);
  return { made: priced(resources), cost: JSON.stringify({ hourlyUsd: hourlyUsd.toFixed(6), missing }) };
}

it.each(Object.keys(parameters))(
  "%s",
  async (topology) => {
    const usual = await madeAndCost(topology, {});
    const table = parameters[topology] ?? {};
    for (const combination of oneAtATime(table)) {
      const changed = await madeAndCost(topology, combination).catch(() => null);
      // Null: refused by itself.
      if (changed !== null && JSON.stringify(changed.made) !== JSON.stringify(usual.made)) {
        expect(changed.cost, `${topology} ${JSON.stringify(combination)}`).not.toBe(usual.cost);
      }
    }
  },
  300_000,
);
