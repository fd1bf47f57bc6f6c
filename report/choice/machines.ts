/**
 * NAT machines with their prices, from which a way out without a given size is sized. Used where an answer's data are made;
 * the page only carries sizes worth choosing.
 */
import { type Capacity, capacityOf, machineMeter, machineOf, machines } from "../../bench/machines/index.ts";
import { connectionsIn } from "../../bench/topologies/limits.ts";
import { findPrice, type PriceBook, type PricedCloud } from "../cost/prices.ts";
import { publishedNatRate } from "../published/published.ts";
import { machineCapacity, mostPeak } from "./capacity.ts";
import type { NatMachine } from "./demand.ts";

/** A size outside the table, of unknown capacity. */
const unknown: Capacity = { sustainedBitsPerSecond: null, peakBitsPerSecond: null, cpuShare: 1 };

/** Region whose prices replace missing ones. */
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
    connections: machine?.memoryGib == null ? null : connectionsIn(machine.memoryGib),
    trackedTcpSeconds: machine?.trackedTcpSeconds ?? null,
    published: publishedNatRate(size),
    prices: Object.fromEntries(
      prices.flatMap(([region, price]) => (price === null ? [] : [[region, price]])),
    ),
  };
}

/**
 * A cloud's sizes worth choosing: sizes that another one equals in everything at the same or a lower price are left out.
 *
 * @param standIn Region for missing prices if no size has any. Otherwise a size without a price is not sold there.
 */
export function natMachines(
  cloud: PricedCloud,
  regions: readonly string[],
  book: PriceBook,
  standIn?: StandIn,
): readonly NatMachine[] {
  const sold = new Set(
    book.prices.flatMap(({ meter, region }) => (meter.startsWith(machineMeter("")) ? [region] : [])),
  );
  const borrowing = standIn && { ...standIn, for: standIn.for.filter((region) => !sold.has(region)) };
  const all = machines[cloud]
    .map(({ size }) => natMachine(size, regions, book, borrowing))
    .filter(({ sustainedBitsPerSecond }) => sustainedBitsPerSecond !== null);
  const kept: NatMachine[] = [];
  // The better of two comes first, so that one of two equals stays.
  for (const one of all.toSorted(byRank(all, regions))) {
    if (!kept.some((other) => dominates(other, one, regions))) {
      kept.push(one);
    }
  }
  return kept.toSorted((a, b) => (a.sustainedBitsPerSecond ?? 0) - (b.sustainedBitsPerSecond ?? 0));
}

/** Order of sizes without a price: the smaller one counts as cheaper. */
function priceOf({ prices, vcpus }: NatMachine, region: string): number {
  return prices[region]?.anHour ?? 1e6 + vcpus;
}

function byRank(all: readonly NatMachine[], regions: readonly string[]) {
  const totalOf = (one: NatMachine) => regions.reduce((sum, region) => sum + priceOf(one, region), 0);
  const totals = new Map(all.map((one) => [one, totalOf(one)]));
  return (a: NatMachine, b: NatMachine) =>
    (totals.get(a) ?? 0) - (totals.get(b) ?? 0) ||
    (b.sustainedBitsPerSecond ?? 0) - (a.sustainedBitsPerSecond ?? 0) ||
    (b.peakBitsPerSecond ?? 0) - (a.peakBitsPerSecond ?? 0);
}

/** Another's published rate counts in full, and a bound by half: a published size may still be the lower one. */
function isEvidenceAsGood(better: NatMachine, one: NatMachine): boolean {
  const [more, less] = [machineCapacity(better), machineCapacity(one)];
  return mostPeak(more) >= mostPeak(less);
}

function dominates(better: NatMachine, one: NatMachine, regions: readonly string[]): boolean {
  return (
    (better.sustainedBitsPerSecond ?? 0) >= (one.sustainedBitsPerSecond ?? 0) &&
    (better.peakBitsPerSecond ?? 0) >= (one.peakBitsPerSecond ?? 0) &&
    (better.published?.bitsPerSecond ?? 0) >= (one.published?.bitsPerSecond ?? 0) &&
    better.vcpus >= one.vcpus &&
    (better.connections ?? Number.MAX_VALUE) >= (one.connections ?? Number.MAX_VALUE) &&
    (better.trackedTcpSeconds ?? Number.MAX_VALUE) >= (one.trackedTcpSeconds ?? Number.MAX_VALUE) &&
    regions.every((region) => priceOf(better, region) <= priceOf(one, region)) &&
    isEvidenceAsGood(better, one)
  );
}
