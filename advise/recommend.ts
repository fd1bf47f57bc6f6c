/**
 * Which way out to take, and why. Rules: docs/advise.md.
 *
 * @module
 */
import { formatBitRate } from "../bench/index.ts";
import { choose } from "../report/choice/choose.ts";
import { type Candidate, idleTimeoutSeconds } from "../report/choice/limits.ts";
import type { Demand, Need } from "../report/choice/sizing.ts";
import type { Cost } from "../report/index.ts";
import type { Traffic } from "./traffic.ts";
import type { EndpointSaving, Measured, Option } from "./types.ts";
import { count, usd } from "./words.ts";

/** Which way out to take, and why. */
export interface Recommendation {
  /** Null: there is nothing to choose for, or nothing that carries the traffic. */
  readonly pick: Candidate | null;
  /** The answer in one sentence. */
  readonly sentence: string;
  readonly reasons: readonly string[];
  /** USD a month, now and with the pick and all free endpoints. Null: a price is not known. */
  readonly nowUsd: number | null;
  readonly thenUsd: number | null;
  /** Cheaper than the pick, but not known to carry the traffic: measure it. */
  readonly worthMeasuring: { readonly candidate: Candidate; readonly savesUsd: number } | null;
}

/** What the recommendation is made of. */
export interface RecommendInputs {
  readonly traffic: Traffic;
  readonly demand: Demand;
  readonly now: { readonly topology: Candidate; readonly need: Need; readonly bill: Cost };
  readonly options: readonly Option[];
  readonly endpoints: readonly EndpointSaving[];
  readonly measured: Measured | null;
}

/**
 * The cheapest way out that carries the traffic. What the cloud runs is taken at its published limits; a NAT instance
 * only where it was measured to carry the busiest minute.
 */
export function recommend(inputs: RecommendInputs): Recommendation {
  const { traffic, now, options, endpoints } = inputs;
  const nowUsd = now.bill.totalUsd;
  if (traffic.total.outBytes + traffic.total.inBytes === 0) {
    return nothing(
      "The log shows no traffic from private to public addresses: there is nothing to choose for.",
      nowUsd,
    );
  }
  const { pick, worthMeasuring } = choose(
    options.map((option) => judged(inputs, option)),
    now.topology,
  );
  if (pick === null) {
    return nothing(
      "No way out with a known price is known to carry this traffic: measure one first.",
      nowUsd,
    );
  }
  const thenUsd = pick.bill.totalUsd;
  const cheaper = worthMeasuring[0];
  return {
    pick: pick.candidate,
    sentence: sentence(pick, now.topology, endpoints, nowUsd, thenUsd),
    reasons: reasons(inputs, pick),
    nowUsd,
    thenUsd,
    worthMeasuring:
      cheaper === undefined
        ? null
        : { candidate: cheaper.candidate, savesUsd: (thenUsd ?? 0) - (cheaper.bill.totalUsd ?? 0) },
  };
}

/** What the cloud runs fits at its published limits. */
function judged(inputs: RecommendInputs, option: Option) {
  const proved = option.candidate !== "nat-instance" || carries(inputs, option);
  return {
    ...option,
    id: option.candidate,
    status: option.need.tooSmall !== null ? "excluded" : proved ? "fits" : "unproved",
    totalUsd: option.bill.totalUsd,
    singlePoint: option.candidate === "nat-instance",
    bitsPerSecond: null,
    latencyUs: null,
  } as const;
}

function nothing(text: string, nowUsd: number | null): Recommendation {
  return { pick: null, sentence: text, reasons: [], nowUsd, thenUsd: null, worthMeasuring: null };
}

/** Whether a NAT instance was measured to carry the busiest minute, in the size that is priced. */
function carries({ measured, demand }: RecommendInputs, { need }: Option): boolean {
  const sameSize = measured?.natSize === null || measured?.natSize === need.size;
  return measured !== null && sameSize && measured.bitsPerSecond >= demand.peakBitsPerSecond;
}

function sentence(
  { candidate, need }: Option,
  now: Candidate,
  endpoints: readonly EndpointSaving[],
  nowUsd: number | null,
  thenUsd: number | null,
): string {
  const verb = candidate === now ? "Keep" : "Take";
  const what = need.size === null ? candidate : `${candidate} (${need.size})`;
  const number = need.gateways === 1 ? "" : `${need.gateways} × `;
  const names = [...new Set(endpoints.map(({ service, kind }) => `a ${kind} for ${service}`))];
  const and = names.length === 0 ? "" : ` and add ${names.join(" and ")}`;
  const same = candidate === now && names.length === 0;
  const instead = nowUsd === null || same ? "" : ` instead of ${usd(nowUsd)}`;
  const money = thenUsd === null ? "" : `: ${usd(thenUsd)} a month${instead}`;
  return `${verb} ${number}${what}${and}${money}.`;
}

function reasons({ traffic, demand, options, endpoints, measured }: RecommendInputs, pick: Option): string[] {
  const { flows, peak, cloud } = traffic;
  return [
    `It carries the busiest minute, ${formatBitRate(demand.peakBitsPerSecond)} both ways (${peak === null ? "no peak" : `${formatBitRate(peak.both.least)} to ${formatBitRate(peak.both.most)} by the log's intervals`}).`,
    ...(flows?.busiest == null
      ? []
      : [
          `Its busiest destination has ${count(flows.busiest.concurrent.low)} to ${count(flows.busiest.concurrent.high)} flows at once: ${pick.need.formula}.`,
        ]),
    ...endpoints.map(
      ({ service, kind, share, savesUsd }) =>
        `A ${kind} for ${service} is free and takes ${(share * 100).toFixed(1)} % of the traffic off the NAT${savesUsd === null ? "" : `, ${usd(savesUsd)} a month`}.`,
    ),
    ...(measured === null || pick.candidate !== "nat-instance"
      ? []
      : [`It was measured to carry ${formatBitRate(measured.bitsPerSecond)} (${measured.source}).`]),
    ...(pick.candidate === "nat-instance"
      ? ["It is one machine: when it fails, nothing gets out until it is back."]
      : []),
    ...options.flatMap(({ candidate, need }) =>
      need.tooSmall === null ? [] : [`Not ${candidate}: ${need.tooSmall}.`],
    ),
    ...silenceReason(traffic, cloud),
  ];
}

function silenceReason({ flows }: Traffic, cloud: "aws" | "azure"): string[] {
  const idle = idleTimeoutSeconds[cloud];
  const broken = flows?.silences.over.find(({ seconds }) => seconds === idle)?.flows ?? 0;
  return broken === 0
    ? []
    : [
        `${count(broken)} flows were silent for ${idle} s and more, after which a NAT gateway forgets them: turn on TCP keep-alive below that.`,
      ];
}
