/** Derives the highest demand on a way out from logs. */
import { limits } from "../../../bench/topologies/limits.ts";
import { defaultNeeds, type Needs, type Seen } from "../../../report/choice/needs.ts";
import type { MonthlyTraffic } from "./month.ts";
import type { Traffic } from "./traffic.ts";

const SECONDS_AN_HOUR = 3600;

/**
 * The needs behind logged traffic. Upper bounds where the log has bounds: a lack of ports costs more than spare ports.
 *
 * @param left Traffic that is left for the way out in a month.
 */
export function needsOfTraffic(traffic: Traffic, left: MonthlyTraffic, region: string): Needs {
  const { flows, peak, counters } = traffic;
  const zones = Math.max(1, gatewaysOf(traffic) - (counters?.idleAtOneTime ?? 0));
  return {
    ...defaultNeeds,
    gbIn: left.gbIn,
    gbOut: left.gbOut,
    peakBitsPerSecond: peak?.both.estimate ?? 0,
    connections: flows === null ? withoutPorts(traffic) : (flows.busiest?.concurrent.high ?? 0),
    newConnectionsPerSecond: counters?.newConnectionsPerSecond ?? flows?.openedPerSecond ?? null,
    machines: Math.max(1, flows?.clients ?? 1),
    ...{ zones, region },
    seen: { ...seenOf(traffic, left), ...zoneShareOf(traffic, zones) },
  };
}

/** Whether a gateway's failed connections prove a lack of ports. Azure's may have failed for other reasons. */
const portErrorsProveWant = { aws: true, azure: false } as const;

/** Present number of gateways. Without zones in the log, each NAT counts as one, since several usually stand in a zone each. */
export function gatewaysOf({ zones, nats }: Traffic): number {
  return Math.max(1, zones?.gateways ?? nats.length);
}

/**
 * Connections to one destination from a gateway's counters. They are unknown unless connections found no port: then one
 * destination had more than an address has ports, and at most all of them.
 */
function withoutPorts({ cloud, counters }: Traffic): number | null {
  const ports = limits[cloud]["nat-gateway"].flowsPerAddressAndDestination;
  return portErrorsProveWant[cloud] && (counters?.portErrors ?? 0) > 0
    ? Math.max(ports + 1, counters?.connections ?? 0)
    : null;
}

/** The busiest gateway's share of the rates, if each zone's gateway is told apart. */
function zoneShareOf({ byGateway }: Traffic, zones: number): Pick<Seen, "zoneShare"> {
  const busy = byGateway.filter(({ bytes }) => bytes > 0);
  return zones > 1 && busy.length >= zones ? { zoneShare: Math.max(...busy.map(({ share }) => share)) } : {};
}

function seenOf(traffic: Traffic, left: MonthlyTraffic): Seen {
  const { flows, counters, peak, byHour, hours, zones } = traffic;
  const { outBytes, inBytes, outPackets, inPackets } = traffic.total;
  const busiestHour = Math.max(0, ...byHour.map(({ outBytes, inBytes }) => outBytes + inBytes));
  // A log shorter than an hour counts with its own length.
  const seconds = Math.min(SECONDS_AN_HOUR, Math.max(60, hours * SECONDS_AN_HOUR));
  return {
    ...(flows === null ? {} : { flows: flows.concurrent.high, flowsOfOneClient: flows.perClient.high }),
    ...(counters === null ? {} : { flows: counters.connections, flowsOfOneClient: null, clients: null }),
    ...(peak === null ? {} : { peakOneWayBitsPerSecond: Math.max(peak.out.estimate, peak.in.estimate) }),
    // Daily counters have no hours: the busiest day's mean is used.
    busyBitsPerSecond: byHour.length === 0 ? (peak?.both.least ?? 0) : (busiestHour * 8) / seconds,
    ...(zones?.crossingShare == null ? {} : { crossingShare: zones.crossingShare }),
    ...(zones?.crossingShareOfOne == null ? {} : { crossingShareOfOne: zones.crossingShareOfOne }),
    ...(outPackets > 0 && inPackets > 0
      ? { bytesAPacket: (outBytes + inBytes) / (outPackets + inPackets) }
      : {}),
    internetShare: left.gbOut === 0 ? 1 : Math.min(1, left.gbOutInternet / left.gbOut),
  };
}
