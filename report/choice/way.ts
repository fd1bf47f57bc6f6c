import type { PricedCloud } from "../../bench/topologies/clouds.ts";
import type { WayOut } from "../../bench/topologies/limits.ts";
import type { PricedRule } from "../cost/bill.ts";
import type { Term } from "../cost/prices.ts";
import type { NatMachine } from "./demand.ts";
import type { Evidence } from "./evidence.ts";

/** A way out in a report, independent of needs. */
export interface Way {
  /** Unique within a cloud: the column's label, else the topology. */
  readonly id: string;
  /** Column of the comparison; null: not among the results. */
  readonly column: number | null;
  /** Number of its colour and pattern: the column's, and numbers after the last column's. */
  readonly look: number;
  readonly topology: string;
  /** Null: a yardstick, which is never picked. */
  readonly out: WayOut | null;
  readonly cloud: PricedCloud;
  /** The measured region, else the priced one. */
  readonly region: string;
  /** SKU or tier, if there are several. Null: the usual one. */
  readonly kind: string | null;
  /** The measured or requested machine of a NAT instance. Null: none, or sized by the needs. */
  readonly machine: NatMachine | null;
  /** The machines from which a NAT instance without a given one is sized. */
  readonly machines: readonly NatMachine[];
  /** Term of the machine's price. Null: on demand, or no machine. */
  readonly term: Term | null;
  /** Public addresses in the measurement. */
  readonly addresses: number;
  /** Its charges, by region. */
  readonly rules: Readonly<Record<string, readonly PricedRule[]>>;
  /** Null: not measured. */
  readonly evidence: Evidence | null;
}
