/**
 * Ways out that no need tells apart: a report of many runs has the same topology many times.
 *
 * @module
 */
import type { Assessed } from "./assess.ts";
import type { Way } from "./way.ts";

/** The part of an answer's data that is looked at. */
interface WaysOut {
  readonly ways: readonly Way[];
  readonly now?: string;
}

const found = new WeakMap<WaysOut, readonly Way[]>();
const priced = new WeakMap<Way, string>();

/** The same data with one of each set of twins: the one that would be picked, which is there already or first by name. */
export function withoutTwins<Data extends WaysOut>(data: Data): Data {
  const ways = found.get(data) ?? singleWays(data);
  found.set(data, ways);
  return { ...data, ways };
}

function singleWays({ ways, now }: WaysOut): readonly Way[] {
  const here = ways.find(({ out }) => out !== null && out === now);
  const chosen = new Map<string, Way>();
  for (const way of ways) {
    const key = JSON.stringify([priceKey(way), way.topology, way.out, way.kind, way.evidence, way.lab]);
    const other = chosen.get(key);
    if (other === undefined || way === here || (other !== here && way.id < other.id)) {
      chosen.set(key, way);
    }
  }
  return [...chosen.values()];
}

/** The same text for ways out that cost the same at any traffic. */
export function costKey({ way, need, region }: Assessed): string {
  const sized = [need?.size ?? null, need?.gateways ?? 1, Math.max(way.addresses, need?.addresses ?? 1)];
  return JSON.stringify([priceKey(way), region, ...sized]);
}

function priceKey(way: Way): string {
  const key =
    priced.get(way) ??
    numberOf(JSON.stringify([way.rules, way.region, way.machine, way.machines, way.addresses]));
  priced.set(way, key);
  return key;
}

/** Long texts by their number, so that no key holds one. */
const texts = new Map<string, string>();

function numberOf(text: string): string {
  const number = texts.get(text) ?? String(texts.size);
  texts.set(text, number);
  return number;
}
