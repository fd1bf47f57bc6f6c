/**
 * What a way out carries, and what that rests on. A need far below a bound needs no test; a need near it does: the grade of the
 * evidence says how far.
 */
import { formatBitRate, formatCount } from "../../bench/plan/quantities.ts";
import { isNatInstance, limitsOf } from "../../bench/topologies/limits.ts";
import type { Demand, NatMachine, Sizing } from "./demand.ts";
import type { Evidence } from "./evidence.ts";
import type { Way } from "./way.ts";

/** `measured`: here, at this size. `published`: by others, or as the service's rate. `limit`: the cloud's limits of the size. */
export type Grade = "measured" | "published" | "limit" | "none";

/** Times the need that a capacity of each grade must have, so that no test is needed. */
export const requiredMargin: Readonly<Record<Grade, number>> = {
  measured: 1,
  published: 1,
  limit: 2,
  none: Number.POSITIVE_INFINITY,
};

/** A capacity of both directions together. */
export interface Capacity {
  readonly grade: Grade;
  /** For minutes. 0: nothing is known. */
  readonly bitsPerSecond: number;
  /** All month. Null: not known. */
  readonly sustainedBitsPerSecond: number | null;
  /** New connections. Null: no limit is known. */
  readonly newConnectionsPerSecond: number | null;
  /** Publication. Null: the cloud, or a measurement. */
  readonly by: string | null;
}

/**
 * NAT rate of one vCPU, if nobody measured the size: the lowest published rate per vCPU that was held (aws-fck-nat-2024-12: t4g.nano,
 * 2 vCPUs, 1 Gbit/s of UDP for 300 s). azure-nat-2025-11 has four times as much for TCP.
 */
const NAT_BITS_PER_VCPU = 0.5e9;

/**
 * New connections of one vCPU: azure-nat-2025-11 forwarded 250,000 datagrams of 64 B a second with 2 vCPUs, and a short connection
 * is taken to cost 25 of them.
 */
const NAT_CONNECTIONS_PER_VCPU = 5_000;

const unknown: Capacity = {
  grade: "none",
  bitsPerSecond: 0,
  sustainedBitsPerSecond: null,
  newConnectionsPerSecond: null,
  by: null,
};

/** Capacity of a NAT machine that was not measured here. */
export function machineCapacity(machine: NatMachine): Capacity {
  const { vcpus, cpuShare, published, peakBitsPerSecond: peak, sustainedBitsPerSecond: held } = machine;
  if (published === null && peak === null) {
    return unknown;
  }
  const rate = published?.bitsPerSecond ?? Math.min(peak ?? 0, vcpus * NAT_BITS_PER_VCPU);
  return {
    grade: published === null ? "limit" : "published",
    bitsPerSecond: rate,
    sustainedBitsPerSecond: held === null ? null : Math.min(held, rate * cpuShare),
    newConnectionsPerSecond: vcpus * NAT_CONNECTIONS_PER_VCPU,
    by: published?.by ?? null,
  };
}

/** The limit of a measured rate, if it was not the way out. */
export function limitedBy(evidence: Evidence | null): "ends" | "connections" | null {
  return evidence?.limitedByEnds ? "ends" : evidence?.limitedByConnections ? "connections" : null;
}

/** Capacity of a way out of this size and number, by the best evidence. A rate that the ends limited counts as at least that. */
export function capacityOf(way: Way, need: Pick<Sizing, "size" | "gateways">): Capacity {
  const { cloud, out, kind, evidence } = way;
  const machine = machineOf(way, need);
  const other = isNatInstance(out)
    ? machine === null
      ? unknown
      : machineCapacity(machine)
    : serviceCapacity(
        out === null ? null : (limitsOf(cloud, out, kind)?.bitsPerSecond ?? null),
        need.gateways,
      );
  const rate = evidence?.bitsPerSecond ?? null;
  const newConnectionsPerSecond = evidence?.newConnectionsPerSecond ?? other.newConnectionsPerSecond;
  if (
    rate === null ||
    (limitedBy(evidence) !== null && other.bitsPerSecond > rate && other.grade === "published")
  ) {
    return { ...other, newConnectionsPerSecond };
  }
  const held = machine?.sustainedBitsPerSecond ?? null;
  const sustained = machine === null ? rate : held === null ? null : Math.min(held, rate * machine.cpuShare);
  return {
    grade: "measured",
    bitsPerSecond: rate,
    sustainedBitsPerSecond: sustained,
    newConnectionsPerSecond,
    by: null,
  };
}

function serviceCapacity(each: number | null, gateways: number): Capacity {
  const all = (each ?? 0) * gateways;
  return each === null
    ? unknown
    : {
        ...unknown,
        grade: "published",
        bitsPerSecond: all,
        sustainedBitsPerSecond: Number.POSITIVE_INFINITY,
      };
}

/** The measured or requested machine, else the sized one. */
export function machineOf(
  { out, machine, machines }: Way,
  { size }: Pick<Sizing, "size">,
): NatMachine | null {
  return isNatInstance(out) ? (machine ?? machines.find((one) => one.size === size) ?? null) : null;
}

/** How many times the need a capacity is: the smallest of busiest minute, busiest hour and new connections. */
export function marginOf(capacity: Capacity, demand: Demand): number {
  const {
    grade,
    bitsPerSecond,
    sustainedBitsPerSecond: sustained,
    newConnectionsPerSecond: opened,
  } = capacity;
  const wanted = demand.newConnectionsPerSecond ?? 0;
  const over = (has: number, need: number) => (need === 0 ? Number.POSITIVE_INFINITY : has / need);
  return grade === "none"
    ? 0
    : Math.min(
        over(bitsPerSecond, demand.peakBitsPerSecond),
        // Unless measured at the size, what it sustains is its cloud's limit, whatever its rate for minutes rests on.
        sustained === null
          ? 0
          : over(sustained, demand.busyBitsPerSecond) / (grade === "published" ? requiredMargin.limit : 1),
        opened === null ? Number.POSITIVE_INFINITY : over(opened, wanted),
      );
}

/** Whether the evidence is enough for the need without a test. */
export function isEnough(capacity: Capacity, demand: Demand): boolean {
  return marginOf(capacity, demand) >= requiredMargin[capacity.grade];
}

/** The highest peak that the evidence is enough for. */
export function mostPeak({ grade, bitsPerSecond }: Capacity): number {
  return grade === "none" ? 0 : bitsPerSecond / requiredMargin[grade];
}

/** `1.00 Gbit/s published (aws-fck-nat-2024-12), sustains 32.0 Mbit/s`; a headline has no room for the publication. */
export function capacityWords(
  { grade, bitsPerSecond, sustainedBitsPerSecond: held, by }: Capacity,
  place: "sentence" | "headline" = "sentence",
): string {
  const rate = formatBitRate(bitsPerSecond);
  const isShort = place === "headline";
  const words = {
    measured: `${rate} measured`,
    published: `${rate} published${by === null || isShort ? "" : ` (${by})`}`,
    limit: isShort ? `limit ${rate}` : `${rate} by its size's limits`,
    none: "nothing known",
  }[grade];
  return held === null || held >= bitsPerSecond ? words : `${words}, sustains ${formatBitRate(held)}`;
}

/** Why the evidence is too weak for the need, in one clause. */
export function shortWords(capacity: Capacity, demand: Demand): string {
  const { grade, newConnectionsPerSecond: opened } = capacity;
  const wanted = demand.newConnectionsPerSecond ?? 0;
  if (grade === "none") {
    return "nothing is known of what it carries";
  }
  if (capacity.sustainedBitsPerSecond === null) {
    return `${capacityWords(capacity)}, for minutes: what it carries all month is not known`;
  }
  const least = requiredMargin[grade];
  if (opened !== null && opened < wanted * least) {
    return `about ${formatCount(opened)} new connections a second by its CPUs, and ${formatCount(wanted)} are needed`;
  }
  const need =
    capacity.bitsPerSecond < demand.peakBitsPerSecond * least
      ? demand.peakBitsPerSecond
      : demand.busyBitsPerSecond;
  const times = least === 1 ? "" : `; without a test it should be ${least} times that`;
  return `${capacityWords(capacity)}, and ${formatBitRate(need)} are needed${times}`;
}
