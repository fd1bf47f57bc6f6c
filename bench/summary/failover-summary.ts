/**
 * A NAT instance's failure, in a few words.
 *
 * @module
 */
import { formatMicroseconds } from "../plan/quantities.ts";
import type { Failover } from "../results/index.ts";

/** Parts are separated by commas, where a table may break them. `ratio` goes behind the first figure. */
export function describeFailover({ outages, flows, kinds }: Failover, ratio: string): string {
  const held = Object.entries(flows).map(([protocol, one]) => survivors(one, protocol.toUpperCase()));
  // Further kinds are said where they lost some: those that echo stand for the others.
  const lost = Object.entries(kinds ?? {}).filter(([, { opened, survived }]) => survived < opened);
  const further = lost.map(([kind, one]) => survivors(one, kind));
  const head = [`out ${cut(outages.new)}${ratio}`, `established ${cut(outages.established)}`];
  return [...head, ...held, ...further].join(", ");
}

/** `987 of 1,000 TCP survived` */
function survivors(held: { readonly opened: number; readonly survived: number }, what: string): string {
  return `${held.survived.toLocaleString("en-US")} of ${held.opened.toLocaleString("en-US")} ${what} survived`;
}

/** `350 ms`, `over 20.0 s` */
function cut({ ms, ended }: Failover["outages"]["new"]): string {
  return `${ended ? "" : "over "}${formatMicroseconds(ms * 1000)}`;
}
