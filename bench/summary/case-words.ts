/** Describes a case: its figures in a few words, or why there are none. */
import { contrast, type Estimate, estimate, measuredOf, type Planned } from "../figures/estimate.ts";
import { besideOf, type FigureId, figures, leadingFigure } from "../figures/index.ts";
import { formatCount, formatPercent } from "../plan/quantities.ts";
import {
  type CaseResult,
  limitedBy,
  type Measurement,
  type NatLimits,
  type Outage,
  type Results,
  whyUnmeasured,
} from "../results/index.ts";
import { describeFailover } from "./failover-summary.ts";
import type { SaidFigure, Say } from "./said-figure.ts";
import { describeSearch } from "./search-summary.ts";

/** A case's figures in a few words, or why there are none. */
export function describeCase(result: CaseResult): string {
  return caseWords(result, undefined, undefined);
}

/** {@link describeCase} next to a base topology's result, for a run with this plan. */
export function caseWords(
  result: CaseResult | undefined,
  base: CaseResult | undefined,
  plan: Planned | undefined,
): string {
  if (result === undefined) {
    return "not run";
  }
  const unmeasured = whyUnmeasured(result.failure);
  if (unmeasured !== null) {
    return unmeasured;
  }
  const lost =
    result.repetitions === null || result.repetitions.failed === 0
      ? ""
      : `, ${result.repetitions.failed} of ${result.repetitions.failed + measuredOf(result.repetitions)} repetitions failed`;
  if (result.measurement === null) {
    return `failed: ${result.failure?.class ?? "no measurement"}${lost}`;
  }
  const place = limitedBy(result.limits);
  const limit = place === null ? "" : `, limited by ${place}`;
  const leading = leadingFigure(result.measurement);
  const say: Say = (id) => sayFigure(id, result, id === leading ? base : undefined, plan, id === leading);
  return `${measurementWords(result.measurement, leading, say)}${lost}${limit}${outageWords(result)}`;
}

/** How a run's leading figures are compared with the base topology's. Null: no ratio has an interval. */
export function comparedBy({ cases, plan }: Results, base: string): "rounds" | "means" | null {
  const shown = cases.flatMap((one) => {
    const other = cases.find(({ id, topology }) => id === one.id && topology === base);
    const leading = one.measurement === null ? null : leadingFigure(one.measurement);
    if (other === undefined || one.topology === base || leading === null) {
      return [];
    }
    const [a, b] = [estimate(leading, [one], plan), estimate(leading, [other], plan)];
    const found = a === null || b === null ? null : contrast(a, b);
    return found?.ratio?.interval ? [found.byRound] : [];
  });
  return shown.length === 0 ? null : shown.includes(true) ? "rounds" : "means";
}

function sayFigure(
  id: FigureId,
  result: CaseResult,
  base: CaseResult | undefined,
  plan: Planned | undefined,
  leads: boolean,
): SaidFigure {
  const own = estimate(id, [result], plan);
  const other = base === undefined || base.measurement === null ? null : estimate(id, [base], plan);
  const behind = leads && own !== null ? `${ratioWords(own, other)}${spreadWords(id, own)}` : "";
  return { value: own?.value ?? null, estimate: own, behind };
}

/** ` (0.60x)`; with repetitions also its 95 % interval: ` (0.60x; 0.52 to 0.69)`. */
function ratioWords(own: Estimate, base: Estimate | null): string {
  const ratio = base === null || base.value === 0 ? null : contrast(own, base).ratio;
  if (ratio === null) {
    return "";
  }
  const { value, interval } = ratio;
  const ends = interval === null ? "" : `; ${times(interval.low)} to ${times(interval.high)}`;
  return ` (${times(value)}x${ends})`;
}

function times(ratio: number): string {
  return ratio >= 9999.5 ? ">9999" : ratio.toFixed(ratio >= 99.995 ? 0 : 2);
}

/**
 * Half of the mean's 95 % interval in percent of the mean; the interval's ends if it reaches 0; the range of all values for
 * a median.
 */
function spreadWords(id: FigureId, { interval, mean, min, max, n }: Estimate): string {
  const { format } = figures[id];
  if (n < 2 || mean === 0) {
    return "";
  }
  if (interval === null) {
    return ` (${format(min)} to ${format(max)})`;
  }
  const [below, above] = [mean - interval.low, interval.high - mean];
  return Math.abs(above - below) > 1e-9 * mean
    ? ` (95 %: ${format(interval.low)} to ${format(interval.high)})`
    : ` \u00b1${formatPercent((100 * above) / mean)}`;
}

function measurementWords(measurement: Measurement, leading: FigureId | null, say: Say): string {
  const { natLimits, search, failover } = measurement;
  if (failover !== null) {
    return describeFailover(failover, say);
  }
  if (natLimits !== null) {
    return describeNat(natLimits, say);
  }
  if (search !== null) {
    return describeSearch(search, say);
  }
  if (leading === null) {
    return "?";
  }
  // A load's loss next to a probe's latency would read as the probe's.
  const isLoads = (id: FigureId) =>
    figures[id].isOfLoad && measurement.latencyUs !== null && measurement.bitsPerSecond !== null;
  const shown = [leading, ...besideOf(leading)].filter(
    (id) => figures[id].applies(measurement) && !isLoads(id),
  );
  return shown.flatMap((id) => figureWords(id, say(id))).join(", ");
}

function figureWords(id: FigureId, { value, behind }: SaidFigure): string[] {
  const { format, inSummary } = figures[id];
  const text = value === null ? "?" : format(value);
  const words = inSummary === null ? text : inSummary(text, value);
  return words === "" ? [] : [`${words}${behind}`];
}

/** Most outages that are listed one by one. */
const LISTED_OUTAGES = 2;

type Found = Outage & { readonly round?: number; readonly pair?: number };

/** Outages of single pairs that continued for a second or more while another pair had traffic. */
function ownOutages(pairs: CaseResult["pairs"], common: readonly Outage[]): Found[] {
  const shared = ({ startSeconds, seconds }: Outage) =>
    common.reduce((sum, one) => {
      const end = Math.min(one.startSeconds + one.seconds, startSeconds + seconds);
      return sum + Math.max(0, end - Math.max(one.startSeconds, startSeconds));
    }, 0);
  return (pairs ?? []).flatMap(({ outages }, index) =>
    (outages ?? [])
      .filter((one) => one.seconds - shared(one) >= 1)
      .map((one) => ({ ...one, pair: index + 1 })),
  );
}

/** `, outage of 5 s at 3 s in round 2`: outages of all repetitions, even if the median one had none. */
export function outageWords({ measurement, repetitions, pairs }: CaseResult): string {
  const common: readonly Found[] = repetitions?.outages ?? measurement?.outages ?? [];
  const found = [...common, ...ownOutages(pairs, measurement?.outages ?? [])];
  const place = ({ startSeconds, round, pair }: Found) =>
    `at ${startSeconds} s${round === undefined ? "" : ` in round ${round}`}${pair === undefined ? "" : ` of pair ${pair}`}`;
  if (found.length <= LISTED_OUTAGES) {
    return found
      .map(
        (one) =>
          `, ${one.direction === undefined ? "" : `${one.direction} `}outage of ${one.seconds} s ${place(one)}`,
      )
      .join("");
  }
  const longest = found.reduce((worst, one) => (one.seconds > worst.seconds ? one : worst));
  return `, ${found.length} outages, the longest of ${longest.seconds} s ${place(longest)}`;
}

/** Parts are separated by commas, at which a table may break. */
function describeNat(limits: NatLimits, say: Say): string {
  const { connectionRate, concurrentFlows, idleTimeout, behaviour } = limits;
  return [
    ...(connectionRate === null ? [] : rate(connectionRate, say("newConnections"))),
    ...(concurrentFlows === null ? [] : flows(concurrentFlows, say("concurrentFlows"))),
    ...(idleTimeout === null ? [] : [`idle time-out ${silence(idleTimeout, say("idleTimeout"))}`]),
    ...(behaviour === null ? [] : words(behaviour)),
  ].join(", ");
}

function rate({ failed }: NonNullable<NatLimits["connectionRate"]>, { value, behind }: SaidFigure): string[] {
  const figure = `${value === null ? "?" : formatCount(value)} connections/s${behind}`;
  return [figure, ...(failed > 0 ? [`${failed} failed`] : [])];
}

function flows(
  { opened, limitReached, error }: NonNullable<NatLimits["concurrentFlows"]>,
  { value, behind }: SaidFigure,
): string[] {
  const figure = `${figures.concurrentFlows.format(value ?? opened)} flows${behind}`;
  if (limitReached) {
    return [figure, `then ${error ?? "no more"}`];
  }
  return [`at least ${figure}`, ...(error === null ? [] : [`limited by the hosts (${error})`])];
}

function silence(found: NonNullable<NatLimits["idleTimeout"]>, { estimate, behind }: SaidFigure): string {
  return estimate === null || estimate.min === estimate.max
    ? `${silenceOfOne(found)}${behind}`
    : `${figures.idleTimeout.format(estimate.value)}${behind}`;
}

function silenceOfOne({
  survivedSeconds,
  diedSeconds,
  boundSeconds,
}: NonNullable<NatLimits["idleTimeout"]>): string {
  if (diedSeconds === null) {
    return `over ${survivedSeconds ?? boundSeconds} s`;
  }
  if (survivedSeconds === null) {
    return `under ${diedSeconds} s`;
  }
  return diedSeconds - survivedSeconds <= 1
    ? `${survivedSeconds} s`
    : `${survivedSeconds} to ${diedSeconds} s`;
}

function words({ mapping, filtering, portPreserved }: NonNullable<NatLimits["behaviour"]>): string[] {
  const port = portPreserved === null ? "?" : portPreserved ? "kept" : "changed";
  return [`mapping ${dependence(mapping)}`, `filtering ${dependence(filtering)}`, `port ${port}`];
}

function dependence(found: NonNullable<NatLimits["behaviour"]>["mapping"]): string {
  return found === null ? "?" : found === "address-and-port-dependent" ? "by port" : "not by port";
}
