/**
 * A preview's check of the account's quotas, so that shortages show before anything is made. It blocks nothing; unreadable
 * quotas are one warning.
 */
import * as pulumi from "@pulumi/pulumi";
import type { PricedCloud } from "../../bench/index.ts";
import type { Inventory } from "../inventory.ts";
import { azureProviders, type QuotaDemand, quotaDemandOf } from "./quota-demand.ts";
import { shortfalls } from "./shortfall.ts";

export function checkQuotas(cloud: PricedCloud, inventory: Inventory): void {
  pulumi.output(quotaDemandOf[cloud](inventory)).apply(async (demands) => {
    for (const line of await quotaLines(cloud, demands)) {
      await pulumi.log.warn(line);
    }
  });
}

/** Notes on the account's quotas; a single line where they are unreadable. */
export async function quotaLines(cloud: PricedCloud, demands: readonly QuotaDemand[]): Promise<string[]> {
  try {
    const lacking = await linesOf[cloud](demands);
    return lacking.length === 0
      ? []
      : [[...lacking.map((line) => `This stack ${line}`), advice(cloud)].join("\n")];
  } catch (error) {
    const reason = (error as Error).message.split(/\s+/).join(" ").trim();
    return [`Whether the account's quotas are enough is not known: they cannot be read (${reason}).`];
  }
}

function advice(cloud: PricedCloud): string {
  return `Ask for more, take away topologies, or take small machines: pulumi config set --path 'egress-bench:${cloud}.size' small (docs/quotas/${cloud}.md)`;
}

async function azureLines(demands: readonly QuotaDemand[]): Promise<string[]> {
  const { azureLogin, azureQuotas, unregistered } = await import("./azure.ts");
  const regions = [...new Set(demands.flatMap(({ region }) => region ?? []))];
  const login = await azureLogin();
  const [quotas, missing] = await Promise.all([
    azureQuotas(login, regions),
    unregistered(login, azureProviders),
  ]);
  return [
    ...shortfalls(demands, quotas),
    ...missing.map(
      (name) => `needs ${name}, which the subscription has not registered: az provider register -n ${name}`,
    ),
  ];
}

async function awsLines(demands: readonly QuotaDemand[]): Promise<string[]> {
  const { awsQuotas } = await import("./aws.ts");
  return shortfalls(demands, await awsQuotas([...new Set(demands.map(({ quota }) => quota))]));
}

const linesOf = { azure: azureLines, aws: awsLines } as const satisfies Record<PricedCloud, unknown>;
