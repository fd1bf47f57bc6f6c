/** Words for facts of a way out that are neither measured nor published. */
import { formatBitRate, formatPercent } from "../../bench/plan/quantities.ts";
import { isNatInstance, limitsOf } from "../../bench/topologies/limits.ts";
import type { Found } from "./found.ts";
import { demandOf, type Needs } from "./needs.ts";
import type { NatMachine, Sizing } from "./sizing.ts";
import type { Way } from "./way.ts";

/** Why there is no measured rate. */
export function unmeasured({ evidence, lab }: Pick<Way, "evidence" | "lab">): string {
  if (evidence === null) {
    return lab ? "it was measured only in the lab, which is not a real network" : "it was not measured";
  }
  return evidence.unclearBitsPerSecond === null
    ? "its TCP was not measured both ways"
    : `its repetitions are too few to tell (${formatBitRate(evidence.unclearBitsPerSecond)} in the mean)`;
}

/** The published rate of a way out: its cloud's limit, else others' measurement of a machine of its size. */
export function publishedRate(
  way: Way,
  need: Pick<Sizing, "size"> | null,
): { bitsPerSecond: number; by: string | null } | null {
  const { cloud, out, kind } = way;
  const limit = out === null ? null : (limitsOf(cloud, out, kind)?.bitsPerSecond ?? null);
  return limit !== null
    ? { bitsPerSecond: limit, by: null }
    : out === "nat-instance"
      ? (machineOf(way, need)?.published ?? null)
      : null;
}

/** The measured or requested machine, else the sized one. */
function machineOf({ machine, machines }: Way, need: Pick<Sizing, "size"> | null): NatMachine | null {
  return machine ?? machines.find(({ size }) => size === need?.size) ?? null;
}

/** Rate of a way out without a measurement: a managed service's published limit; without one it is unproved. */
export function unprovedRate(
  way: Way,
  published: ReturnType<typeof publishedRate>,
  rate: Found,
  needs: Needs,
): string[] {
  const { evidence } = way;
  if (rate === "connections") {
    return [
      `its measurement had too few connections: they carried ${formatBitRate(evidence?.bitsPerSecond ?? 0)}, close to its limit for so many (${formatBitRate(evidence?.connectionBitsPerSecond ?? 0)} each)`,
    ];
  }
  if (rate === "ends") {
    return [
      `client or server were at their own limit when it carried ${formatBitRate(evidence?.bitsPerSecond ?? 0)}`,
    ];
  }
  if (rate !== "unknown" || published?.by === null) {
    return [];
  }
  if (published !== null) {
    const { peakBitsPerSecond } = demandOf(needs);
    return peakBitsPerSecond <= published.bitsPerSecond
      ? []
      : [
          `${unmeasured(way)}, and others got ${formatBitRate(published.bitsPerSecond)} through its size (${published.by})`,
        ];
  }
  return [`${unmeasured(way)}, and no NAT rate of it is published`];
}

/**
 * Why a measured rate may not last a month: the machine's sustained rate is not known, or it has its full CPUs only part of
 * the time.
 */
export function unprovedMonth(way: Way, need: Sizing, rate: Found, needs: Needs): string[] {
  const machine = machineOf(way, need);
  const published = rate === "unknown" ? publishedRate(way, need) : null;
  const found =
    rate === "enough" ? (way.evidence?.bitsPerSecond ?? null) : (published?.bitsPerSecond ?? null);
  if (!isNatInstance(way.out) || machine === null || found === null) {
    return [];
  }
  const { busyBitsPerSecond } = demandOf(needs);
  if (machine.sustainedBitsPerSecond === null) {
    return [`what a ${machine.size} carries all month is not known, as its measurement took minutes`];
  }
  const held = found * machine.cpuShare;
  return busyBitsPerSecond <= held
    ? []
    : [
        `a ${machine.size} may use ${formatPercent(100 * machine.cpuShare)} of its CPUs all month, and carried ${formatBitRate(found)} with all of them for minutes: whether it sustains ${formatBitRate(busyBitsPerSecond)} is not known`,
      ];
}

/** New connections that were not measured, or that the measuring machines could not open. */
export function unprovedConnections({ out }: Way, wanted: number | null, connections: Found): string[] {
  if (connections === "ends") {
    return ["client and server could open no more connections a second"];
  }
  return connections === "unknown" && wanted !== null && isNatInstance(out)
    ? ["new connections a second were not measured"]
    : [];
}
