/**
 * The answer: the pick for given needs, the runner-up, and what would change the pick. Pure and small: the page
 * computes it again at each change of an input.
 */
import type { PricedCloud } from "../../bench/topologies/clouds.ts";
import { isNatInstance } from "../../bench/topologies/limits.ts";
import type { OtherWay } from "../../bench/topologies/other-ways.ts";
import {
  boundary,
  costOf,
  HOURS_PER_MONTH,
  lastThatHolds,
  MOST_GB,
  type PricedRule,
  sameCostGb,
  type Tariff,
} from "../cost/bill.ts";
import { type Assessed, assess, CROSSING, rulesFor, shareOfOne, type Way } from "./assess.ts";
import { machineOf, mostPeak } from "./capacity.ts";
import { billedTraffic, demandOf, type Needs } from "./needs.ts";
import { mostOf } from "./sizing.ts";
import { larger, withoutTwins, yardstickOf } from "./twins.ts";

/** Data for one cloud's answer, embedded in the page. */
export interface AnswerData {
  readonly cloud: PricedCloud;
  readonly ways: readonly Way[];
  /** Regions with known prices, the measured ones first. */
  readonly regions: readonly string[];
  /** Regions whose costs are compared; empty: no comparison was requested. */
  readonly compared: readonly string[];
  /** Currency of all prices, as ISO 4217 names it. */
  readonly currency: string;
  /** What this product does not build, at the prices of the cloud's default region. @default none */
  readonly others?: readonly PricedOther[];
}

/** A way out that is shown, and never picked. */
export interface PricedOther extends Omit<OtherWay, "charges" | "source" | "read"> {
  readonly rules: readonly PricedRule[];
}

/** One NAT for all zones instead of one in each. */
interface Consolidation {
  readonly pick: Assessed;
  /** The cheapest such way without a machine of one's own, if the pick has one. */
  readonly withoutMachine: Assessed | null;
  /** Monthly cost of traffic from other zones; even traffic is assumed where no log shows it. */
  readonly crossingCost: number;
  /** The bill plus the crossing. */
  readonly totalCost: number;
}

/** Traffic at which two ways cost the same. */
export interface BreakEven {
  readonly gb: number;
  /** Id of the way that is cheaper below, and above. */
  readonly below: string;
  readonly above: string;
  /** Cost of both at that traffic. */
  readonly cost: number;
}

/** A change of a need that changes the pick. */
export interface Turn {
  readonly what: "gb-above" | "gb-below" | "peak-above" | "connections-above" | "no-single-point";
  /** GB per month, bits per second or connections; null for a yes or no. */
  readonly at: number | null;
  /** Null: nothing is then known to carry the traffic. */
  readonly pick: Assessed | null;
}

/** The pick among a cloud's ways out, and why the others were not picked. */
interface Choice {
  /** Null: no way out with a known price has enough evidence. */
  readonly pick: Assessed | null;
  /** The next best way. */
  readonly runnerUp: Assessed | null;
  /** Cheaper ways whose evidence is too weak for the need, cheapest first. */
  readonly worthMeasuring: readonly Assessed[];
}

/** The recommended way out in one cloud, as text and as data. */
export interface Answer extends Choice {
  readonly cloud: PricedCloud;
  readonly currency: string;
  readonly others: readonly PricedOther[];
  readonly needs: Needs;
  /** The present way. Null: not given. */
  readonly now: Assessed | null;
  /** The cheapest way without a machine of one's own, if the pick has one. */
  readonly withoutMachine: Assessed | null;
  /** In the order of the ways. */
  readonly assessed: readonly Assessed[];
  /** Break-evens of the pick, or of the ways worth measuring, with every other candidate. */
  readonly breakEvens: readonly BreakEven[];
  /** Changes of traffic that would change the pick. */
  readonly turns: readonly Turn[];
  /**
   * The most GB per month, in the same proportion, that the pick is known to carry with its size and number. Null: at least 1 PB,
   * or no pick.
   */
  readonly carriedGb: number | null;
  /** Null: there is only one zone, or no known price. */
  readonly consolidation: Consolidation | null;
}

/** Computes the answer. */
export function answerOf(data: AnswerData, needs: Needs): Answer {
  const assessed = assessAll(data, needs);
  const choice = chooseOf(assessed, needs);
  const first = choice.pick ?? choice.worthMeasuring[0] ?? null;
  const leading = withoutTwins(data, needs);
  const now = nowOf(assessed, needs);
  return {
    ...choice,
    ...{ cloud: data.cloud, currency: data.currency, others: data.others ?? [], needs, assessed },
    now,
    withoutMachine: withoutMachineOf(assessed, choice.pick),
    breakEvens: first === null ? [] : breakEvensOf(first, assessed, needs),
    turns: choice.pick === null ? [] : turnsOf(leading, needs, choice.pick, now?.status !== "fits"),
    carriedGb: choice.pick === null ? null : carriedGb(choice.pick, data, needs),
    consolidation: consolidationOf(leading, needs, choice.pick),
  };
}

function nowOf(assessed: readonly Assessed[], { now }: Needs): Assessed | null {
  return assessed.find(({ way }) => now !== null && way.out === now) ?? null;
}

/** Smallest monthly saving that justifies a change, in the price list's currency. */
const LEAST_SAVING = 1;

/**
 * The choice between ways out, by the rules of docs/choosing.md: the cheapest that fits. At equal price: one that is not a single machine, then the faster, then the one with the lower latency,
 * then the first. So the pick is Pareto-optimal.
 *
 * @param keep Id of the present way. It stays unless another one saves at least 1
 * @param carries Whether that carries the traffic, known well enough or not, as it is the traffic of now
 */
export function choose(ways: readonly Assessed[], keep?: string, carries = true): Choice {
  const price = ({ id, totalCost }: Assessed) => (totalCost ?? 0) - (id === keep ? LEAST_SAVING : 0);
  const priced = ways
    .filter(({ totalCost }) => totalCost !== null)
    .toSorted((a, b) => price(a) - price(b) || better(a, b));
  const [pick = null, runnerUp = null] = priced.filter(
    ({ id, status }) => status === "fits" || (status === "test" && id === keep && carries),
  );
  const worthMeasuring = priced
    .filter(({ id, status }) => status === "test" && id !== keep)
    .filter((way) => pick === null || price(way) + LEAST_SAVING < (pick.totalCost ?? 0));
  return { pick, runnerUp, worthMeasuring };
}

function better(a: Assessed, b: Assessed): number {
  return (
    Number(a.singlePoint) - Number(b.singlePoint) ||
    (b.bitsPerSecond ?? 0) - (a.bitsPerSecond ?? 0) ||
    (a.latencyUs ?? Number.MAX_VALUE) - (b.latencyUs ?? Number.MAX_VALUE)
  );
}

function chooseOf(assessed: readonly Assessed[], needs: Needs, carries?: boolean): Choice {
  return choose(assessed, nowOf(assessed, needs)?.id, carries);
}

/** The alternative of one NAT for all zones. An outage of its zone would stop all of them. */
function consolidationOf(data: AnswerData, needs: Needs, now: Assessed | null): Consolidation | null {
  const { zones, seen } = needs;
  // One that serves all zones already is no alternative to itself.
  if (zones === 1 || now?.need?.gateways === 1) {
    return null;
  }
  const crossingShare = seen?.crossingShareOfOne ?? (zones - 1) / zones;
  // Each of now's carries its own zone's traffic.
  const { assessed, pick } = pricedIn(data, { ...needs, zones: 1, seen: { ...seen, crossingShare } }, false);
  if (pick === null || pick.totalCost === null) {
    return null;
  }
  const crossingCost = pick.bill.charges.find(({ meter }) => meter === CROSSING)?.cost ?? 0;
  return { pick, withoutMachine: withoutMachineOf(assessed, pick), crossingCost, totalCost: pick.totalCost };
}

/**
 * All ways out. A NAT instance that was only sized competes with one of a known size if it is cheaper, or if that one does not
 * carry the traffic; beside a measured one it must then be larger.
 */
function assessAll(data: AnswerData, needs: Needs): Assessed[] {
  const yardstick = yardstickOf(data.ways)?.evidence ?? null;
  const found = new Map(
    data.ways
      .filter((way) => !(way.machine === null && way.machines.length > 0))
      .map((way) => [way, assess(way, needs, yardstick)]),
  );
  const measured = [...found.values()];
  return data.ways.flatMap((way) => {
    const own = found.get(way);
    if (own !== undefined) {
      return [own];
    }
    const fitting = measured.filter((other) => other.way.out === way.out && other.status === "fits");
    const least = Math.min(...fitting.map(({ totalCost }) => totalCost ?? Number.POSITIVE_INFINITY));
    const one = assess(fitting.length > 0 ? way : larger(way, data.ways), needs, yardstick);
    const isCheaper = one.status !== "excluded" && (one.totalCost ?? least) + LEAST_SAVING < least;
    return fitting.length === 0 || isCheaper ? [one] : [];
  });
}

/** The ways out at one region's prices. @param carries Whether the present way carries these needs now */
export function pricedIn(
  data: AnswerData,
  needs: Needs,
  carries = true,
): { assessed: Assessed[]; pick: Assessed | null } {
  const assessed = assessAll(data, needs);
  return { assessed, pick: chooseOf(assessed, needs, carries).pick };
}

/** Needs with this much traffic in the same proportion of directions; rates that a log has seen grow and shrink with it. */
function atTraffic(needs: Needs, gb: number): Partial<Needs> {
  const { gbIn, gbOut, peakBitsPerSecond: peak, newConnectionsPerSecond: opened, seen } = needs;
  const total = gbIn + gbOut;
  const out = total === 0 ? 0 : gbOut / total;
  const traffic = { gbIn: gb * (1 - out), gbOut: gb * out };
  if (seen === undefined || total === 0) {
    return traffic;
  }
  const { busyBitsPerSecond: busy, peakOneWayBitsPerSecond: oneWay, ...rest } = seen;
  const then = (rate: number) => (rate * gb) / total;
  return {
    ...traffic,
    peakBitsPerSecond: peak === null ? null : then(peak),
    newConnectionsPerSecond: opened === null ? null : then(opened),
    seen: {
      ...rest,
      ...(busy === undefined ? {} : { busyBitsPerSecond: then(busy) }),
      ...(oneWay == null ? {} : { peakOneWayBitsPerSecond: then(oneWay) }),
    },
  };
}

/** Monthly cost for this many GB, with all else as assessed. Null: a price is not known. */
export function costAt(one: Assessed, needs: Needs, gb: number): number | null {
  return costOf(tariffOf(one, needs), gb);
}

function tariffOf({ way, need, region }: Assessed, needs: Needs): Tariff {
  return {
    rules: rulesFor(way, region, need?.size ?? null, needs),
    usageAt: (gb) => ({
      hours: HOURS_PER_MONTH,
      ...billedTraffic({ ...needs, ...atTraffic(needs, gb) }),
      gateways: need?.gateways ?? 1,
      addresses: Math.max(way.addresses, need?.addresses ?? 1),
    }),
  };
}

function breakEvensOf(first: Assessed, assessed: readonly Assessed[], needs: Needs): BreakEven[] {
  const others = assessed.filter(
    ({ id, status }) => id !== first.id && (status === "fits" || status === "test"),
  );
  const tariff = tariffOf(first, needs);
  return others.flatMap((other) => {
    const gb = sameCostGb(tariff, tariffOf(other, needs));
    if (gb === null) {
      return [];
    }
    const firstBelow = (costAt(first, needs, gb / 2) ?? 0) < (costAt(other, needs, gb / 2) ?? 0);
    const [below, above] = firstBelow ? [first.id, other.id] : [other.id, first.id];
    return [{ gb, below, above, cost: costAt(first, needs, gb) ?? 0 }];
  });
}

/** The same way out, of the same size and number. */
export function isSame(a: Assessed | null, b: Assessed | null): boolean {
  return a?.id === b?.id && a?.need?.size === b?.need?.size && a?.need?.gateways === b?.need?.gateways;
}

/** The highest peak that the pick's evidence is enough for, with its size and number. */
function samePeakOf({ capacity, need, way }: Assessed): number {
  const machine = need === null ? null : machineOf(way, need);
  const most = capacity === null ? 0 : mostPeak(capacity);
  return machine === null ? most : Math.min(most, mostOf(way.cloud, machine, most));
}

/** The cheapest that fits and has no machine of one's own to run. Null: the pick itself has none, or there is none. */
function withoutMachineOf(assessed: readonly Assessed[], pick: Assessed | null): Assessed | null {
  return isNatInstance(pick?.way.out ?? null)
    ? choose(assessed.filter(({ way }) => !isNatInstance(way.out))).pick
    : null;
}

/** @param carries Whether what now's way carries is beyond its evidence, so that more may be too */
function turnsOf(data: AnswerData, needs: Needs, pick: Assessed, carries: boolean): Turn[] {
  const peak = samePeakOf(pick) / shareOfOne(pick.way, needs);
  const { peakBitsPerSecond } = demandOf(needs);
  const pickAt = (changed: Partial<Needs>) => pricedIn(data, { ...needs, ...changed }, carries).pick;
  const turned = (what: Turn["what"], at: number | null, changed: Partial<Needs>): Turn[] => {
    const other = pickAt(changed);
    return isSame(other, pick) ? [] : [{ what, at, pick: other }];
  };
  const stays = (changed: Partial<Needs>) => pickAt(changed)?.id === pick.id;
  const ports = isNatInstance(pick.way.out) ? portsOf(needs, pick) : null;
  return [
    ...trafficTurns(needs, pick, pickAt),
    ...(peak < peakBitsPerSecond ? [] : turned("peak-above", peak, { peakBitsPerSecond: peak * 1.001 })),
    ...(ports === null || !stays({ connections: ports })
      ? []
      : turned("connections-above", ports, { connections: ports + 1 })),
    ...(pick.singlePoint ? turned("no-single-point", null, { noSinglePoint: true }) : []),
  ];
}

function carriedGb({ way, need }: Assessed, data: AnswerData, needs: Needs): number | null {
  const yardstick = yardstickOf(data.ways)?.evidence ?? null;
  const carries = (gb: number) => {
    const then = assess(way, { ...needs, ...atTraffic(needs, gb) }, yardstick);
    return then.status === "fits" && then.need?.size === need?.size && then.need?.gateways === need?.gateways;
  };
  const total = Math.floor(needs.gbIn + needs.gbOut);
  return total >= MOST_GB || carries(MOST_GB) ? null : lastThatHolds(carries, total, MOST_GB);
}

/** The most connections to one destination that the pick has ports for. Null: practically unlimited. */
function portsOf(needs: Needs, pick: Assessed): number | null {
  const most = 1e7;
  const fits = (connections: number) =>
    assess(pick.way, { ...needs, connections }, null).need?.tooSmall === null;
  return fits(most) ? null : lastThatHolds(fits, needs.connections ?? 0, most);
}

/** Search steps per decade of traffic: fewer could miss two close break-evens. */
const STEPS_A_DECADE = 8;

/** The nearest traffic above and below that changes the pick. */
function trafficTurns(
  needs: Needs,
  pick: Assessed,
  pickAt: (changed: Partial<Needs>) => Assessed | null,
): Turn[] {
  const total = needs.gbIn + needs.gbOut;
  const at = (gb: number) => pickAt(atTraffic(needs, gb));
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
  for (let gb = total; gb > 1 && Number.isFinite(gb); gb /= step) {
    const next = gb / step;
    if (!same(next)) {
      const turn = gb - boundary((less) => same(gb - less), gb - next);
      turns.push({ what: "gb-below", at: turn, pick: at(turn) });
      break;
    }
  }
  return turns;
}
