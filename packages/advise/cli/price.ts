/** Prices advice: by shipped, own or live prices, in the region of the option or the log. */

import { candidates } from "../../../bench/topologies/limits.ts";
import { checkCloud } from "../../../cli/known-names.ts";
import { booksOf, type GivenPrices } from "../../../cli/report/prices/file.ts";
import { loadLivePrices } from "../../../cli/report/prices/load.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { priceDefaults } from "../../../report/index.ts";
import { type Advice, advise } from "../src/advice.ts";
import { egressShares } from "../src/month.ts";
import type { Traffic } from "../src/traffic.ts";
import type { AdviceOptions } from "../src/types.ts";
import type { AdviseArguments, AdviseIo } from "./arguments.ts";

export interface Sources {
  readonly ranges: string;
  readonly prices: GivenPrices;
  readonly results: AdviceOptions["results"];
  /** By traffic. */
  readonly egressShares: ReadonlyMap<Traffic, number>;
}

/** A function from traffic to advice, used for plain and masked traffic alike. @throws {UsageError} */
export async function maker(
  args: AdviseArguments,
  io: AdviseIo,
  { ranges, prices, results, egressShares }: Sources,
  traffic: Traffic,
) {
  const { cloud } = traffic;
  if (args.cloud !== undefined && args.cloud !== cloud) {
    throw new UsageError(`--cloud: expected ${cloud}, whose the files are; got "${args.cloud}"`);
  }
  const own: readonly string[] = candidates[cloud];
  if (!own.includes(args.now)) {
    throw new UsageError(`--now: expected ${own.join(", ")} for ${cloud}; got "${args.now}"`);
  }
  if (prices.own.length > 0 && prices.own.every((book) => book.cloud !== cloud)) {
    throw new UsageError(`--prices: expected a price list of ${cloud}; got one of ${prices.own[0]?.cloud}`);
  }
  if (!prices.live) {
    checkCloud(cloud, args.region, args.natSize);
  }
  const options: AdviceOptions = {
    now: args.now,
    ...regionOf(args, traffic),
    book: booksOf(prices)[cloud],
    results,
    egressShare: egressShares.get(traffic) ?? 1,
    natSize: args.natSize,
    ranges,
    madeAt: io.now.toISOString(),
  };
  const priced = prices.live ? await withLivePrices(options, traffic, io) : options;
  return (seen: Traffic): Advice => advise(seen, priced);
}

/** The shares of all traffic of a run. */
export function sharesOf(args: AdviseArguments, traffics: readonly Traffic[]): Sources["egressShares"] {
  const shares = egressShares(
    traffics.map((traffic) => ({ traffic, region: regionOf(args, traffic).region })),
  );
  return new Map(traffics.map((traffic, at) => [traffic, shares[at] ?? 1]));
}

function regionOf(
  { region }: AdviseArguments,
  traffic: Traffic,
): Pick<AdviceOptions, "region" | "regionFrom"> {
  return region !== undefined
    ? { region, regionFrom: "option" }
    : traffic.region !== null
      ? { region: traffic.region, regionFrom: "log" }
      : { region: priceDefaults[traffic.cloud].region, regionFrom: "assumed" };
}

/** The same with live prices, for the machines in the advice at the shipped prices. */
async function withLivePrices(
  options: AdviceOptions,
  traffic: Traffic,
  io: AdviseIo,
): Promise<AdviceOptions> {
  const { region, options: ways } = advise(traffic, options);
  const natSizes = ways.flatMap(({ need }) => need.size ?? []);
  const { book, problems } = await loadLivePrices(
    { cloud: traffic.cloud, regions: [region], natSizes },
    io.live,
  );
  for (const problem of problems) {
    io.stderr.write(`egress-bench advise: ${problem}\n`);
  }
  return { ...options, book, priceProblems: problems };
}
