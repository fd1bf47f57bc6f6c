/** Compares a measured figure with a need. */
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import type { PricedCloud } from "../cost/prices.ts";
import type { Evidence } from "./evidence.ts";

/**
 * Whether a measured figure meets a need. `less`: it is lower. `ends`: it is lower, as is the machines' own figure without
 * the way out. `connections`: it is lower because too few connections were used.
 */
export type Found = "enough" | "less" | "ends" | "connections" | "unknown";

interface Against {
  readonly wanted: number;
  readonly found: number | null;
  readonly yardstick: number | null;
  /** The limit of the measurement, if it was not the way out. */
  readonly limitedBy: "ends" | "connections" | null;
}

/** The limit of a measured rate, if it was not the way out. */
export function limitedBy(evidence: Evidence | null): Against["limitedBy"] {
  if (evidence?.limitedByEnds) {
    return "ends";
  }
  return evidence?.limitedByConnections ? "connections" : null;
}

/** Compares a measured figure with the wanted one. */
export function against({ wanted, found, yardstick, limitedBy }: Against): Found {
  if (found === null) {
    return "unknown";
  }
  if (found >= wanted) {
    return "enough";
  }
  return limitedBy ?? (yardstick !== null && yardstick < wanted ? "ends" : "less");
}

/** Bits per second that a machine can send for minutes; Infinity if not known. */
export function mostOf(
  cloud: PricedCloud,
  { peakBitsPerSecond }: { readonly peakBitsPerSecond: number | null },
  measured: number,
): number {
  const peak = peakBitsPerSecond ?? Number.POSITIVE_INFINITY;
  return cloudRecords[cloud].holdsToRate ? peak : Math.max(peak, measured);
}
