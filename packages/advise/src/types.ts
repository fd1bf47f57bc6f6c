/** Types that several files of advice share. */
import type { Results } from "../../../bench/results/index.ts";
import type { Candidate } from "../../../bench/topologies/limits.ts";
import type { Assessed } from "../../../report/choice/assess.ts";
import type { Sizing } from "../../../report/choice/demand.ts";
import type { Cost, PriceBook } from "../../../report/index.ts";
import type { Offload } from "./month.ts";

export interface AdviceOptions {
  /** Results of any cloud; the lab's say nothing about a cloud's network. */
  readonly results: readonly Results[];
  readonly book: PriceBook;
  /** Size of today's NAT instance, else of every one. @default the measured size, else one that fits the traffic */
  readonly natSize?: string | undefined;
  /** The present way out. */
  readonly now: Candidate;
  /** The deployment's region, and how it is known. */
  readonly region: string;
  readonly regionFrom: "option" | "log" | "assumed";
  /** Share of its account's internet egress, whose free GB and tiers are the account's. @default 1 */
  readonly egressShare?: number;
  /** Unavailable live prices, one sentence each. @default none */
  readonly priceProblems?: readonly string[];
  /** Source of the service ranges. */
  readonly ranges: string;
  /** ISO time. */
  readonly madeAt: string;
}

export interface Option {
  /** Unique among the options. */
  readonly id: string;
  readonly candidate: string;
  readonly status: Assessed["status"];
  readonly why: readonly string[];
  readonly need: Sizing;
  /** Bill for the traffic that free endpoints leave. */
  readonly bill: Cost;
  /** Saving compared with the present cost; negative: it costs more. Null: a price is not known. */
  readonly saving: number | null;
}

/** Gateways that carried nothing. */
export interface IdleGateways {
  readonly names: readonly string[];
  /** What they cost a month. Null: a price is not known. */
  readonly saving: number | null;
}

/** Traffic that a free endpoint takes off the NAT. */
export interface EndpointSaving extends Offload {
  /** Share of the NAT's traffic, 0 to 1. */
  readonly share: number;
  /** Monthly saving on today's NAT. Null: a price is not known. */
  readonly saving: number | null;
}
