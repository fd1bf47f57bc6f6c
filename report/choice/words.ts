/**
 * The answer in words: one sentence first, then what would change it and what to measure.
 *
 * @module
 */
import { formatBitRate, formatPercent } from "../../bench/plan/quantities.ts";
import { limitsOf } from "../../bench/topologies/limits.ts";
import { count, usd } from "../text/format.ts";
import type { Answer, BreakEven, Turn } from "./answer.ts";
import { type Assessed, unmeasured } from "./assess.ts";
import { demandOf, type Needs } from "./needs.ts";

/** Loss below which a rate counts as carried whole, in percent: the published comparison's bound of a good path. */
const WHOLE_BELOW_PERCENT = 0.01;

/** `nat-instance (t4g.small)`, `3 × nat-gateway`. */
export function nameOf({ way, need }: Pick<Assessed, "way" | "need">): string {
  const number = need !== null && need.gateways > 1 ? `${count(need.gateways)} × ` : "";
  const size = way.machine?.size ?? need?.size ?? null;
  return `${number}${way.id}${size === null ? "" : ` (${size})`}`;
}

/** GB as people write them: whole. */
function gigabytes(gb: number): string {
  return `${count(Math.round(gb))} GB`;
}

/** What to take, in one sentence; or what is missing to say it. */
export function sentenceOf(answer: Answer): string {
  const { pick, needs, worthMeasuring, assessed } = answer;
  if (pick !== null) {
    const good = joined([carries(pick, needs), ...saves(answer, pick)]);
    const but = shortcomings(pick, needs);
    return `Pick ${nameOf(pick)}: it ${good}${but.length === 0 ? "" : `; but ${joined(but)}`}.`;
  }
  const [first] = worthMeasuring;
  if (first !== undefined) {
    return `There is not enough evidence to pick: ${nameOf(first)} might carry this traffic for ${usd(first.totalUsd ?? 0)} a month, but ${joined(first.why)}. ${measureOf(first)}`;
  }
  const why = assessed
    .filter(({ status }) => status === "excluded" || status === "unproved")
    .map((one) => `${one.id}: ${one.totalUsd === null ? "a price is not known" : joined(one.why)}`);
  return `No way out here is known to carry this traffic${why.length === 0 ? "" : ` (${why.join("; ")})`}.`;
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function load(needs: Needs): string {
  const { peakBitsPerSecond } = demandOf(needs);
  const rate = formatBitRate(peakBitsPerSecond);
  return needs.peakBitsPerSecond === null
    ? `your month's mean of ${rate} (no peak is given)`
    : `your peak of ${rate}`;
}

function carries({ way, need, bitsPerSecond }: Assessed, needs: Needs): string {
  if (bitsPerSecond === null) {
    const published = way.out === null ? 0 : (limitsOf(way.cloud, way.out, way.kind)?.bitsPerSecond ?? 0);
    const all = formatBitRate(published * (need?.gateways ?? 1));
    return `carries ${all} as published (${unmeasured(way.evidence)}), more than ${load(needs)}`;
  }
  const loss = nearestLoss(way.evidence?.udp ?? [], demandOf(needs).peakBitsPerSecond);
  const whole = loss !== null && loss.lostPercent < WHOLE_BELOW_PERCENT;
  const lossless = whole ? `, with no loss of UDP at ${formatBitRate(loss.bitsPerSecond)}` : "";
  return `carried ${formatBitRate(bitsPerSecond)} of TCP, more than ${load(needs)}${lossless}`;
}

/** The slowest rate that was tried from the wanted one on, else the fastest below it. Null: none was tried. */
function nearestLoss(points: NonNullable<Assessed["way"]["evidence"]>["udp"], wanted: number) {
  const ascending = points.toSorted((a, b) => a.bitsPerSecond - b.bitsPerSecond);
  return ascending.find(({ bitsPerSecond }) => bitsPerSecond >= wanted) ?? ascending.at(-1) ?? null;
}

function saves({ runnerUp, needs, breakEvens }: Answer, pick: Assessed): string[] {
  const own = pick.totalUsd ?? 0;
  const traffic = `${count(needs.gbIn)} GB in and ${count(needs.gbOut)} GB out`;
  if (runnerUp === null) {
    return [`costs ${usd(own)} a month at ${traffic}`];
  }
  const less = (runnerUp.totalUsd ?? 0) - own;
  const turn = breakEvens.find(({ below, above }) => [below, above].includes(runnerUp.id));
  const range =
    turn === undefined
      ? "is the cheaper at any traffic that it carries"
      : turn.above === pick.id
        ? `is cheaper from ${gigabytes(turn.gb)} a month on`
        : `is cheaper up to ${gigabytes(turn.gb)} a month`;
  return less < 0.005
    ? [`costs as much as ${nameOf(runnerUp)} (${usd(own)} a month) at ${traffic}`, range]
    : [`saves ${usd(less)} a month against ${nameOf(runnerUp)} at ${traffic}`, range];
}

function shortcomings({ way, singlePoint }: Assessed, needs: Needs): string[] {
  const loss = nearestLoss(way.evidence?.udp ?? [], demandOf(needs).peakBitsPerSecond);
  const outage = way.evidence?.outageSeconds ?? null;
  return [
    ...(loss !== null && loss.lostPercent >= WHOLE_BELOW_PERCENT
      ? [`it lost ${formatPercent(loss.lostPercent)} of UDP at ${formatBitRate(loss.bitsPerSecond)}`]
      : []),
    ...(singlePoint
      ? [
          outage === null
            ? "it is one machine: nothing gets out while it is down, for how long was not measured"
            : `it is one machine: ${count(Math.ceil(outage))} s outage when it dies`,
        ]
      : []),
    ...(way.out === "default-snat" ? ["its address is not yours and may change"] : []),
  ];
}

/** What would change the choice, one sentence each; first the runner-up. */
export function turnSentences({ turns, runnerUp }: Answer): string[] {
  const second =
    runnerUp === null ? [] : [`Runner-up: ${nameOf(runnerUp)}, ${usd(runnerUp.totalUsd ?? 0)} a month.`];
  return [...second, ...turns.map(turnSentence)];
}

function turnSentence({ what, at, pick }: Turn): string {
  const then = pick === null ? "nothing here is known to carry it" : `pick ${nameOf(pick)}`;
  const when = {
    "gb-above": `From ${gigabytes(at ?? 0)} a month on, in the same proportion`,
    "gb-below": `Up to ${gigabytes(at ?? 0)} a month, in the same proportion`,
    "peak-above": `With a peak above ${formatBitRate(at ?? 0)}`,
    "connections-above": `With more than ${count(at ?? 0)} connections at once to one destination`,
    "no-single-point": "Where no single machine may stop all traffic",
  }[what];
  return `${when}: ${then}.`;
}

/** What to measure, one sentence each: what is cheaper than the pick, and not known to carry the traffic. */
export function measureSentences({ worthMeasuring, pick }: Answer): string[] {
  return worthMeasuring.map((one) => {
    const less =
      pick === null ? "" : ` would save ${usd((pick.totalUsd ?? 0) - (one.totalUsd ?? 0))} a month more, but`;
    return `${nameOf(one)}${less === "" ? ":" : less} ${joined(one.why)}. ${measureOf(one)}`;
  });
}

function measureOf({ way }: Assessed): string {
  const stack = `${way.cloud === "aws" ? "aws-" : ""}${way.topology}`;
  return `Measure it: pulumi up --stack ${stack}, or npm run compare -- --cloud ${way.cloud}.`;
}

/** Which of two is cheaper where, one sentence each. */
export function breakEvenSentence({ gb, below, above, usd: cost }: BreakEven): string {
  return `Below ${gigabytes(gb)} a month ${below} is cheaper, above it ${above} (${usd(cost)} there).`;
}
