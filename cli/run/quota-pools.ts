/** Computes a cell's use of quotas while its stack is deployed, before anything is created. */
import type { Plan } from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { isPriced } from "../../bench/topologies/index.ts";
import { type QuotaDemand, quotaDemandOf } from "../../stacks/quota/quota-demand.ts";
import type { StackFile } from "../pulumi/stack-file.ts";
import { inventories } from "./cost.ts";
import type { Bounds, Token } from "./schedule.ts";

/** The machine that runs all labs: one at a time, since they would share its CPUs. */
const LAB_POOL = "this machine";

/** The quotas that a stack uses; none for a cloud without quotas. */
export function quotaDemandOfStack(file: StackFile, plan: Plan): QuotaDemand[] {
  const { cloud } = file;
  if (!isPriced(cloud)) {
    return [];
  }
  const inventory = inventories[cloud](file, plan);
  // AWS's quotas belong to the provider's region.
  return quotaDemandOf[cloud](inventory).map((demand) => ({
    ...demand,
    region: demand.region ?? inventory.region ?? null,
  }));
}

/** The name of a quota's pool, in lower case, since Azure varies the case. */
export function poolOf(cloud: string, region: string | null, quota: string): string {
  return `${cloud} ${region ?? "(the login's region)"} ${quota.toLowerCase()}`;
}

/** Tokens of a cell. */
export function tokensOf(file: StackFile, plan: Plan): Token[] {
  return cloudRecords[file.cloud].isLab
    ? [{ pool: LAB_POOL, amount: 1 }]
    : quotaDemandOfStack(file, plan).map(({ quota, region, amount }) => ({
        pool: poolOf(file.cloud, region, quota),
        amount,
      }));
}

/** Bounds of concurrent cells. @param limits Tokens by pool; the machine's one lab is added. */
export function boundsOf(
  maxParallel: number,
  budgetUsd: number | null = null,
  limits: readonly (readonly [pool: string, amount: number])[] = [],
): Bounds {
  return { maxParallel, budgetUsd, limits: new Map([[LAB_POOL, 1], ...limits]) };
}
