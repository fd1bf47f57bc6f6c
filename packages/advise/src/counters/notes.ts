/** Notes on a gateway's counters and bills: what they show, and what they hide. */
import { said } from "../../../../bench/said.ts";
import { limits } from "../../../../bench/topologies/limits.ts";
import type { GatewayCounters, Traffic } from "../traffic.ts";
import { count } from "../words.ts";

type Counted = Traffic & { readonly counters: GatewayCounters };

interface GatewayMetrics {
  /** @param ports Connections per address to one destination */
  readonly failed: (errors: number, ports: number, connections: number | null) => string;
  /** Notes on the peak and on the number of connections. */
  readonly peak: readonly string[];
  readonly connections: readonly string[];
}

const gatewayMetrics: Readonly<Record<Traffic["cloud"], GatewayMetrics>> = {
  aws: {
    failed: (errors, ports, connections) =>
      `${count(errors)} times a connection got no port (ErrorPortAllocation): one destination had more than ${count(ports)} connections at once through one address. Metrics do not name it: sizes take ${connections === null ? `${count(ports + 1)} connections` : `all ${count(Math.max(connections, ports + 1))} connections`} for one destination.`,
    peak: [
      "PeakBytesPerSecond, if it is there, is the rate of the busiest ten seconds of a minute, and is taken as both directions together.",
    ],
    connections: ["ActiveConnectionCount counts TCP only."],
  },
  azure: {
    failed: (errors) =>
      `${count(errors)} connections failed (SNATConnectionCount, Failed), perhaps for lack of ports: see the addresses.`,
    peak: [],
    connections: [],
  },
};

/** Whether traffic comes from counters or a bill. */
export function isCounted(traffic: Traffic): traffic is Counted {
  return traffic.counters !== null;
}

/** Reasons why the figures may be far off, one sentence each. */
export function counterWarnings({ cloud, counters, source }: Counted): string[] {
  const { portErrors, directions, connections } = counters;
  const ports = limits[cloud]["nat-gateway"].flowsPerAddressAndDestination;
  return said(
    portErrors !== null && portErrors > 0 && gatewayMetrics[cloud].failed(portErrors, ports, connections),
    directions === "none" &&
      "Sent and received are one figure here, and count as received: the bills are without internet egress, which every way out pays alike.",
    directions === "one" &&
      "Only one direction is here: add the other's metric, or volumes and bills are too low.",
    source === "bill" &&
      "A bill has no peak: sizes are for the mean of its busiest line, and single minutes may exceed it. Give metrics of the same time for the peak.",
  );
}

/** Notes on the figures' meaning and gaps. @param currency The price list's. */
export function counterNotes(
  { counters, cloud, source, nats, intervalSeconds, peak }: Counted,
  currency: string,
): string[] {
  const { charged, skipped, connections } = counters;
  const seconds = Math.round(intervalSeconds);
  return said(
    source === "bill"
      ? "A bill's lines have volumes and hours: no peak, no destination, no connection. They cannot tell which traffic a free endpoint would take, nor how many ports a destination needs."
      : "Metrics have volumes, peaks and connections: no destination. They cannot tell which traffic a free endpoint would take, nor how many ports a destination needs.",
    "All sent traffic counts as internet egress: the files do not show which of it went to the cloud's own services in the region.",
    `Gateways: ${nats.map(({ name }) => name).join(", ")}. Each counts as one zone's.`,
    source === "bill"
      ? `Lines cover ${seconds} s and more. A bill's GB are taken as the price list's.`
      : `Points cover ${seconds} s: rates are means of that time.`,
    ...(source === "metrics" && peak !== null ? gatewayMetrics[cloud].peak : []),
    ...(connections === null ? [] : gatewayMetrics[cloud].connections),
    charged !== null &&
      `The bill charges ${charged.amount.toFixed(2)} ${charged.currency ?? "(currency not named)"} for these lines.${(charged.currency ?? currency) === currency ? "" : ` All costs here are in ${currency}: give a price list in ${charged.currency} (--prices) to compare them.`}`,
    skipped.length !== 0 && `Not used: ${skipped.join(", ")}.`,
  );
}

/** The section on flows, as far as counters have them. */
export function counterSentences({ counters, source }: Counted): string[] {
  const { connections, newConnectionsPerSecond, portErrors } = counters;
  const sentences = said(
    connections !== null &&
      `At most ${count(Math.round(connections))} connections at once, to all destinations.`,
    newConnectionsPerSecond !== null &&
      `${newConnectionsPerSecond.toFixed(1)} new connections a second in the busiest period.`,
    portErrors !== null && `${count(portErrors)} connections failed, for lack of a port or another reason.`,
  );
  return sentences.length > 0
    ? sentences
    : [
        source === "bill"
          ? "A bill says nothing about connections."
          : "These metrics say nothing about connections.",
      ];
}
