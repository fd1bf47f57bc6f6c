/** Rate and delay of a lab link, as `tc` commands for each of its ends. */

/** Rate and delay, the same in both directions. */
export interface LinkShape {
  /** Bits a second. @default the machine's speed */
  readonly bitsPerSecond?: number | undefined;
  /** Milliseconds one way; needs a kernel with netem. @default none */
  readonly delayMs?: number | undefined;
}

/** Longest time that a full bucket's queue may hold, so that a flood is dropped instead of delayed without end. */
const QUEUE_LATENCY_MS = 50;
/** A bucket must hold one GSO packet (64 KiB), or TCP over veth starves. */
const MIN_BURST_BYTES = 128 * 1024;
/** Bucket size as time, large enough that a timer tick does not cost rate. */
const BURST_SECONDS = 0.004;

/** Commands for one end; none for an unshaped link. */
export function shapingCommands(device: string, shape: LinkShape): string[][] {
  const add = ["tc", "qdisc", "add", "dev", device];
  const delay = ["netem", "delay", `${shape.delayMs}ms`, "limit", "100000"];
  if (shape.bitsPerSecond === undefined) {
    return shape.delayMs === undefined ? [] : [[...add, "root", ...delay]];
  }
  const rate = shape.bitsPerSecond;
  const burst = Math.max(MIN_BURST_BYTES, Math.round((rate / 8) * BURST_SECONDS));
  const bucket = ["tbf", "rate", `${rate}bit`, "burst", String(burst), "latency", `${QUEUE_LATENCY_MS}ms`];
  const tbf = [...add, "root", "handle", "1:", ...bucket];
  return shape.delayMs === undefined ? [tbf] : [tbf, [...add, "parent", "1:1", ...delay]];
}
