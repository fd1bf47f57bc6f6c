/** A cell's use of quotas while its stack is deployed, computed before anything is made. */
import type { Plan } from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { isPriced } from "../../bench/topologies/index.ts";
import { demandOf as demandOfInventory, type QuotaDemand } from "../../stacks/quota/demand.ts";
import { inventories } from "../compare/cost.ts";
import type { StackFile } from "../run/stack-file.ts";
import type { Token } from "./schedule.ts";

/** The machine that all labs are on: one at a time, since they would share its CPUs. */
export const LAB_POOL = "this machine";

/** The quotas that a stack takes; none for a cloud without. */
export function demandOf(file: StackFile, plan: Plan): QuotaDemand[] {
  const { cloud } = file;
  if (!isPriced(cloud)) {
    return [];
  }
  const inventory = inventories[cloud](file, plan);
  // A quota of AWS is of the provider's region.
  return demandOfInventory[cloud](inventory).map((demand) => ({
    ...demand,
    region: demand.region ?? inventory.region ?? null,
  }));
}

/** The name of a quota's pool. Azure writes the same name in different cases, so all are in lower case. */
export function poolOf(cloud: string, region: string | null, quota: string): string {
  return `${cloud} ${region ?? "(the login's region)"} ${quota.toLowerCase()}`;
}

/** Tokens of a cell. */
export function tokensOf(file: StackFile, plan: Plan): Token[] {
  return cloudRecords[file.cloud].isLab
    ? [{ pool: LAB_POOL, amount: 1 }]
    : demandOf(file, plan).map(({ quota, region, amount }) => ({
        pool: poolOf(file.cloud, region, quota),
        amount,
      }));
}
