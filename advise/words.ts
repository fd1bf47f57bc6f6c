/**
 * Figures of advice as people read them.
 *
 * @module
 */
import { digits } from "../report/text/format.ts";

export { count, usd } from "../report/text/format.ts";

/** `1.23 GB` of bytes; a GB is 10^9 bytes. */
export function gb(bytes: number): string {
  return `${bytes > 0 && bytes < 1e6 ? "<0.001" : digits(bytes / 1e9)} GB`;
}

/** `TCP`, `UDP`, `ICMP`, else the number. */
export function protocolName(protocol: number): string {
  return { 1: "ICMP", 6: "TCP", 17: "UDP" }[protocol] ?? `protocol ${protocol}`;
}
