/**
 * The answer: what to take for a reader's needs, what comes next, and what would change it. Pure and small: the page
 * works it out anew at each change of an input.
 *
 * @module
 */
import type { PricedCloud } from "../../bench/topologies/clouds.ts";
import { billOf, boundary, HOURS_PER_MONTH, MOST_GB, sameCostGb } from "../cost/bill.ts";
import { type Assessed, assess, type Way } from "./assess.ts";
import { type Choice, choose } from "./choose.ts";
import { isNatInstance } from "./limits.ts";
import { demandOf, type Needs } from "./needs.ts";

/** What an answer is made of, for one cloud: all that the page carries along. */
export interface AnswerData {
  readonly cloud: PricedCloud;
  readonly ways: readonly Way[];
  /** Whose prices are known, the measured ones first. */
  readonly regions: readonly string[];
  /** Regions whose costs stand side by side; empty: that was not asked for. */
  readonly compared: readonly string[];
}

/** Where two ways cost the same. */
export interface BreakEven {
  readonly gb: number;
  /** Id of the way that is cheaper below, and above. */
  readonly below: string;
  readonly above: string;
  /** What both cost there. */
  readonly usd: number;
}

/** A need that, changed, changes the pick. */
export interface Turn {
  readonly what: "gb-above" | "gb-below" | "peak-above" | "connections-above" | "no-single-point";
  /** GB a month, bits per second or connections; null of a yes or no. */
  readonly at: number | null;
  /** Null: then nothing is known to carry it. */
  readonly pick: Assessed | null;
}

/** Which way out to take in one cloud, in words and as data. */
export interface Answer extends Choice<Assessed> {
  readonly cloud: PricedCloud;
  readonly needs: Needs;
  /** In the order of the ways. */
  readonly assessed: readonly Assessed[];
  /** Between the pick, or what is worth measuring, and every other candidate. */
  readonly breakEvens: readonly BreakEven[];
  /** What would change the pick. */
  readonly turns: readonly Turn[];
}

/** Works the answer out. */
export function answerOf(data: AnswerData, needs: Needs): Answer {
  const assessed = assessAll(data, needs);
  const choice = choose(assessed);
  const first = choice.pick ?? choice.worthMeasuring[0] ?? null;
  return {
    ...choice,
    ...{ cloud: data.cloud, needs, assessed },
    breakEvens: first === null ? [] : breakEvensOf(first, assessed, needs),
    turns: choice.pick === null ? [] : turnsOf(data, needs, choice.pick),
  };
}

function assessAll({ ways }: AnswerData, needs: Needs): Assessed[] {
  const yardstick = ways.find(
    ({ topology, evidence }) => topology === "direct" && evidence !== null,
  )?.evidence;
  return ways.map((way) => assess(way, needs, yardstick ?? null));
}

function pickOf(data: AnswerData, needs: Needs): Assessed | null {
  return choose(assessAll(data, needs)).pick;
}

/** The ways out at one region's prices. */
export function pricedIn(data: AnswerData, needs: Needs): { assessed: Assessed[]; pick: Assessed | null } {
  const assessed = assessAll(data, needs);
  return { assessed, pick: choose(assessed).pick };
}

/** A month with so much traffic in the reader's proportion of directions. */
function atTraffic({ gbIn, gbOut }: Pick<Needs, "gbIn" | "gbOut">, gb: number) {
  const total = gbIn + gbOut;
  const out = total === 0 ? 0 : gbOut / total;
  return { gbIn: gb * (1 - out), gbOut: gb * out };
}

/** USD a month with so many GB, all else as it was assessed. Null: a price is not known. */
export function costAt({ way, need, region }: Assessed, needs: Needs, gb: number): number | null {
  const rules = way.rules[region];
  const usage = {
    hours: HOURS_PER_MONTH,
    ...atTraffic(needs, gb),
    gateways: need?.gateways ?? 1,
    addresses: Math.max(way.addresses, need?.addresses ?? 1),
  };
  return rules === undefined ? null : billOf(rules, usage).totalUsd;
}

function breakEvensOf(first: Assessed, assessed: readonly Assessed[], needs: Needs): BreakEven[] {
  const others = assessed.filter(
    ({ id, status }) => id !== first.id && (status === "fits" || status === "unproved"),
  );
  return others.flatMap((other) => {
    const of = (one: Assessed) => (gb: number) => costAt(one, needs, gb);
    const gb = sameCostGb(of(first), of(other));
    if (gb === null) {
      return [];
    }
    const firstBelow = (costAt(first, needs, 0) ?? 0) < (costAt(other, needs, 0) ?? 0);
    const [below, above] = firstBelow ? [first.id, other.id] : [other.id, first.id];
    return [{ gb, below, above, usd: costAt(first, needs, gb) ?? 0 }];
  });
}

function turnsOf(data: AnswerData, needs: Needs, pick: Assessed): Turn[] {
  const peak = pick.bitsPerSecond;
  const { peakBitsPerSecond } = demandOf(needs);
  const turned = (what: Turn["what"], at: number | null, changed: Partial<Needs>): Turn[] => {
    const other = pickOf(data, { ...needs, ...changed });
    return other?.id === pick.id ? [] : [{ what, at, pick: other }];
  };
  const ports = isNatInstance(pick.way.out) ? portsOf(needs, pick) : null;
  return [
    ...trafficTurns(data, needs, pick),
    ...(peak === null || peak < peakBitsPerSecond
      ? []
      : turned("peak-above", peak, { peakBitsPerSecond: peak * 1.001 })),
    ...(ports === null ? [] : turned("connections-above", ports, { connections: ports + 1 })),
    ...(pick.singlePoint ? turned("no-single-point", null, { noSinglePoint: true }) : []),
  ];
}

/** How many connections to one destination the pick has ports for. Null: more than anybody has. */
function portsOf(needs: Needs, pick: Assessed): number | null {
  const most = 1e7;
  const fits = (connections: number) =>
    assess(pick.way, { ...needs, connections: Math.floor(connections) }, null).need?.tooSmall === null;
  return fits(most) ? null : Math.ceil(boundary(fits, most)) - 1;
}

/** Tenfold steps are too coarse to see a break-even and its return; eighths of one are not. */
const STEPS_A_DECADE = 8;

/** The nearest traffic above and below at which another one is picked. */
function trafficTurns(data: AnswerData, needs: Needs, pick: Assessed): Turn[] {
  const total = needs.gbIn + needs.gbOut;
  const at = (gb: number) => pickOf(data, { ...needs, ...atTraffic(needs, gb) });
  const same = (gb: number) => at(gb)?.id === pick.id;
  const step = 10 ** (1 / STEPS_A_DECADE);
  const turns: Turn[] = [];
  for (let gb = Math.max(total, 1); gb < MOST_GB; gb *= step) {
    const next = Math.min(gb * step, MOST_GB);
    if (!same(next)) {
      const turn = gb + boundary((more) => same(gb + more), next - gb);
      turns.push({ what: "gb-above", at: turn, pick: at(turn) });
      break;
    }
  }
  for (let gb = total; gb > 1; gb /= step) {
    const next = gb / step;
    if (!same(next)) {
      const turn = gb - boundary((less) => same(gb - less), gb - next);
      turns.push({ what: "gb-below", at: turn, pick: at(turn) });
      break;
    }
  }
  return turns;
}
