/** Ways out that this product does not deploy: priced and graded like the others, marked so, and never picked. */
import { addresses, data, disk, egress, service } from "./charges.ts";
import type { PricedCloud } from "./clouds.ts";
import type { ChargeRule } from "./topology.ts";

export interface OtherWay {
  readonly title: string;
  readonly charges: readonly ChargeRule[];
  /** Whether its use costs more than these charges. @default no */
  readonly least?: true;
  /** Published, both directions together. Null: not known. */
  readonly bitsPerSecond: number | null;
  /** What it is for, and the conditions of its price. */
  readonly notes: readonly string[];
  readonly source: string;
  /** When the source was read, `YYYY-MM-DD`. */
  readonly read: string;
}

export const otherWays: Readonly<Record<PricedCloud, readonly OtherWay[]>> = {
  aws: [
    {
      title: "AWS Network Firewall in front of a NAT gateway",
      charges: [service("network-firewall-hour"), data("network-firewall-gb"), addresses(1), egress],
      bitsPerSecond: 100e9,
      notes: [
        "for each hour and GB that the firewall is charged for, the same of a NAT gateway behind it is waived",
        "a firewall endpoint in each zone",
      ],
      source: "https://aws.amazon.com/network-firewall/pricing/",
      read: "2026-11-29",
    },
    {
      title: "egress-only internet gateway",
      charges: [egress],
      bitsPerSecond: null,
      notes: ["IPv6 alone: what has no IPv6 address needs NAT64 or another way out beside it"],
      source: "https://docs.aws.amazon.com/vpc/latest/userguide/egress-only-internet-gateway.html",
      read: "2026-11-29",
    },
    {
      title: "NAT instance that sleeps (nat-zero)",
      // A disk of 10 GB, where ours has 8.
      charges: [{ ...disk, count: 1.25 }, egress],
      least: true,
      bitsPerSecond: null,
      notes: [
        "the cost is that of a month asleep: its disk and the egress; awake it costs as fck-nat",
        "new connections wait 8.5 to 10.7 s for it, as its project measured",
      ],
      source: "https://nat-zero.machine.dev/performance",
      read: "2026-11-29",
    },
  ],
  azure: [],
};

/** A price or service that begins or ends on a date. */
export interface DatedTerm {
  readonly what: string;
  readonly until: string;
  readonly source: string;
  readonly read: string;
}

export const datedTerms: readonly DatedTerm[] = [
  {
    what: "What clouds charge customers in the EU for moving their data to another provider (reduced since 2024-01-11; using two clouds side by side may go on to cost)",
    until: "2027-01-12",
    source: "https://eur-lex.europa.eu/eli/reg/2023/2854/oj (article 29)",
    read: "2026-11-29",
  },
  {
    what: "Azure's NSG flow logs; virtual network flow logs stay",
    until: "2027-09-30",
    source: "https://learn.microsoft.com/azure/network-watcher/nsg-flow-logs-overview",
    read: "2026-11-29",
  },
];
