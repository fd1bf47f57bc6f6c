/** Series of a NAT gateway's own counters: from CloudWatch, Azure Monitor, or the lines of a bill. */
import type { PricedCloud } from "../../bench/topologies/clouds.ts";

/** Kinds of counters. `bytes`: both directions together. `peak`: bytes per second. `hours`: a bill's gateways times hours. */
export type Counter =
  | "out"
  | "in"
  | "bytes"
  | "packetsOut"
  | "packetsIn"
  | "peak"
  | "connections"
  | "newConnections"
  | "portErrors"
  | "hours"
  | "charged";

/** One counter of one gateway. */
export interface Series {
  readonly counter: Counter;
  /** Null: the file names none. */
  readonly gateway: string | null;
  /** Seconds per point. Null: derived from the points' distances. */
  readonly periodSeconds: number | null;
  /** `t`: the period's first millisecond since 1970. */
  readonly points: readonly { readonly t: number; readonly value: number }[];
}

/** Series of one file. */
export interface Counters {
  readonly cloud: PricedCloud;
  readonly source: "metrics" | "bill";
  /** Null: the file does not name it. */
  readonly region: string | null;
  readonly series: readonly Series[];
  /** Names of unused data in the file. */
  readonly skipped: readonly string[];
  /** Currency of `charged`. Null: nothing is charged, or it is not named. */
  readonly currencies: readonly string[];
}
