/** A way out before anybody's needs. */
import type { PricedCloud } from "../../bench/topologies/clouds.ts";
import type { WayOut } from "../../bench/topologies/limits.ts";
import type { PricedRule } from "../cost/bill.ts";
import type { Term } from "../cost/prices.ts";
import type { Evidence } from "./evidence.ts";
import type { NatMachine } from "./sizing.ts";

/** A way out as a report knows it, before anybody's needs. */
export interface Way {
  /** Unique within a cloud: the column's label, else the topology. */
  readonly id: string;
  /** Column of the comparison; null: not among the results. */
  readonly column: number | null;
  /** Number of its colour and pattern: the column's, and numbers after the last column's. */
  readonly look: number;
  readonly topology: string;
  /** Null: a yardstick, never to be chosen. */
  readonly out: WayOut | null;
  readonly cloud: PricedCloud;
  /** Where it was measured, else where it is priced. */
  readonly region: string;
  /** SKU or tier, where there are several. Null: the usual one. */
  readonly kind: string | null;
  /** The NAT instance's machine, as it was measured or asked for. Null: there is none, or it is sized by the needs. */
  readonly machine: NatMachine | null;
  /** The machine that a NAT instance is sized from, where none is named. */
  readonly machines: readonly NatMachine[];
  /** Term of the machine's price. Null: on demand, or there is no machine. */
  readonly term: Term | null;
  /** Public addresses that it was measured with. */
  readonly addresses: number;
  /** Its charges, by region. */
  readonly rules: Readonly<Record<string, readonly PricedRule[]>>;
  /** Null: not measured, or only in the lab, which is not a real network. */
  readonly evidence: Evidence | null;
  /** Whether it was measured in the lab. */
  readonly lab: boolean;
}
