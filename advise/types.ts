/**
 * Inputs of advice, and what each way out would need and cost.
 *
 * @module
 */
import type { Candidate } from "../report/choice/limits.ts";
import type { Need } from "../report/choice/sizing.ts";
import type { Cost, PriceBook } from "../report/index.ts";
import type { EndpointKind } from "./endpoints.ts";
import type { MonthlyTraffic } from "./month.ts";

/** Measured capacity of a NAT instance. */
export interface Measured {
  readonly bitsPerSecond: number;
  /** Null: the results do not tell. */
  readonly natSize: string | null;
  /** Where the figure is from, for people. */
  readonly source: string;
}

/** Inputs of advice beside the traffic. */
export interface AdviceOptions {
  /** The way out that the traffic takes now. */
  readonly now: Candidate;
  /** The reader's region, and how it is known. */
  readonly region: string;
  readonly regionFrom: "option" | "log" | "assumed";
  readonly book: PriceBook;
  readonly measured: Measured | null;
  /** Source of the service ranges. */
  readonly ranges: string;
  /** ISO time. */
  readonly madeAt: string;
}

/** A way out, with what it would need and cost. */
export interface Option {
  readonly candidate: Candidate;
  readonly need: Need<Candidate>;
  /** With the traffic that free endpoints leave. */
  readonly bill: Cost;
  /** Against the cost now; negative: it costs more. Null: a price is not known. */
  readonly savesUsd: number | null;
}

/** Traffic that one free endpoint takes off the NAT. */
export interface EndpointSaving extends MonthlyTraffic {
  readonly service: string;
  readonly region: string;
  readonly kind: EndpointKind;
  /** Share of the NAT's traffic, 0 to 1. */
  readonly share: number;
  /** Saving on today's NAT, in USD. Null: a price is not known. */
  readonly savesUsd: number | null;
}
