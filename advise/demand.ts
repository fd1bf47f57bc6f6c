/**
 * The highest demand on a way out, by the logs.
 *
 * @module
 */
import type { Demand } from "../report/choice/sizing.ts";
import type { Traffic } from "./traffic.ts";

const SECONDS_AN_HOUR = 3600;

/** Upper bounds where the log has bounds: ports that run out cost more than ports to spare. */
export function demandOf({ flows, peak, byHour, hours }: Traffic): Demand {
  const busiestHour = Math.max(0, ...byHour.map(({ outBytes, inBytes }) => outBytes + inBytes));
  // A log that covers less than an hour is taken for what it covers.
  const seconds = Math.min(SECONDS_AN_HOUR, Math.max(60, hours * SECONDS_AN_HOUR));
  return {
    flowsToOneDestination: flows === null ? null : (flows.busiest?.concurrent.high ?? 0),
    flows: flows?.concurrent.high ?? null,
    flowsOfOneClient: flows?.perClient.high ?? null,
    clients: flows?.clients ?? null,
    peakBitsPerSecond: peak?.both.estimate ?? 0,
    busyBitsPerSecond: (busiestHour * 8) / seconds,
  };
}
