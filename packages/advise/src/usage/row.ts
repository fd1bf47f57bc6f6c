/** A row of the table of usage, its place, and the rows of one file. */
import type { PricedCloud } from "../../../../bench/topologies/clouds.ts";
import type { Traffic } from "../traffic.ts";

/**
 * What a row counts. `bytes`: both directions together. `outLeast` to `inMost`: bytes that were within the time, and that may
 * have been. `peak`: the highest bytes per second. `hours`: gateways times hours. `covered`: a time that a log covers.
 * `none`: money without a quantity, such as a discount.
 */
export type Statistic =
  | "out"
  | "in"
  | "bytes"
  | "packetsOut"
  | "packetsIn"
  | "outLeast"
  | "inLeast"
  | "outMost"
  | "inMost"
  | "peak"
  | "connections"
  | "newConnections"
  | "portErrors"
  | "hours"
  | "covered"
  | "none";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Why money is charged. */
export type Cause = "usage" | "discount" | "credit" | "refund" | "unread" | "other";

/** What no NAT serves together with another. Null: the source does not say. */
export interface Place {
  readonly account: string | null;
  readonly region: string | null;
  /** The VPC or virtual network. */
  readonly network: string | null;
}

/** One row of the table. Null: the source does not say. */
export interface UsageRow extends Place {
  readonly gateway: string | null;
  /** Start and end, milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly statistic: Statistic;
  /** Bytes, packets, connections or hours. */
  readonly quantity: number;
  /** What the bill says that it costs at the cloud's public prices, before discounts; in the currency of `charged`. */
  readonly listed: number | null;
  readonly charged: {
    readonly amount: number;
    readonly currency: string | null;
    readonly cause: Cause;
  } | null;
}

/** A row without a place or money. */
export const emptyRow = {
  ...{ account: null, region: null, network: null, gateway: null },
  ...{ listed: null, charged: null },
} as const satisfies Partial<UsageRow>;

/** Rows of one file, or of all flow logs. */
export interface FileUsage {
  readonly cloud: PricedCloud;
  readonly source: Traffic["source"];
  /** Rows that belong to one gateway even where none names it: a metric's series. */
  readonly series: readonly (readonly UsageRow[])[];
  /** Names of unused data in the file. */
  readonly skipped: readonly string[];
  /** Assumptions, one sentence each. */
  readonly assumed?: readonly string[];
  /** Whether its last lines are missing. @default false */
  readonly isCut?: boolean;
  /** Whether quantities were made of money. @default false */
  readonly isDerived?: boolean;
  /** Longer times without a row are not known. @default an hour: shorter ones are points that the service left out */
  readonly gapMs?: number;
}

export const placeParts = ["account", "region", "network"] as const;

export const placeOf = ({ account, region, network }: Place): Place => ({ account, region, network });

export const placeKey = (place: Place) => placeParts.map((part) => place[part]).join(" ");

/** The highest number; a gateway's year has more minutes than a call has arguments. */
export const highest = (values: readonly number[], least = 0) =>
  values.reduce((most, one) => Math.max(most, one), least);
