/**
 * Removes ways out that another one beats at any need: a report of many runs has the same topology many times.
 *
 * @module
 */
import { groupBy } from "../../bench/group-by.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import type { NatMachine, Sizing } from "./demand.ts";
import type { Evidence } from "./evidence.ts";
import type { Needs } from "./needs.ts";
import type { Way } from "./way.ts";

/** The part of an answer's data that is examined. */
interface WaysOut {
  readonly ways: readonly Way[];
}

/** The data with only those ways out that some need in these regions picks, and their yardstick. */
export function withoutTwins<Data extends WaysOut>(data: Data, needs: Pick<Needs, "region">): Data {
  return { ...data, ways: leadingWays(data, needs) };
}

/** The measurement without a NAT between client and server. */
export function yardstickOf(ways: readonly Way[]): Way | undefined {
  return ways.find(({ topology, evidence }) => evidence !== null && topologyNamed(topology)?.baseline);
}

function leadingWays({ ways }: WaysOut, needs: Pick<Needs, "region">): readonly Way[] {
  const yardstick = yardstickOf(ways);
  const groups = groupBy(
    ways.filter(({ out, evidence }) => out !== null && (evidence?.failure ?? null) === null),
    (way) => likeness(way, regionFor(way, needs)),
  );
  const leading = [...groups.values()].flatMap((alike) => {
    const kept: Way[] = [];
    for (const way of alike.toSorted(better)) {
      if (!kept.some((other) => outdoes(other, way))) {
        kept.push(way);
      }
    }
    return kept;
  });
  return yardstick === undefined || leading.includes(yardstick) ? leading : [yardstick, ...leading];
}

/** A key for ways out of equal kind, price and idle time-out. */
function likeness(way: Way, region: string): string {
  const { topology, out, kind, evidence, machine, machines, addresses } = way;
  const measured = evidence && [
    ...[evidence.idleSeconds, evidence.idleTimeoutSeconds],
    ...[evidence.bitsPerSecond, evidence.newConnectionsPerSecond, evidence.connectionBitsPerSecond].map(
      (figure) => figure === null,
    ),
  ];
  const prices = [way.rules[region], region, machine, machines, addresses];
  return JSON.stringify([prices, topology, out, kind, measured]);
}

/** Order in which ways out of equal price are picked. */
function better(a: Way, b: Way): number {
  return (
    (b.evidence?.bitsPerSecond ?? 0) - (a.evidence?.bitsPerSecond ?? 0) ||
    (a.evidence?.latencyUs ?? Number.MAX_VALUE) - (b.evidence?.latencyUs ?? Number.MAX_VALUE) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Whether one of two alike carries everything that the other does, at no higher price. */
function outdoes({ evidence: a }: Way, { evidence: b }: Way): boolean {
  const atLeast = (figure: (of: Evidence | null) => number | null | undefined) =>
    (figure(a) ?? Number.MAX_VALUE) >= (figure(b) ?? Number.MAX_VALUE);
  return (
    atLeast((of) => of?.bitsPerSecond) &&
    atLeast((of) => of?.newConnectionsPerSecond) &&
    atLeast((of) => of?.connectionBitsPerSecond) &&
    // More flows per address need fewer addresses and gateways.
    atLeast((of) => of?.flowsToOneDestination)
  );
}

/** A way out with everything that decides its bill. */
export interface Priced {
  readonly way: Way;
  readonly need: Sizing | null;
  /** Region of the bill's prices. */
  readonly region: string;
}

/** The region whose prices apply: the wanted one, where the way has prices in it. */
export function regionFor({ rules, region }: Way, needs: Pick<Needs, "region">): string {
  return needs.region !== null && rules[needs.region] !== undefined ? needs.region : region;
}

/** A key for ways out with equal costs at any traffic. */
export function costKey({ way, need, region }: Priced): string {
  const machine = way.machines.find(({ size }) => size === need?.size);
  const addresses = Math.max(way.addresses, need?.addresses ?? 1);
  const prices = [way.rules[region], machine?.prices[region], machine?.size];
  return JSON.stringify([prices, region, need?.gateways ?? 1, addresses]);
}

/** The way out with only sizes that may carry more than every measured one. */
export function larger(way: Way, ways: readonly Way[]): Way {
  return { ...way, machines: way.machines.filter(isMore(way, ways)) };
}

function isMore(way: Way, ways: readonly Way[]) {
  const found = ways.flatMap(({ out, machine, column }) =>
    out === way.out && machine && column !== null ? [machine] : [],
  );
  const rate = (value: number | null) => value ?? 0;
  return (one: NatMachine) =>
    found.every(
      (other) =>
        rate(one.sustainedBitsPerSecond) > rate(other.sustainedBitsPerSecond) ||
        rate(one.peakBitsPerSecond) > rate(other.peakBitsPerSecond),
    );
}
