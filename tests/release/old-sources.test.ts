/** Facts that others publish grow old: names each source that was read too long ago, to be read again before a release. */
import { expect, it } from "vitest";
import { machinesFrom } from "../../bench/machines/index.ts";
import { limits } from "../../bench/topologies/limits.ts";
import { datedTerms, otherWays } from "../../bench/topologies/other-ways.ts";
import { priceSnapshots } from "../../report/index.ts";

const MOST_DAYS = 180;

const sources: readonly { readonly source: string; readonly read: string }[] = [
  ...Object.values(limits).flatMap((ways) => Object.values(ways)),
  ...Object.values(otherWays).flat(),
  ...datedTerms,
  ...Object.values(machinesFrom).map(({ asOf, source }) => ({ source, read: asOf })),
  ...Object.values(priceSnapshots).map(({ cloud, asOf }) => ({ source: `prices of ${cloud}`, read: asOf })),
];

const oldAt = (now: number) =>
  sources.filter(({ read }) => now - Date.parse(read) > MOST_DAYS * 86_400_000).map(({ source }) => source);

it("names no source that was read more than 180 days ago, and no term that has ended", () => {
  expect(oldAt(Date.now())).toEqual([]);
  expect(datedTerms.filter(({ until }) => Date.parse(until) < Date.now())).toEqual([]);
});

it("names each in its time", () => {
  expect(oldAt(Date.parse("2027-04-26"))).toEqual([machinesFrom.aws.source]);
  expect(oldAt(Date.parse("2028-01-01"))).toHaveLength(sources.length);
});
