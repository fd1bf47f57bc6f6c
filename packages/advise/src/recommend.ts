/** Words the recommendation: a report's answer for somebody who already has a way out. Rules: docs/advise.md. */

import { formatBitRate } from "../../../bench/index.ts";
import { said } from "../../../bench/said.ts";
import { idleTimeoutSeconds } from "../../../bench/topologies/limits.ts";
import type { Answer } from "../../../report/choice/answer.ts";
import type { Assessed } from "../../../report/choice/assess.ts";
import { capacityWords } from "../../../report/choice/capacity.ts";
import { demandOf } from "../../../report/choice/needs.ts";
import {
  besideSeveral,
  guessedSize,
  headlineOf,
  joined,
  measureSentences,
  nameOf,
  oneMachine,
  runnerUpSentence,
  turnSentence,
  unpricedSentences,
} from "../../../report/choice/words.ts";
import { HOURS_PER_MONTH } from "../../../report/cost/bill.ts";
import type { Traffic } from "./traffic.ts";
import type { EndpointSaving, IdleGateways } from "./types.ts";
import {
  costText,
  count,
  flowsBetween,
  isOfTenSeconds,
  lengthOf,
  money,
  periodOf,
  TEN_SECONDS,
  volume,
} from "./words.ts";

/** One of the questions of who pays, with its answer. */
interface Answered {
  readonly question: string;
  readonly sentences: readonly string[];
}

export interface Recommendation {
  /** Topology. Null: there is nothing to choose for, or nothing carries the traffic. */
  readonly pick: string | null;
  readonly pickId: string | null;
  /** The first step, in at most 30 words. */
  readonly sentence: string;
  /** Further steps, each in at most 30 words. */
  readonly also: readonly string[];
  /** What is paid now and would be paid, the risk, what to test first, and what would change the pick. */
  readonly answers: readonly Answered[];
  /** Monthly cost now, and with the pick and all free endpoints. Null: a price is not known. */
  readonly nowCost: number | null;
  readonly thenCost: number | null;
  /** Id of a cheaper way that is not known to carry the traffic, so worth measuring. */
  readonly worthMeasuring: string | null;
}

/** What pays for the traffic now, and what would take some of it away. */
interface Present {
  readonly topology: string;
  /** Bytes that it carried, with those that endpoints would take. */
  readonly bytes: number;
  readonly gateways: number;
  /** Monthly cost at list prices. Null: a price is not known. */
  readonly cost: number | null;
  /** What the bill charges for it. Null: no bill was read. */
  readonly charged: string | null;
  readonly endpoints: readonly EndpointSaving[];
  readonly idle: IdleGateways | null;
}

export function recommend(traffic: Traffic, answer: Answer, now: Present): Recommendation {
  const { cost: nowCost, idle } = now;
  const none = { pick: null, pickId: null, also: [], answers: [] };
  const nothing = { ...none, nowCost, thenCost: null, worthMeasuring: null };
  const removal = idle === null ? null : idleSentence(idle, traffic, answer.currency);
  if (now.bytes === 0) {
    const isUnread = traffic.counters?.charged?.causes.some(({ cause }) => cause === "unread") === true;
    const empty = isUnread
      ? "No line of what the gateways carried could be read: there is nothing to choose for."
      : `The ${traffic.source === "flow logs" ? "log shows" : "files show"} no traffic from private to public addresses: there is nothing to choose for.`;
    // Where other gateways carried something, the file has lines of bytes.
    const also = said(removal !== null && traffic.source === "bill" && FILTERED);
    return { ...nothing, sentence: removal ?? empty, also, thenCost: removal === null ? null : 0 };
  }
  const { pick } = answer;
  const worthMeasuring = answer.worthMeasuring[0]?.id ?? null;
  const answers = answered(traffic, answer, now);
  if (pick === null) {
    return { ...nothing, worthMeasuring, sentence: nonePicked(answer), answers };
  }
  // An idle gateway's saving is stated by itself.
  const busyCost = nowCost === null ? null : nowCost - (idle?.saving ?? 0);
  const headline = `${headlineOf({ ...answer, now: answer.now && { ...answer.now, totalCost: busyCost } })}.`;
  return {
    pick: pick.way.topology,
    pickId: pick.id,
    sentence: removal ?? headline,
    also: said(removal !== null && headline, toAdd(now.endpoints)),
    ...{ answers, nowCost, thenCost: pick.totalCost, worthMeasuring },
  };
}

const FILTERED =
  "The bill has hours and no GB. If it was filtered to hours, it says nothing of traffic: look for lines of bytes first.";

/** An idle gateway costs by the hour, and what it costs can be saved whatever the way out. */
function idleSentence({ names, saving }: IdleGateways, traffic: Traffic, currency: string): string {
  const cost = saving === null ? "" : `: ${money(saving, currency)} a month to save`;
  const when = traffic.source === "typed" ? "" : ` ${periodOf(traffic)}`;
  return `Delete ${named(names)}, idle${when}${cost}.`;
}

/** Why nothing is recommended: the ways that carry the traffic have no price, or none is known to carry it. */
function nonePicked({ assessed }: Answer): string {
  const fitting = assessed.filter(({ status }) => status === "fits");
  return fitting.length === 0
    ? "No way out with a known price is known to carry this traffic: measure one first."
    : `The ways out that carry this traffic have no known price (${named(fitting.map((one) => nameOf(one)))}): give prices with --prices.`;
}

function toAdd(endpoints: readonly EndpointSaving[]): string | false {
  const names = [...new Set(endpoints.map(({ service, kind }) => `a ${kind} for ${service}`))];
  return names.length > 0 && `Add ${named(names)}: free.`;
}

/** Names that a headline has room for. */
const MOST_NAMES = 3;

/** `a, b, c and 4 more`. */
function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return joined(more <= 0 ? names : [...names.slice(0, MOST_NAMES), `${count(more)} more`]);
}

function answered(traffic: Traffic, answer: Answer, now: Present): Answered[] {
  const { pick, assessed } = answer;
  const turns = answer.turns.filter(({ what }) => what !== "no-single-point");
  const notPicked = [...assessed.flatMap(whyNot), ...unpricedSentences(answer)];
  const byQuestion = {
    "You pay now": [...nowSentences(answer, now), ...nearlyIdle(traffic)],
    "You would pay": [...(pick === null ? [] : thenSentences(answer, pick, now)), ...notPicked],
    "You risk": said(...(pick === null ? [] : riskSentences(answer, pick)), silenceReason(traffic)),
    "Test first": [
      ...(pick === null ? [] : needSentences(traffic, answer, pick, now.endpoints)),
      ...measureSentences(answer),
    ],
    "What would change it": [...turns.map(turnSentence), ...consolidationReason(answer, traffic)],
  };
  return Object.entries(byQuestion).flatMap(([question, all]) =>
    all.length === 0 ? [] : [{ question, sentences: all }],
  );
}

function nowSentences({ now, currency }: Answer, { topology, gateways, cost, charged }: Present): string[] {
  const what = `${gateways === 1 ? "" : `${count(gateways)} × `}${topology}`;
  const guessed = now === null ? null : guessedSize(now);
  return said(
    `${costText(cost, currency)} in a month of ${HOURS_PER_MONTH} hours${charged === null ? "" : " at list prices"}: ${what}${guessed === null ? "" : `, if its size is ${guessed} (--nat-size names yours)`}.`,
    charged,
  );
}

/** Share of the traffic below which a gateway's hours may not be worth it. */
const LITTLE = 0.01;

/** Gateways that hardly carry anything. */
function nearlyIdle({ byGateway }: Traffic): string[] {
  const all = byGateway.reduce((sum, { bytes }) => sum + bytes, 0);
  return byGateway
    .filter(({ bytes }) => bytes > 0 && bytes < LITTLE * all)
    .map(({ name, bytes }) => `${name} carried ${volume(bytes)}, less than 1 %: see whether it can go.`);
}

function thenSentences(answer: Answer, pick: Assessed, { endpoints, cost }: Present): string[] {
  const { currency } = answer;
  // Theirs may be another size than the one that is taken.
  const isKnown = answer.now === null || guessedSize(answer.now) === null;
  const saved = cost === null || !isKnown ? 0 : cost - (pick.totalCost ?? 0);
  return said(
    `${money(pick.totalCost ?? 0, currency)} a month: ${nameOf(pick)}${saved < 0.005 || cost === null ? "" : `, ${money(saved, currency)} (${Math.floor((100 * saved) / cost)} %) less`}.`,
    ...endpoints.map(
      ({ service, kind, share, saving }) =>
        `A ${kind} for ${service} is free and takes ${(share * 100).toFixed(1)} % of the traffic off the NAT${saving === null ? "" : `, ${money(saving, currency)} a month`}.`,
    ),
    ...runnerUpSentence(answer),
  );
}

function riskSentences({ turns, currency }: Answer, pick: Assessed): string[] {
  const two = turns.find(({ what }) => what === "no-single-point")?.pick;
  return said(
    pick.singlePoint && `It is ${oneMachine(pick)}: when it fails, nothing gets out until it is back.`,
    two != null &&
      `Where no single machine may stop all traffic: ${nameOf(two)}, ${costText(two.totalCost, currency)} a month.`,
    pick.way.term === "spot" && "The cloud can take a spot machine away at any time.",
    !pick.singlePoint && "No machine of yours: the cloud runs it.",
  );
}

/** The pick's need beside what is known of it. */
function needSentences(
  traffic: Traffic,
  answer: Answer,
  pick: Assessed,
  endpoints: Present["endpoints"],
): string[] {
  const { flows } = traffic;
  const { peakBitsPerSecond } = demandOf(answer.needs);
  const isNow = pick.id === answer.now?.id;
  const guessed = isNow ? guessedSize(pick) : null;
  return said(
    `It must carry the ${busiestOf(traffic)}${endpoints.length === 0 ? "" : ` of what ${endpoints.length === 1 ? "the endpoint leaves" : "the endpoints leave"}`}, ${formatBitRate(peakBitsPerSecond)} both ways${peakBounds(traffic)}.`,
    flows?.busiest != null &&
      pick.need !== null &&
      `Its busiest destination has ${flowsBetween(flows.busiest.concurrent)} at once: ${pick.need.formula}.`,
    (pick.status === "test" || guessed !== null) &&
      `It carries the traffic now${guessed === null ? "" : `. Its size is not in the log: ${guessed} is the cheapest that is known to (--nat-size names yours)`}.`,
    pick.capacity !== null && `What is known of it: ${capacityWords(pick.capacity)}.`,
    !isNow &&
      guessedSize(pick) !== null &&
      "Nobody measured it for you: before you switch, measure it (--write-stack NAME).",
  );
}

function busiestOf(traffic: Traffic): string {
  const { source, intervalSeconds } = traffic;
  return isOfTenSeconds(traffic)
    ? TEN_SECONDS
    : source === "flow logs" || intervalSeconds <= 60
      ? "busiest minute"
      : source === "typed"
        ? "month's mean"
        : `mean of the busiest ${lengthOf(Math.round(intervalSeconds))}`;
}

/** The bounds that differ from the figure. */
function peakBounds({ peak, source }: Traffic): string {
  if (peak === null || peak.both.most === null) {
    return "";
  }
  const [least, shown, most] = [peak.both.least, peak.both.estimate, peak.both.most].map(formatBitRate);
  const bounds = said(least !== shown && `at least ${least}`, most !== shown && `at most ${most}`);
  return bounds.length === 0
    ? ""
    : ` (${joined(bounds)}, because ${source === "flow logs" ? "records" : "points"} are no finer)`;
}

/** A single NAT for all zones, as a separate proposal with its costs beside its bill. */
function consolidationReason(answer: Answer, traffic: Traffic): string[] {
  const { zones } = traffic;
  const { consolidation, needs, currency, pick } = answer;
  const totalCost = pick?.totalCost ?? null;
  if (consolidation === null || totalCost === null) {
    return [];
  }
  const less = totalCost - consolidation.totalCost;
  const change =
    less > 0
      ? `would save ${money(less, currency)} a month`
      : `would cost ${money(-less, currency)} a month more`;
  return [
    `The ${count(needs.zones)} NATs stay ${count(needs.zones)}, ${zones === null ? "taken as one a zone" : `in ${zones.zones.join(", ")}`}. One for all (${nameOf(consolidation.pick)}) ${change}, with ${money(consolidation.crossingCost, currency)} for traffic that crosses zones${zones?.crossingShareOfOne == null ? ", taken as even" : " by the log"}, and its zone's outage would stop all of them.`,
    ...besideSeveral(answer),
    ...busiestGateway(traffic),
  ];
}

function busiestGateway({ byGateway }: Traffic): string[] {
  const all = byGateway.reduce((sum, { bytes }) => sum + bytes, 0);
  const [busiest, ...others] = byGateway;
  return busiest === undefined || others.length === 0 || all === 0
    ? []
    : [`The busiest gateway, ${busiest.name}, carried ${((100 * busiest.bytes) / all).toFixed(1)} % of all.`];
}

function whyNot({ way, status, why }: Assessed): string[] {
  return status === "excluded" ? [`Not ${way.id}: ${why.join("; ")}.`] : [];
}

function silenceReason({ flows, cloud }: Traffic): string | false {
  const idle = idleTimeoutSeconds[cloud];
  const broken = flows?.silences.over.find(({ seconds }) => seconds === idle)?.flows ?? 0;
  return (
    broken !== 0 &&
    `${count(broken)} flows were silent for ${idle} s and more, after which a NAT gateway forgets them: turn on TCP keep-alive below that.`
  );
}
