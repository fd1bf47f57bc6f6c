/**
 * Each option and setting that makes other resources, or others of their kind, changes the price that a preview tells: found
 * by what is made, so that a new option cannot be forgotten.
 */
import { expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { stackCost } from "../../../cli/compare/cost.ts";
import { priceSnapshots } from "../../../report/cost/prices.ts";
import { oneAtATime, partsOf } from "../../helpers/option-tables.ts";
import { circuitId, deployMocked } from "./deploy.ts";
import { parameters } from "./options.ts";

/** What costs by the hour. */
// biome-ignore lint/suspicious/noExplicitAny: inputs of any resource type
function priced(resources: readonly { type: string; inputs: any }[]): string[] {
  return resources
    .flatMap(({ type, inputs }) => {
      const kind = type.split(":").at(-1) as string;
      switch (kind) {
        case "VirtualMachine":
          return [`machine ${String(inputs.hardwareProfile.vmSize)}`];
        case "PublicIPPrefix":
          return Array.from({ length: 2 ** (32 - inputs.prefixLength) }, () => "PublicIPAddress");
        case "AzureFirewall":
        case "VirtualNetworkGateway":
          return [`${kind} ${String(inputs.sku.name)} ${String(inputs.sku.tier)}`];
        case "PublicIPAddress":
        case "NatGateway":
        case "LoadBalancer":
          return [kind];
        default:
          return [];
      }
    })
    .sort();
}

const plan = parsePlan("quick");
const needed = (topology: string) => (topology === "expressroute" ? { circuitId } : {});

async function madeAndCost(topology: string, combination: Record<string, unknown>) {
  const { pairs, settings, options: own } = partsOf(combination);
  const options = { ...needed(topology), ...own };
  const { resources } = await deployMocked([{ topology, ...options }], { settings, pairs });
  const file = {
    name: "s",
    cloud: "azure",
    plan: {},
    topologies: [{ name: topology, topology, options }],
    settings,
    pairs,
  };
  const { hourlyUsd, missing } = stackCost(file as never, plan, priceSnapshots.azure);
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
