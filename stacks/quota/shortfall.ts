import type { QuotaDemand } from "./quota-demand.ts";

/** An account's limit and use of one quota. */
export interface Quota {
  /** Quota, named as in {@link QuotaDemand}; Azure writes the same name in different cases. */
  readonly quota: string;
  readonly region: string | null;
  readonly limit: number;
  /** Use of the quota; null if the cloud does not tell. */
  readonly used: number | null;
}

/** A sentence for each quota that the stack exceeds; none where nothing is known. */
export function shortfalls(demands: readonly QuotaDemand[], quotas: readonly Quota[]): string[] {
  return demands.flatMap((demand) => {
    const quota = quotas.find((one) => isSame(one, demand));
    return quota === undefined ? [] : sentence(demand, quota);
  });
}

function isSame(quota: Quota, demand: QuotaDemand): boolean {
  return quota.region === demand.region && quota.quota.toLowerCase() === demand.quota.toLowerCase();
}

function sentence({ title, region, amount, quota: name }: QuotaDemand, { limit, used }: Quota): string[] {
  const what = `${amount} of ${title} (${name})${region === null ? "" : ` in ${region}`}`;
  if (amount > limit) {
    return [`needs ${what}; the limit is ${limit}.`];
  }
  return used !== null && amount + used > limit
    ? [
        `needs ${what}; the limit is ${limit}, and ${used} are in use, this stack's own included where it is up.`,
      ]
    : [];
}
