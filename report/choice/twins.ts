/**
 * Removes ways out that another one beats at any need: a report of many runs has the same topology many times.
 *
 * @module
 */
import { groupBy } from "../../bench/group-by.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import type { NatMachine, Sizing } from "./demand.ts";
import type { Evidence } from "./evidence.ts";
import type { Way } from "./way.ts";

/** The part of an answer's data that is examined. */
interface WaysOut {
  readonly ways: readonly Way[];
}

const found = new WeakMap<WaysOut, readonly Way[]>();
const priced = new WeakMap<Way, string>();

/** The data with only those ways out that some need picks, and their yardstick. */
export function withoutTwins<Data extends WaysOut>(data: Data): Data {
  const ways = found.get(data) ?? leadingWays(data);
  found.set(data, ways);
  return { ...data, ways };
}

/** The measurement without a NAT between client and server. */
export function yardstickOf(ways: readonly Way[]): Way | undefined {
  return ways.find(({ topology, evidence }) => evidence !== null && topologyNamed(topology)?.baseline);
}

function leadingWays({ ways }: WaysOut): readonly Way[] {
  const yardstick = yardstickOf(ways);
  const groups = groupBy(
    ways.filter(({ out, evidence }) => out !== null && (evidence?.failure ?? null) === null),
    likeness,
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
function likeness(way: Way): string {
  const { topology, out, kind, evidence } = way;
  const measured = evidence && [
    ...[evidence.idleSeconds, evidence.idleTimeoutSeconds],
    ...[evidence.bitsPerSecond, evidence.newConnectionsPerSecond, evidence.connectionBitsPerSecond].map(
      (figure) => figure === null,
    ),
  ];
  return JSON.stringify([priceKey(way), topology, out, kind, measured]);
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

/** A key for ways out with equal costs at any traffic. */
export function costKey({ way, need, region }: Priced): string {
  const addresses = Math.max(way.addresses, need?.addresses ?? 1);
  return [priceKey(way), region, need?.size ?? "", need?.gateways ?? 1, addresses].join(" ");
}

function priceKey(way: Way): string {
  const key =
    priced.get(way) ??
    numberOf(JSON.stringify([way.rules, way.region, way.machine, way.machines, way.addresses]));
  priced.set(way, key);
  return key;
}

/** Numbers for long texts, which keep keys short. */
const texts = new Map<string, string>();

function numberOf(text: string): string {
  const number = texts.get(text) ?? String(texts.size);
  texts.set(text, number);
  return number;
}

const largerKnown = new WeakMap<Way, Way>();

/** The way out with only sizes that may carry more than every measured one. */
export function larger(way: Way, ways: readonly Way[]): Way {
  const known = largerKnown.get(way) ?? { ...way, machines: way.machines.filter(isMore(way, ways)) };
  largerKnown.set(way, known);
  return known;
}

function isMore(way: Way, ways: readonly Way[]) {
  const found = ways.flatMap(({ out, machine }) => (out === way.out && machine ? [machine] : []));
  const rate = (value: number | null) => value ?? 0;
  return (one: NatMachine) =>
    found.every(
      (other) =>
        rate(one.sustainedBitsPerSecond) > rate(other.sustainedBitsPerSecond) ||
        rate(one.peakBitsPerSecond) > rate(other.peakBitsPerSecond),
    );
}
