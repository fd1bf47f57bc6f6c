/**
 * A NAT instance's failure, in a few words.
 *
 * @module
 */
import { formatMicroseconds } from "../plan/quantities.ts";
import type { Failover } from "../results/index.ts";

/** Parts are separated by commas, where a table may break them. `ratio` goes behind the first figure. */
export function describeFailover({ outages, flows }: Failover, ratio: string): string {
  const held = Object.entries(flows).map(
    ([protocol, { opened, survived }]) =>
      `${survived.toLocaleString("en-US")} of ${opened.toLocaleString("en-US")} ${protocol.toUpperCase()} survived`,
  );
  return [`out ${cut(outages.new)}${ratio}`, `established ${cut(outages.established)}`, ...held].join(", ");
}

/** `350 ms`, `over 20.0 s` */
function cut({ ms, ended }: Failover["outages"]["new"]): string {
  return `${ended ? "" : "over "}${formatMicroseconds(ms * 1000)}`;
}
