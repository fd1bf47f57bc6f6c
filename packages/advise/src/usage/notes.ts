/** Notes on a gateway's counters and bills: what they show, and what they hide. */
import { said } from "../../../../bench/said.ts";
import { limits } from "../../../../bench/topologies/limits.ts";
import type { GatewayCounters, Traffic } from "../traffic.ts";
import { aLength, count, money, periodOf } from "../words.ts";

type Counted = Traffic & { readonly counters: GatewayCounters };

const gatewayMetrics = {
  aws: {
    /** @param ports Connections per address to one destination */
    failed: (errors: number, ports: number, connections: number | null) =>
      `${count(errors)} times a connection got no port (ErrorPortAllocation): one destination had more than ${count(ports)} connections at once through one address. Metrics do not name it: sizes take ${connections === null ? `${count(ports + 1)} connections` : `all ${count(Math.max(connections, ports + 1))} connections`} for one destination.`,
    peak: [
      "PeakBytesPerSecond, if it is there, is the rate of the busiest ten seconds of a minute, and is taken as both directions together.",
    ],
    connections: ["ActiveConnectionCount counts TCP only."],
  },
  azure: {
    failed: (errors: number, _ports: number, _connections: number | null) =>
      `${count(errors)} connections failed (SNATConnectionCount, Failed), perhaps for lack of ports: see the addresses.`,
    peak: [],
    connections: [],
  },
} as const;

/** Words on the lengths of time of a source. */
const lengths = {
  metrics: (length: string) => `Each point covers ${length}: rates are means of that time.`,
  bill: (length: string) => `The longest line covers ${length}. A bill's GB are taken as the price list's.`,
  typed: () => "A GB is 10^9 bytes.",
} as const;

/** Whether traffic comes from counters or a bill. */
export function isCounted(traffic: Traffic): traffic is Counted {
  return traffic.counters !== null;
}

/** A sentence on the figures. `isLoud`: they may be far off, so it stands beside the answer. */
export interface Remark {
  readonly text: string;
  readonly isLoud: boolean;
}

type Sentence = string | false | null | undefined;

export function remarks(isLoud: boolean, ...texts: readonly Sentence[]): Remark[] {
  return said(...texts).map((text) => ({ text, isLoud }));
}

export function counterRemarks(traffic: Counted): Remark[] {
  const { cloud, counters, source, nats, intervalSeconds, peak, total } = traffic;
  const { portErrors, directions, connections, assumed, charged, skipped } = counters;
  const { gateways, idle, idleAtOneTime } = counters;
  const ports = limits[cloud]["nat-gateway"].flowsPerAddressAndDestination;
  const unread = charged?.causes.find(({ cause }) => cause === "unread")?.amount ?? 0;
  const isMuchUnread = Math.abs(unread) > LOUD_SHARE * Math.abs(charged?.amount ?? 0);
  const fewer = nats.length < gateways.length ? `; ${count(nats.length)} of them now` : "";
  const names = fewer === "" ? nats.map(({ name }) => name) : gateways;
  const shown = names.map((name) => (idle.includes(name) ? `${name} (idle)` : name)).join(", ");
  return [
    ...remarks(
      true,
      portErrors !== null && portErrors > 0 && gatewayMetrics[cloud].failed(portErrors, ports, connections),
      ...assumed,
    ),
    ...remarks(isMuchUnread, skipped.length !== 0 && `Not used: ${skipped.join(", ")}.`),
    ...remarks(
      true,
      directions === "none" &&
        "Sent and received are one figure here, so internet egress is in no cost: every way out pays the same for it.",
      directions === "one" &&
        "Only one direction is here, all the time or a part of it: add the other's metric, or volumes and bills are too low.",
      source !== "metrics" &&
        (total.outBytes > 0 || total.inBytes > 0) &&
        `${source === "bill" ? "A bill has no peak: sizes are for the mean of its busiest line" : "No peak is given: sizes are for the month's mean"}, and single minutes may exceed it. For the peak, give metrics instead, in a call of their own.`,
    ),
    ...remarks(
      false,
      // A bill's lines name what went to the internet.
      directions !== "none" &&
        source !== "bill" &&
        "All sent traffic counts as internet egress: nothing shows which of it went to the cloud's own services in the region.",
      `Gateways: ${shown}${fewer}.`,
      nats.length - idleAtOneTime > 1 &&
        "Zones are not named: each gateway that carries traffic counts in a zone of its own, and every way out is priced for as many.",
      lengths[source as keyof typeof lengths](aLength(Math.round(intervalSeconds))),
      ...(source === "metrics" && peak !== null ? gatewayMetrics[cloud].peak : []),
      ...(connections === null ? [] : gatewayMetrics[cloud].connections),
    ),
  ];
}

/** The section on flows, as far as counters have them. */
export function counterSentences({
  counters: { connections, newConnectionsPerSecond, portErrors },
}: Counted): string[] {
  return said(
    connections !== null &&
      `At most ${count(Math.round(connections))} connections at once, to all destinations.`,
    newConnectionsPerSecond !== null &&
      `${newConnectionsPerSecond.toFixed(1)} new connections a second in the busiest period.`,
    portErrors !== null && `${count(portErrors)} connections failed, for lack of a port or another reason.`,
  );
}

const causeNames = {
  usage: "usage",
  discount: "discounts",
  credit: "credits",
  refund: "refunds",
  unread: "lines that could not be read",
  other: "taxes and fees",
};

/** Share of traffic or of a bill above which omissions, borrowed prices and a difference from list prices cause a warning. */
export const LOUD_SHARE = 0.05;

/**
 * A bill's charge beside list prices, with the difference by cause.
 *
 * @param listed What the answer's list prices make of the hours and GB in the bill. Null: a price is not known
 */
export function reconciled(
  { counters: { charged, gatewayHours, isDerived }, from, to, source }: Counted,
  { listed, currency }: { readonly listed: number | null; readonly currency: string },
): { readonly text: string; readonly loud: boolean } | null {
  if (charged === null || source !== "bill") {
    return null;
  }
  const { amount, causes, egress } = charged;
  const own = charged.currency ?? "(currency not named)";
  const outside = egress === 0 ? "" : `, ${money(egress, own)} of it for internet egress`;
  const start = `The bill charges ${money(amount, own)} for these lines${outside}, ${periodOf({ from, to })}`;
  if ((charged.currency ?? currency) !== currency) {
    return {
      text: `${start}. All costs here are in ${currency}: give a price list in ${own} (--prices) to compare them.`,
      loud: false,
    };
  }
  if (listed === null || isDerived) {
    return { text: `${start}.`, loud: false };
  }
  const difference = amount - egress - listed;
  const discounted = causes.reduce((rest, one) => rest - one.amount, amount - egress);
  const contract = charged.listed === null ? 0 : discounted - charged.listed;
  const other = discounted - listed - contract;
  const parts = said(
    ...causes.map((one) => `${causeNames[one.cause]} ${money(one.amount, own)}`),
    Math.abs(contract) >= 0.01 && `prices of your contract ${money(contract, own)}`,
    Math.abs(other) >= 0.01 &&
      `${gatewayHours === null ? "lines of hours or GB that are missing, or other prices" : "prices of another region, contract or list"} ${money(other, own)}`,
  );
  return {
    text: `${start}; list prices make ${money(listed, currency)} of ${egress === 0 ? "" : "the rest of "}that time.${parts.length === 0 ? "" : ` The difference: ${parts.join(", ")}.`}`,
    loud: Math.abs(difference) > LOUD_SHARE * listed,
  };
}
