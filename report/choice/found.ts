/** Whether a measured figure meets a need. */
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import type { PricedCloud } from "../cost/prices.ts";
import type { Evidence } from "./evidence.ts";

/**
 * Whether a measured figure meets a need. `less`: it was measured to carry less. `ends`: so it was, and so were the
 * machines that measured it without it. `connections`: so it was, by as few connections as cannot carry more through it.
 */
export type Found = "enough" | "less" | "ends" | "connections" | "unknown";

interface Against {
  readonly wanted: number;
  readonly found: number | null;
  readonly yardstick: number | null;
  /** The limit that it met, where that was not the way out. */
  readonly limitedBy: "ends" | "connections" | null;
}

/** The limit of a measured rate, where that was not the way out. */
export function limitedBy(evidence: Evidence | null): Against["limitedBy"] {
  if (evidence?.limitedByEnds) {
    return "ends";
  }
  return evidence?.limitedByConnections ? "connections" : null;
}

/** Holds a measured figure against what is wanted. */
export function against({ wanted, found, yardstick, limitedBy }: Against): Found {
  if (found === null) {
    return "unknown";
  }
  if (found >= wanted) {
    return "enough";
  }
  return limitedBy ?? (yardstick !== null && yardstick < wanted ? "ends" : "less");
}

/** Bits per second that a machine can send for minutes; Infinity where that is not known. */
export function mostOf(
  cloud: PricedCloud,
  { peakBitsPerSecond }: { readonly peakBitsPerSecond: number | null },
  measured: number,
): number {
  const peak = peakBitsPerSecond ?? Number.POSITIVE_INFINITY;
  return cloudRecords[cloud].holdsToRate ? peak : Math.max(peak, measured);
}
