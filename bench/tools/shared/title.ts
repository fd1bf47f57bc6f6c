/** Titles of cases. */
import { formatBitRate } from "../../plan/quantities.ts";

/** The properties that distinguish a flow; null: none, or the default. */
export interface Flow {
  readonly protocol: "tcp" | "udp";
  readonly direction: "egress" | "ingress";
  readonly streams?: number | null;
  readonly pairs?: number | null;
  /** Per stream; 0: as fast as the sender can. */
  readonly bitsPerSecond?: number | null;
  readonly datagramBytes?: number | null;
  readonly bothWays?: boolean | undefined;
}

/** `UDP egress, 64 B × 10.0 Mbit/s`. */
export function flowTitle(flow: Flow): string {
  const { datagramBytes = null, bitsPerSecond = null, streams = null, pairs = null } = flow;
  const details = [
    datagramBytes === null ? "" : `${datagramBytes} B`,
    bitsPerSecond === null ? "" : rateTitle(bitsPerSecond),
    several(streams, "streams"),
    several(pairs, "pairs"),
  ].filter((detail) => detail !== "");
  const head = `${flow.protocol.toUpperCase()} ${flow.bothWays ? "both ways at once" : flow.direction}`;
  return details.length === 0 ? head : `${head}, ${details.join(" × ")}`;
}

/** `10.0 Mbit/s`, `unlimited`. */
export function rateTitle(bitsPerSecond: number): string {
  return bitsPerSecond === 0 ? "unlimited" : formatBitRate(bitsPerSecond);
}

function several(count: number | null, what: string): string {
  return count === null || count === 1 ? "" : `${count} ${what}`;
}
