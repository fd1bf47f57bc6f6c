/** Words the answer: headline and one sentence first, then reasons, what would change it and what to measure. */

import { groupBy } from "../../bench/group-by.ts";
import { formatBitRate, formatPercent } from "../../bench/plan/quantities.ts";
import { said } from "../../bench/said.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import { limitsOf } from "../../bench/topologies/limits.ts";
import { MOST_GB } from "../cost/bill.ts";
import { termWords } from "../cost/terms.ts";
import { amount, count, money } from "../text/format.ts";
import { type Answer, type BreakEven, choose, type Turn } from "./answer.ts";
import { type Assessed, demandOn, shareOfOne } from "./assess.ts";
import { capacityWords, countsOf, machineOf, marginOf } from "./capacity.ts";
import type { UdpPoint } from "./evidence.ts";
import { demandOf, type Needs } from "./needs.ts";

/** Loss in percent below which a rate counts as fully carried: the published comparison's bound for a good path. */
const WHOLE_BELOW_PERCENT = 0.01;

/** `nat-instance (t4g.small)`, `3 × nat-gateway`. */
export function nameOf({ way, need }: Pick<Assessed, "way" | "need">, name = way.id): string {
  const size = sizeOf({ way, need });
  return `${numberOf(need, " × ")}${name}${size === null ? "" : ` (${size})`}`;
}

/** `3 × `; empty for one. */
function numberOf(need: Assessed["need"], times: string): string {
  return need !== null && need.gateways > 1 ? `${count(need.gateways)}${times}` : "";
}

/** Size that a machine is priced with although nobody has named or measured one. Null: its size is known, or it has none. */
export function guessedSize({ way, need }: Pick<Assessed, "way" | "need">): string | null {
  return way.machine === null ? (need?.size ?? null) : null;
}

/** `t4g.small`, `t4g.small, spot`. Null: it has no machine. */
function sizeOf({ way, need }: Pick<Assessed, "way" | "need">): string | null {
  const size = way.machine?.size ?? need?.size ?? null;
  return size === null || way.term === null ? size : `${size}, ${termWords[way.term]}`;
}

function gigabytes(gb: number): string {
  return `${count(Math.round(gb))} GB`;
}

export const HEADLINE_WORDS = 30;

/** A headline's pick with its price, and what follows it. */
export interface Headline {
  readonly pick: string;
  readonly rest: string;
}

/** The headline as one sentence. */
export function headlineOf(answer: Answer): string {
  const { pick, rest } = headline(answer);
  return `${pick}${rest}`;
}

/**
 * The answer in at most 30 words. With a present way: `AWS: take a NAT instance (t4g.nano), 16.36 USD a month instead of 99.50: saves
 * 83.14 USD. Risk: one machine; nothing gets out while it is down`. Else evidence and the cheapest without a machine follow the cost.
 */
export function headline(answer: Answer): Headline {
  const { cloud, currency, pick, now, withoutMachine, worthMeasuring } = answer;
  const where = cloudRecords[cloud].title;
  const cost = (one: Assessed) => `${titleOf(one)}, ${money(one.totalCost ?? 0, currency)}`;
  const [tested] = worthMeasuring;
  if (pick === null) {
    const why =
      tested === undefined
        ? "no way out with a known price carries this traffic"
        : `nothing is known well enough without a test; cheapest to test: ${cost(tested)} a month`;
    return { pick: `${where}: ${why}`, rest: "" };
  }
  const keep = now?.id === pick.id;
  const isKnown = now !== null && !keep && guessedSize(now) === null;
  const before = isKnown ? (now.totalCost ?? 0) : 0;
  const saved = before - (pick.totalCost ?? 0);
  const more = (pick.totalCost ?? 0) - (tested?.totalCost ?? pick.totalCost ?? 0);
  const without = isZonal(pick) ? "its zone is cut off" : "nothing gets out";
  // In reading order; the first by rank are kept.
  const parts = [
    { rank: now === null ? 3 : 5, text: ` (${evidenceInHeadline(pick, answer.needs)})` },
    {
      rank: 0,
      text: saved < 0.005 ? "" : ` instead of ${amount(before)}: saves ${money(saved, currency)}`,
    },
    { rank: 1, text: keep && more >= 0.005 ? `; a test could save ${money(more, currency)}` : "" },
    { rank: 2, text: pick.singlePoint ? `. Risk: ${oneMachine(pick)}` : "" },
    { rank: 4, text: pick.singlePoint ? `; ${without} while it is down` : "" },
    {
      rank: now === null ? 1 : 3,
      // The present way's cost is said already.
      text:
        withoutMachine === null ||
        (withoutMachine.id === now?.id && withoutMachine.totalCost === now.totalCost)
          ? ""
          : `. Without any machine: ${cost(withoutMachine)}`,
    },
  ];
  const article = keep
    ? "keep the "
    : isZonal(pick)
      ? "take "
      : `take ${/^[aeiou]/i.test(titleOf(pick)) ? "an" : "a"} `;
  const start = `${where}: ${article}${cost(pick)} a month`;
  const kept = new Set<(typeof parts)[number]>();
  const rest = () => parts.flatMap((part) => (kept.has(part) ? [part.text] : [])).join("");
  for (const part of parts.toSorted((a, b) => a.rank - b.rank)) {
    kept.add(part);
    if (`${start}${rest()}`.split(/\s+/).length > HEADLINE_WORDS) {
      kept.delete(part);
    }
  }
  return { pick: start, rest: rest() };
}

/** `999 Mbit/s published, sustains 32.0 Mbit/s, you need 3.65`: the need in the unit before it, if that is its own. */
function evidenceInHeadline({ capacity, way }: Assessed, needs: Needs): string {
  const known = capacity === null ? "nothing known" : capacityWords(capacity, "headline");
  const [figure = "", unit = ""] = formatBitRate(demandOn(way, needs).peakBitsPerSecond).split(" ");
  return `${known}, you need ${known.endsWith(` ${unit}`) ? figure : `${figure} ${unit}`}`;
}

/** `NAT instance (t4g.nano)`, `3 NAT gateways`. */
function titleOf({ way, need }: Assessed): string {
  const { topology, id, kind, column } = way;
  const title = topologyNamed(topology)?.title ?? topology;
  const several = title.startsWith("pair ") ? title.replace("pair", "pairs") : `${title}s`;
  const label = column === null || id === topology ? (kind === null ? "" : ` ${kind}`) : ` "${id}"`;
  const size = sizeOf({ way, need });
  const number = numberOf(need, " ");
  return `${number}${number === "" ? title : several}${label}${size === null ? "" : ` (${size})`}`;
}

/** The pick's evidence in one short sentence, or the missing information. */
export function whyOf(answer: Answer): string {
  const { pick, needs, worthMeasuring, assessed, currency } = answer;
  if (pick !== null) {
    return `${upper(evidenceWords(pick, needs))}.`;
  }
  const [first] = worthMeasuring;
  if (first !== undefined) {
    return `${nameOf(first)} might carry it for ${money(first.totalCost ?? 0, currency)} a month: ${joined(first.why)}. ${measureOf(first)}`;
  }
  const why = assessed
    .filter(({ status }) => status !== "yardstick")
    .map(
      (one) =>
        `${one.id}: ${one.totalCost === null && one.status !== "excluded" ? "a price is not known" : joined(one.why)}`,
    );
  return `${why.join("; ")}.`;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `1.00 Gbit/s published (…), sustains 32.0 Mbit/s; you need 3.65 Mbit/s, the mean of 1,200 GB a month: 8.8 times`. */
function evidenceWords({ capacity, way }: Pick<Assessed, "capacity" | "way">, needs: Needs): string {
  if (capacity === null) {
    return "no evidence";
  }
  const demand = demandOn(way, needs);
  const { peakBitsPerSecond, busyBitsPerSecond: busy } = demand;
  const { part, times } = marginOf(capacity, demand);
  const loss = nearestLoss(way.evidence?.udp ?? [], peakBitsPerSecond);
  const lossless =
    loss !== null && isWhole(loss)
      ? `, with no loss of UDP at ${formatBitRate(loss.bitsPerSecond)}${loss.search ? ` (${loss.search.goal})` : ""}`
      : "";
  const month = gigabytes(needs.gbIn + needs.gbOut);
  const given = needs.peakBitsPerSecond === null ? `, the mean of ${month} a month` : " at the peak";
  const nearest = {
    minute: "the need",
    hour: busy === peakBitsPerSecond ? "the need" : `the ${formatBitRate(busy)} of the busiest hour`,
    connections: `as many ${capacity.connectionsProbed ? "measured" : "by its CPUs"}`,
    packets: `as many ${capacity.packets?.grade === "limit" ? "by its CPUs" : capacity.grade}`,
  }[part];
  const counts = countsOf(part, capacity, demand);
  const margin =
    Number.isFinite(times) && times > 0
      ? `${counts === null ? "" : ` and ${counts.needed}`}: ${timesOf(times)} ${nearest}`
      : "";
  return `${capacityWords(capacity)}; you need ${formatBitRate(peakBitsPerSecond)}${given}${margin}${lossless}`;
}

/** `8.8 times`, `240 times`. */
export function timesOf(margin: number): string {
  const shown = margin >= 10 ? Math.floor(margin) : Math.floor(margin * 10) / 10;
  return `${shown >= 10 ? count(shown) : shown} times`;
}

/** The pick's saving and its shortcomings, one sentence each; empty without a pick. */
export function reasonSentences(answer: Answer): string[] {
  const { pick, needs } = answer;
  if (pick === null) return [];
  const saved = saves(answer, pick);
  return [...(saved.length === 0 ? [] : [`It ${joined(saved)}.`]), ...shortcomings(pick, needs)];
}

/** The whole answer, for terminal, page and paper alike: evidence, saving and risk; what would change it and what to test. */
export function answerParts(answer: Answer) {
  return {
    headline: headline(answer),
    why: [whyOf(answer), ...reasonSentences(answer)],
    changes: [...turnSentences(answer), ...measureSentences(answer)],
  };
}

/** The parts of an answer, one sentence a line. */
export function answerSentences(answer: Answer): string[] {
  const { why, changes } = answerParts(answer);
  return [headlineOf(answer), ...why, ...changes];
}

/** Headline and reasons, in one line. */
export function sentenceOf(answer: Answer): string {
  return [`${headlineOf(answer)}.`, whyOf(answer), ...reasonSentences(answer)].join(" ");
}

/** Parts of a sentence as a list: `a`, `a and b`, `a, b and c`. */
export function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** Whether a rate is without loss; a searched rate only if its goal was no loss and every repetition found one. */
function isWhole({ lostPercent, search }: UdpPoint): boolean {
  return search === undefined
    ? lostPercent < WHOLE_BELOW_PERCENT
    : search.boundPercent === 0 && lostPercent === 0 && search.absent === null;
}

/** A sentence on the loss, with a search's goal; repetitions that found no rate come first. */
function lossSentence({ bitsPerSecond, lostPercent, search }: UdpPoint): string {
  const [rate, lost] = [formatBitRate(bitsPerSecond), formatPercent(lostPercent)];
  if (search === undefined) {
    return `It lost ${lost} of UDP at ${rate}.`;
  }
  const start =
    search.absent === null ? "It" : `In the searches for a UDP rate, ${search.absent}; otherwise it`;
  return `${start} held ${rate} of UDP with at most ${lost} lost (${search.goal}).`;
}

/** The slowest tried rate at or above the wanted one, else the fastest below it. Null: none was tried. */
function nearestLoss(points: NonNullable<Assessed["way"]["evidence"]>["udp"], wanted: number) {
  const ascending = points.toSorted((a, b) => a.bitsPerSecond - b.bitsPerSecond);
  return ascending.find(({ bitsPerSecond }) => bitsPerSecond >= wanted) ?? ascending.at(-1) ?? null;
}

/** The saving compared with the next best that was measured. */
function saves({ assessed, needs, breakEvens, carriedGb, currency }: Answer, pick: Assessed): string[] {
  const { pick: next } = choose(assessed.filter(({ id, way }) => id !== pick.id && way.column !== null));
  if (next === null) {
    return [];
  }
  const less = (next.totalCost ?? 0) - (pick.totalCost ?? 0);
  const traffic = `${count(needs.gbIn)} GB in and ${count(needs.gbOut)} GB out`;
  const saving =
    less < 0.005
      ? `costs as much as ${nameOf(next)} at ${traffic}`
      : `saves ${money(less, currency)} a month against ${nameOf(next)} at ${traffic}`;
  const turn = breakEvens.find(({ below, above }) => [below, above].includes(next.id));
  const from = turn?.above === pick.id ? ` from ${gigabytes(turn.gb)} a month on` : "";
  const end = turn?.below === pick.id && turn.gb <= (carriedGb ?? MOST_GB) ? turn.gb : null;
  const upTo =
    end !== null
      ? ` up to ${gigabytes(end)} a month`
      : carriedGb !== null
        ? ` up to ${gigabytes(carriedGb)} a month, ${MOST_CARRIED}`
        : "";
  return [saving, ...(from === "" && upTo === "" ? [] : [`is cheaper${from}${upTo}`])];
}

const MOST_CARRIED = "the most that it is known to carry";

function shortcomings(one: Assessed, needs: Needs): string[] {
  const { way, need } = one;
  const loss = nearestLoss(way.evidence?.udp ?? [], demandOf(needs).peakBitsPerSecond);
  return said(
    loss !== null && !isWhole(loss) && lossSentence(loss),
    publishedSentence(way, need),
    outageSentence(one),
    way.term === "spot" && "The cloud can take a spot machine away at any time.",
    way.out !== null &&
      limitsOf(way.cloud, way.out)?.fixedAddress === false &&
      "Its address is not yours and may change.",
  );
}

/** The conditions of a published rate, if the answer rests on it. */
function publishedSentence(way: Assessed["way"], need: Assessed["need"]): string | false {
  const published = need === null ? null : (machineOf(way, need)?.published ?? null);
  return (
    published !== null &&
    way.evidence?.bitsPerSecond == null &&
    `Published (${published.by}): ${published.note}; nobody measured it for you.`
  );
}

/** The part that fails as a whole. */
export function oneMachine({ need }: Pick<Assessed, "need">): string {
  return isZonal({ need }) ? "one machine a zone" : "one machine";
}

const isZonal = ({ need }: Pick<Assessed, "need">) => (need?.gateways ?? 1) > 1;

/** A sentence on outages; those that never ended come first. */
function outageSentence({ way, singlePoint, need }: Assessed): string | false {
  const { outageSeconds: outage = null, neverRecovered = null } = way.evidence ?? {};
  const one = singlePoint ? `It is ${oneMachine({ need })}: ` : "";
  if (neverRecovered !== null) {
    const { failures, of, seconds } = neverRecovered;
    const trials = of === 1 ? "When it failed" : `In ${failures} of ${of} trials`;
    const start = one === "" ? trials : trials.charAt(0).toLowerCase() + trials.slice(1);
    const others =
      outage === null ? "" : `; where new connections did, they were out for ${count(Math.ceil(outage))} s`;
    return `${one}${start}, traffic did not all come back within the case (${count(Math.round(seconds))} s)${others}.`;
  }
  const length =
    outage === null
      ? "nothing gets out while it is down, and how long that takes was not measured"
      : `${count(Math.ceil(outage))} s outage when it dies`;
  return singlePoint && `${one}${length}.`;
}

/** Sizes that fit but have no known price here, one sentence each: the choice leaves them out. */
export function unpricedSentences({ assessed }: Answer): string[] {
  const sentences = assessed.flatMap(({ need, region, status, totalCost, way }) =>
    status === "excluded" ||
    need === null ||
    (need.unpriced === null && (totalCost !== null || need.size === null))
      ? []
      : need.unpriced === null
        ? [`No price of ${nameOf({ way, need })} is known in ${region}. Give it with \`--prices\`.`]
        : [
            `${need.unpriced} fits as a NAT instance too and costs less in other regions, but no price is known in ${region}. Give it with \`--prices\`.`,
          ],
  );
  return [...new Set(sentences)];
}

/** The next best, with its cost. */
export function runnerUpSentence({ runnerUp, currency }: Answer): string[] {
  return runnerUp === null
    ? []
    : [`Runner-up: ${nameOf(runnerUp)}, ${money(runnerUp.totalCost ?? 0, currency)} a month.`];
}

/** Changes that would change the choice, one sentence each; the runner-up first. */
export function turnSentences(answer: Answer): string[] {
  const { turns, needs, consolidation, currency } = answer;
  return said(
    ...runnerUpSentence(answer),
    ...turns.map(turnSentence),
    consolidation !== null &&
      `One NAT for all ${count(needs.zones)} zones: ${nameOf(consolidation.pick)}, ${money(consolidation.totalCost, currency)} a month with ${money(consolidation.crossingCost, currency)} for crossing zones; one zone's outage would stop all of them.`,
    ...besideSeveral(answer),
    ...unpricedSentences(answer),
  );
}

/** Sentences on several NATs: one for all zones without a machine of one's own, and what their sizes are for. */
export function besideSeveral({ pick, consolidation, currency, needs }: Answer): string[] {
  const one = consolidation?.withoutMachine ?? null;
  return said(
    one !== null &&
      `One NAT for all without any machine: ${nameOf(one)}, ${money(one.totalCost ?? 0, currency)} a month.`,
    pick !== null && isZonal(pick) && pick.need?.size !== null && severalSizes(pick, needs),
  );
}

function severalSizes({ way, need }: Assessed, needs: Needs): string {
  const [each, share] = [
    `Each of the ${count(need?.gateways ?? 0)} machines is sized for`,
    shareOfOne(way, needs),
  ];
  return share === 1
    ? `${each} all traffic: a smaller one may do for its share.`
    : `${each} the busiest zone's rates, ${(100 * share).toFixed(1)} % of all, and for all connections: one that takes over for another zone gets both zones' traffic, and may be too small for it.`;
}

/** What a change of the needs would pick. */
export function turnSentence({ what, at, pick }: Turn): string {
  const then = pick === null ? "nothing is known well enough without a test" : `pick ${nameOf(pick)}`;
  if (what === "peak-above") {
    return `The same up to a peak of ${formatBitRate(at ?? 0)}; above it: ${then}.`;
  }
  const when = {
    "gb-above": `From ${gigabytes(at ?? 0)} a month on, in the same proportion`,
    "gb-below": `Up to ${gigabytes(at ?? 0)} a month, in the same proportion`,
    "connections-above": `With more than ${count(at ?? 0)} connections at once to one destination`,
    "no-single-point": "If no single machine may stop all traffic",
  }[what];
  return `${when}: ${then}.`;
}

/** Measurements worth making, one sentence each: cheaper ways out not known to carry the traffic. */
export function measureSentences({ worthMeasuring, pick, currency }: Answer): string[] {
  const cheapest = [...groupBy(worthMeasuring, measureOf).values()].flatMap((same) => same.slice(0, 1));
  return cheapest.map((one, at) => {
    const first = at === 0 ? "Cheapest that needs a test: " : "";
    const less =
      pick === null
        ? ""
        : ` would save ${money((pick.totalCost ?? 0) - (one.totalCost ?? 0), currency)} a month, but`;
    return `${first}${nameOf(one)}${less === "" ? ":" : less} ${joined(one.why)}. ${measureOf(one)}`;
  });
}

function measureOf({ way }: Assessed): string {
  const stack = `${cloudRecords[way.cloud].stackPrefix}${way.topology}`;
  return `Measure it: \`pulumi up --stack ${stack}\`, or \`npm run compare -- --cloud ${way.cloud}\`.`;
}

/** Break-evens of the pick, or of the ways worth measuring, with others; without one, which is cheaper. */
export function breakEvenSentences(answer: Answer): string[] {
  const { breakEvens, assessed, pick, carriedGb, currency } = answer;
  const beyond = (gb: number) =>
    pick === null || carriedGb === null || gb <= carriedGb
      ? ""
      : ` ${pick.id} is known to carry up to ${gigabytes(carriedGb)} a month.`;
  if (breakEvens.length > 0 || pick === null) {
    return breakEvens.map((one) => `${breakEvenSentence(one, currency)}${beyond(one.gb)}`);
  }
  const dearer = assessed.filter(
    ({ status, totalCost }) =>
      (status === "fits" || status === "test") && (totalCost ?? 0) > (pick.totalCost ?? 0),
  );
  const upTo = carriedGb === null ? "1 PB a month" : `${gigabytes(carriedGb)} a month, ${MOST_CARRIED}`;
  return dearer.length === 0
    ? []
    : [
        `No break-even: ${nameOf(pick)} is cheaper than ${joined(dearer.map(({ id }) => id))} at any traffic up to ${upTo}.`,
      ];
}

/** The cheaper of two, by traffic. */
export function breakEvenSentence({ gb, below, above, cost }: BreakEven, currency: string): string {
  return `Below ${gigabytes(gb)} a month ${below} is cheaper, above it ${above} (${money(cost, currency)} there).`;
}
