/** The advice on several places, an account and region each: their own prices and picks, and the totals last. */
import { groupBy } from "../../../bench/group-by.ts";
import { said } from "../../../bench/said.ts";
import { cloudRecords } from "../../../bench/topologies/clouds.ts";
import type { Advice } from "./advice.ts";
import { count, money } from "./words.ts";

export interface AllAdvice {
  readonly schemaVersion: Advice["schemaVersion"];
  readonly madeAt: string;
  readonly currency: string;
  readonly sentence: string;
  /** Monthly cost now, and with each place's pick. Null: a price is not known. */
  readonly nowCost: number | null;
  readonly thenCost: number | null;
  /** Every place's warnings, each once, with the names of its places unless it is of all. */
  readonly warnings: readonly string[];
  /** The place with the highest cost first. */
  readonly places: readonly Advice[];
}

/** `AWS us-east-1, account 111111111111, vpc-1`: what tells a place from the others. */
export function placeName({ cloud, region, traffic: { account, network } }: Advice): string {
  return said(
    `${cloudRecords[cloud].title} ${region}`,
    account !== null && `account ${account}`,
    network,
  ).join(", ");
}

/** What it costs with the pick; without one, what it costs now. */
export function thenCostOf({ recommendation, now }: Advice): number | null {
  return recommendation.thenCost ?? now.bill.totalCost;
}

export function allOf(advices: readonly Advice[]): AllAdvice {
  const nowOf = ({ recommendation }: Advice) => recommendation.nowCost;
  const places = advices.toSorted((a, b) => (nowOf(b) ?? 0) - (nowOf(a) ?? 0));
  const sum = (of: (one: Advice) => number | null) =>
    places.reduce<number | null>((all, one) => {
      const cost = of(one);
      return all === null || cost === null ? null : all + cost;
    }, 0);
  const [nowCost, thenCost] = [sum(nowOf), sum(thenCostOf)];
  const [{ schemaVersion, madeAt, currency }] = places as [Advice, ...Advice[]];
  const saved = nowCost === null || thenCost === null ? null : nowCost - thenCost;
  const placesByWarning = groupBy(
    places.flatMap((one) => one.warnings.map((warning) => ({ warning, place: placeName(one) }))),
    ({ warning }) => warning,
  );
  return {
    ...{ schemaVersion, madeAt, currency, nowCost, thenCost, places },
    sentence: `${count(places.length)} places: ${nowCost === null ? "a price is not known" : `${money(nowCost, currency)} a month now`}${thenCost === null || saved === null || saved < 0.005 ? "" : `, ${money(thenCost, currency)} with this advice; saves ${money(saved, currency)}`}.`,
    warnings: [...placesByWarning].map(([warning, named]) =>
      named.length === places.length ? warning : `${named.map(({ place }) => place).join("; ")}: ${warning}`,
    ),
  };
}
