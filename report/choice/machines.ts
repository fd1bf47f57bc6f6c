/**
 * NAT machines with their prices: what a way out without a size of its own is sized from. Read where an answer's data are made;
 * the page carries only the sizes that are worth choosing.
 */
import { type Capacity, capacityOf, machineMeter, machineOf, machines } from "../../bench/machines/index.ts";
import { findPrice, type PriceBook, type PricedCloud } from "../cost/prices.ts";
import { publishedNatRate } from "../published/nat-rate.ts";
import type { NatMachine } from "./sizing.ts";

/** A size outside the table: nothing is known of what it carries. */
const unknown: Capacity = { sustainedBitsPerSecond: null, peakBitsPerSecond: null, cpuShare: 1 };

/** Region whose prices stand in for those that others lack. */
interface StandIn {
  readonly region: string;
  readonly for: readonly string[];
}

/** One size's facts, with its prices in some regions. */
export function natMachine(
  size: string,
  regions: readonly string[],
  book: PriceBook,
  standIn?: StandIn,
): NatMachine {
  const machine = machineOf(size);
  const priceIn = (region: string) => findPrice(book, machineMeter(size), region)?.tiers[0]?.price ?? null;
  const prices = regions.map((region): [string, NatMachine["prices"][string] | null] => {
    const own = priceIn(region);
    const other = own === null && standIn?.for.includes(region) === true ? priceIn(standIn.region) : null;
    const anHour = own ?? other;
    return [
      region,
      anHour === null ? null : { anHour, pricedIn: other === null ? null : (standIn?.region ?? null) },
    ];
  });
  const known = machine === null ? unknown : capacityOf(machine);
  return {
    ...{ size, vcpus: machine?.vcpus ?? 0, ...known },
    trackedTcpSeconds: machine?.trackedTcpSeconds ?? null,
    published: publishedNatRate(size),
    prices: Object.fromEntries(
      prices.flatMap(([region, price]) => (price === null ? [] : [[region, price]])),
    ),
  };
}

/**
 * The sizes of a cloud that somebody might choose: none that another one of at most its price equals in everything.
 *
 * @param standIn Whose prices stand in where no size has one. Among sizes with prices one without is not sold there.
 */
export function natMachines(
  cloud: PricedCloud,
  regions: readonly string[],
  book: PriceBook,
  standIn?: StandIn,
): NatMachine[] {
  const sold = new Set(
    book.prices.flatMap(({ meter, region }) => (meter.startsWith(machineMeter("")) ? [region] : [])),
  );
  const borrowing = standIn && { ...standIn, for: standIn.for.filter((region) => !sold.has(region)) };
  const all = machines[cloud]
    .map(({ size }) => natMachine(size, regions, book, borrowing))
    .filter(({ sustainedBitsPerSecond }) => sustainedBitsPerSecond !== null);
  const kept: NatMachine[] = [];
  // The better one of two comes first, so that of equals one stays.
  for (const one of all.toSorted(byRank(regions))) {
    if (!kept.some((other) => dominates(other, one, regions))) {
      kept.push(one);
    }
  }
  return kept.toSorted((a, b) => (a.sustainedBitsPerSecond ?? 0) - (b.sustainedBitsPerSecond ?? 0));
}

/** Order of sizes without a price: the smaller one is the cheaper. */
function priceOf({ prices, vcpus }: NatMachine, region: string): number {
  return prices[region]?.anHour ?? 1e6 + vcpus;
}

function byRank(regions: readonly string[]) {
  const total = (one: NatMachine) => regions.reduce((sum, region) => sum + priceOf(one, region), 0);
  return (a: NatMachine, b: NatMachine) =>
    total(a) - total(b) ||
    (b.sustainedBitsPerSecond ?? 0) - (a.sustainedBitsPerSecond ?? 0) ||
    (b.peakBitsPerSecond ?? 0) - (a.peakBitsPerSecond ?? 0);
}

function dominates(better: NatMachine, one: NatMachine, regions: readonly string[]): boolean {
  return (
    (better.sustainedBitsPerSecond ?? 0) >= (one.sustainedBitsPerSecond ?? 0) &&
    (better.peakBitsPerSecond ?? 0) >= (one.peakBitsPerSecond ?? 0) &&
    (better.published?.bitsPerSecond ?? 0) >= (one.published?.bitsPerSecond ?? 0) &&
    (better.trackedTcpSeconds ?? Number.MAX_VALUE) >= (one.trackedTcpSeconds ?? Number.MAX_VALUE) &&
    regions.every((region) => priceOf(better, region) <= priceOf(one, region))
  );
}
