/** Tests each two options of a topology together: the number of resources, or the refusal. */
import { expect } from "vitest";
import { parsePlan } from "../../bench/index.ts";
import { stackCost } from "../../cli/run/cost.ts";
import type { Deployment, EgressPath } from "../../components/shared/egress.ts";
import { priceSnapshots } from "../../report/cost/prices.ts";
import { awsInventory } from "../../stacks/aws/inventory.ts";
import { settingsSchema as awsSettings } from "../../stacks/aws/settings.ts";
import { azureInventory } from "../../stacks/azure/inventory.ts";
import { settingsSchema as azureSettings } from "../../stacks/azure/settings.ts";
import { casesOf, type Inventory, type InventoryCase } from "../../stacks/inventory.ts";
import {
  awsDemand,
  azureDemand,
  type CountedResource,
  quotaDemandOf,
} from "../../stacks/quota/quota-demand.ts";
import { type Parameters, pairwise } from "./pairwise.ts";

type Parts = ReturnType<typeof partsOf>;

export interface PairwiseArgs {
  readonly cloud: "aws" | "azure";
  readonly topology: string;
  readonly parameters: Parameters;
  /** Deploys with mocks; rejects if an option is refused. */
  readonly deploy: (
    topologies: Record<string, unknown>[],
    options: Pick<Parts, "settings" | "pairs">,
  ) => Promise<{
    readonly count: number;
    readonly priced: readonly string[];
    readonly counted: readonly CountedResource[];
    readonly deployment: Deployment;
  }>;
}

const plan = parsePlan("quick");

function inventoryOf({ cloud, topology }: PairwiseArgs, { pairs, settings, options }: Parts): Inventory {
  const request = { topologies: [{ name: topology, topology, options }], pairs, plan };
  return cloud === "aws"
    ? awsInventory({ ...request, settings: awsSettings.parse(settings) })
    : azureInventory({ ...request, settings: azureSettings.parse(settings) });
}

/** The first pair's hosts of a planned case and of a deployed path. */
function namesOf({ pairs: [first] }: InventoryCase): string {
  return `${first?.client} ${first?.server}`;
}
function endsOf(deployment: Deployment) {
  return ({ client, server = deployment.server }: EgressPath) => `${client.name} ${server.name}`;
}

/** The hourly cost in a preview. */
function costOf({ cloud, topology }: PairwiseArgs, { pairs, settings, options }: Parts): string {
  const topologies = [{ name: topology, topology, options }];
  const file = { name: "s", cloud, plan: {}, topologies, settings, pairs };
  const { hourlyUsd, missing } = stackCost(file as never, plan, priceSnapshots[cloud]);
  return JSON.stringify({ hourlyUsd: hourlyUsd.toFixed(6), missing });
}

/** @returns a text for a snapshot @throws {AssertionError} if different resources have the same price */
export async function pairwiseOutcomes(args: PairwiseArgs): Promise<string> {
  const outcomes: string[] = [];
  const prices = new Map<string, string>();
  for (const combination of pairwise(args.parameters)) {
    const parts = partsOf(combination);
    const said = await args.deploy([{ topology: args.topology, ...parts.options }], parts).then(
      ({ count, priced, counted, deployment }) => {
        const made = JSON.stringify(priced);
        const inventory = inventoryOf(args, parts);
        const machines = inventory.hosts.map(({ size }) => `machine ${size}`).sort();
        expect(priced.filter((one) => one.startsWith("machine "))).toEqual(machines);
        const demand = args.cloud === "aws" ? awsDemand : azureDemand;
        expect(quotaDemandOf[args.cloud](inventory), JSON.stringify(combination)).toEqual(demand(counted));
        expect(
          new Set(casesOf(plan, [{ name: args.topology, topology: args.topology }]).map(namesOf)),
        ).toEqual(new Set(deployment.paths.map(endsOf(deployment))));
        const cost = costOf(args, parts);
        // Different resources cost differently; equal resources in one place cost the same.
        expect([...prices].find(([other, price]) => other !== made && price === cost)).toBeUndefined();
        prices.set(made, cost);
        return `${count} resources`;
      },
      (error: Error) => `refused: ${error.message.split("\n").slice(0, 3).join(" ")}`,
    );
    outcomes.push(`${JSON.stringify(combination)}\n  ${said}`);
  }
  return `${outcomes.join("\n")}\n`;
}

/** Splits a combination: settings of the stack, which begin with a dot, its pairs, and options of the topology. */
function partsOf(combination: Readonly<Record<string, unknown>>) {
  const { ".pairs": pairs = 1, ...rest } = combination;
  const entries = Object.entries(rest);
  return {
    pairs: pairs as number,
    settings: Object.fromEntries(
      entries.flatMap(([name, value]) => (name.startsWith(".") ? [[name.slice(1), value]] : [])),
    ),
    options: Object.fromEntries(entries.filter(([name]) => !name.startsWith("."))),
  };
}
