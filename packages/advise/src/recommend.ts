/**
 * Words the recommendation: a report's answer for somebody who already has a way out. Rules: docs/advise.md.
 */

import { formatBitRate } from "../../../bench/index.ts";
import { said } from "../../../bench/said.ts";
import type { PricedCloud } from "../../../bench/topologies/clouds.ts";
import { idleTimeoutSeconds } from "../../../bench/topologies/limits.ts";
import type { Answer } from "../../../report/choice/answer.ts";
import type { Assessed } from "../../../report/choice/assess.ts";
import { capacityWords } from "../../../report/choice/capacity.ts";
import { demandOf } from "../../../report/choice/needs.ts";
import {
  guessedSize,
  headlineOf,
  nameOf,
  oneMachine,
  runnerUpSentence,
  unpricedSentences,
} from "../../../report/choice/words.ts";
import type { Traffic } from "./traffic.ts";
import type { EndpointSaving, IdleGateways } from "./types.ts";
import { count, flowsBetween, lengthOf, money, periodOf } from "./words.ts";

/** The recommended way out, and why. */
export interface Recommendation {
  /** Topology. Null: there is nothing to choose for, or nothing carries the traffic. */
  readonly pick: string | null;
  /** The pick's id among the options. */
  readonly pickId: string | null;
  readonly sentence: string;
  readonly reasons: readonly string[];
  /** Monthly cost now, and with the pick and all free endpoints. Null: a price is not known. */
  readonly nowCost: number | null;
  readonly thenCost: number | null;
  /** A cheaper way that is not known to carry the traffic, so worth measuring. Null saving: nothing is known to carry it. */
  readonly worthMeasuring: {
    readonly candidate: string;
    readonly id: string;
    readonly name: string;
    readonly why: readonly string[];
    readonly totalCost: number | null;
    readonly saving: number | null;
  } | null;
}

/** The report's answer to this traffic. */
export function recommend(
  traffic: Traffic,
  answer: Answer,
  nowCost: number | null,
  { endpoints, idle }: { readonly endpoints: readonly EndpointSaving[]; readonly idle: IdleGateways | null },
): Recommendation {
  const nothing = { pick: null, pickId: null, reasons: [], nowCost, thenCost: null, worthMeasuring: null };
  const removal = idle === null ? [] : [idleSentence(idle, traffic, answer.currency)];
  if (traffic.total.outBytes + traffic.total.inBytes === 0) {
    if (removal[0] !== undefined) {
      return { ...nothing, sentence: removal[0], thenCost: 0 };
    }
    return {
      ...nothing,
      sentence: `The ${traffic.source === "flow logs" ? "log shows" : "files show"} no traffic from private to public addresses: there is nothing to choose for.`,
    };
  }
  const { pick } = answer;
  const worthMeasuring = cheaperOf(answer);
  if (pick === null) {
    return {
      ...nothing,
      worthMeasuring,
      sentence: nonePicked(answer),
      reasons: [...answer.assessed.flatMap(whyNot), ...unpricedSentences(answer)],
    };
  }
  const thenCost = pick.totalCost;
  // An idle gateway's saving is stated by itself.
  const busyCost = nowCost === null ? null : nowCost - (idle?.saving ?? 0);
  return {
    pick: pick.way.topology,
    pickId: pick.id,
    sentence: [...removal, ...sentences(answer, endpoints, busyCost)].join(" "),
    reasons: reasons(traffic, answer, pick, endpoints),
    ...{ nowCost, thenCost, worthMeasuring },
  };
}

/** An idle gateway costs by the hour, and what it costs can be saved whatever the way out. */
function idleSentence({ names, saving }: IdleGateways, traffic: Traffic, currency: string): string {
  const cost = saving === null ? "" : `: ${money(saving, currency)} a month to save`;
  return `Delete ${names.join(", ")}, idle ${periodOf(traffic)}${cost}.`;
}

/** Why nothing is recommended: the ways that carry the traffic have no price, or none is known to carry it. */
function nonePicked({ assessed }: Answer): string {
  const fitting = assessed.filter(({ status }) => status === "fits");
  return fitting.length === 0
    ? "No way out with a known price is known to carry this traffic: measure one first."
    : `The ways out that carry this traffic have no known price (${fitting.map((one) => nameOf(one)).join(", ")}): give prices with --prices.`;
}

function cheaperOf({ worthMeasuring: [first], pick }: Answer): Recommendation["worthMeasuring"] {
  if (first === undefined) {
    return null;
  }
  const { id, way, why, totalCost } = first;
  const saving = pick === null ? null : (pick.totalCost ?? 0) - (totalCost ?? 0);
  return { candidate: way.topology, id, name: nameOf(first), why, totalCost, saving };
}

/** The report's headline beside what carries the traffic now, and the endpoints to add. */
function sentences(answer: Answer, endpoints: readonly EndpointSaving[], nowCost: number | null): string[] {
  const now = answer.now && { ...answer.now, totalCost: nowCost };
  const names = [...new Set(endpoints.map(({ service, kind }) => `a ${kind} for ${service}`))];
  return said(`${headlineOf({ ...answer, now })}.`, names.length > 0 && `Add ${names.join(" and ")}: free.`);
}

function reasons(
  traffic: Traffic,
  answer: Answer,
  pick: Assessed,
  endpoints: readonly EndpointSaving[],
): string[] {
  const { flows, peak, cloud } = traffic;
  const { peakBitsPerSecond } = demandOf(answer.needs);
  const guessed = pick.id === answer.now?.id ? guessedSize(pick) : null;
  return said(
    `It carries the ${busiestOf(traffic)}, ${formatBitRate(peakBitsPerSecond)} both ways${peakBounds(peak)}.`,
    flows?.busiest != null &&
      pick.need !== null &&
      `Its busiest destination has ${flowsBetween(flows.busiest.concurrent)} at once: ${pick.need.formula}.`,
    ...endpoints.map(
      ({ service, kind, share, saving }) =>
        `A ${kind} for ${service} is free and takes ${(share * 100).toFixed(1)} % of the traffic off the NAT${saving === null ? "" : `, ${money(saving, answer.currency)} a month`}.`,
    ),
    (pick.status === "test" || guessed !== null) &&
      `It carries the traffic now${guessed === null ? "" : `. Its size is not in the log: ${guessed} is the cheapest that is known to (--nat-size names yours)`}.`,
    pick.capacity !== null && `What is known of it: ${capacityWords(pick.capacity)}.`,
    pick.way.term === "spot" && "The cloud can take a spot machine away at any time.",
    pick.singlePoint && `It is ${oneMachine(pick)}: when it fails, nothing gets out until it is back.`,
    ...runnerUpSentence(answer),
    ...consolidationReason(answer, pick, traffic),
    ...answer.assessed.flatMap(whyNot),
    ...unpricedSentences(answer),
    silenceReason(traffic, cloud),
  );
}

function busiestOf({ source, intervalSeconds }: Traffic): string {
  return source === "flow logs" || intervalSeconds <= 60
    ? "busiest minute"
    : source === "typed"
      ? "month's mean"
      : `busiest ${lengthOf(Math.round(intervalSeconds))}'s mean`;
}

function peakBounds(peak: Traffic["peak"]): string {
  return peak?.both.most == null
    ? ""
    : ` (at least ${formatBitRate(peak.both.least)} and at most ${formatBitRate(peak.both.most)}, because records are no finer)`;
}

/** A single NAT for all zones, as a separate proposal with its costs beside its bill. */
function consolidationReason(
  { consolidation, needs, currency }: Answer,
  { totalCost }: Assessed,
  { zones }: Traffic,
): string[] {
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
  ];
}

function whyNot({ way, status, why }: Assessed): string[] {
  return status === "excluded" ? [`Not ${way.id}: ${why.join("; ")}.`] : [];
}

function silenceReason({ flows }: Traffic, cloud: PricedCloud): string | false {
  const idle = idleTimeoutSeconds[cloud];
  const broken = flows?.silences.over.find(({ seconds }) => seconds === idle)?.flows ?? 0;
  return (
    broken !== 0 &&
    `${count(broken)} flows were silent for ${idle} s and more, after which a NAT gateway forgets them: turn on TCP keep-alive below that.`
  );
}
