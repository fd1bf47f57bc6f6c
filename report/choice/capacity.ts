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
  /** Null: no limit is known, or gateways are counted by it. */
  readonly packets: { readonly aSecond: number; readonly grade: Grade } | null;
  /** Whether a probe found the new connections here. @default they are a bound */
  readonly connectionsProbed?: boolean;
  /** Publication. Null: the cloud, or a measurement. */
  readonly by: string | null;
}

/**
 * NAT rate of one vCPU, if nobody measured the size: the lowest published rate per vCPU that was held (aws-fck-nat-2024-12: t4g.nano,
 * 2 vCPUs, 1 Gbit/s of UDP for 300 s). azure-nat-2025-11 has four times as much for TCP.
 */
const NAT_BITS_PER_VCPU = 0.5e9;

/** Packets of one vCPU: azure-nat-2025-11 forwarded 250,000 datagrams of 64 B a second with 2 vCPUs. */
const NAT_PACKETS_PER_VCPU = 125_000;

/** Full packets of a rate that was shown, or by half the bound of the CPUs, whichever is more. */
function packetsOf(shownBitsPerSecond: number, grade: Grade, vcpus: number): Capacity["packets"] {
  const [shown, bound] = [shownBitsPerSecond / 8 / 1500, vcpus * NAT_PACKETS_PER_VCPU];
  return shown * requiredMargin.limit > bound
    ? { aSecond: shown, grade }
    : { aSecond: bound, grade: "limit" };
}

/** New connections of one vCPU: a short one is taken to cost 25 packets. */
const NAT_CONNECTIONS_PER_VCPU = NAT_PACKETS_PER_VCPU / 25;

const unknown: Capacity = {
  grade: "none",
  bitsPerSecond: 0,
  sustainedBitsPerSecond: null,
  newConnectionsPerSecond: null,
  packets: null,
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
    packets: packetsOf(published === null ? 0 : rate, "published", vcpus),
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
  const probed = evidence?.newConnectionsPerSecond ?? null;
  const connections = {
    newConnectionsPerSecond: probed ?? other.newConnectionsPerSecond,
    connectionsProbed: probed !== null,
    packets: rate === null || machine === null ? other.packets : packetsOf(rate, "measured", machine.vcpus),
  };
  if (
    rate === null ||
    (limitedBy(evidence) !== null && other.bitsPerSecond > rate && other.grade === "published")
  ) {
    return { ...other, ...connections };
  }
  const held = machine?.sustainedBitsPerSecond ?? null;
  const sustained = machine === null ? rate : held === null ? null : Math.min(held, rate * machine.cpuShare);
  return {
    grade: "measured",
    bitsPerSecond: rate,
    sustainedBitsPerSecond: sustained,
    ...connections,
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

const countNames = { connections: "new connections a second", packets: "packets a second" } as const;

/** `5,000 new connections a second`: what is known and what is needed. Null: the part is a rate of bits. */
export function countsOf(part: Margin["part"], capacity: Capacity, demand: Demand) {
  const of = {
    connections: [capacity.newConnectionsPerSecond, demand.newConnectionsPerSecond],
    packets: [capacity.packets?.aSecond, demand.packetsPerSecond],
  } as const;
  if (part === "minute" || part === "hour") {
    return null;
  }
  const [known, needed] = of[part].map((value) => formatCount(Math.round(value ?? 0)));
  return { known: `${known} ${countNames[part]}`, needed: `${needed} ${countNames[part]}` };
}

/** How many times one part of the need a capacity is, and the grade of what is known of that part. */
interface Margin {
  readonly part: "minute" | "hour" | keyof typeof countNames;
  readonly grade: Grade;
  readonly times: number;
}

function marginsOf(capacity: Capacity, demand: Demand): readonly [Margin, ...Margin[]] {
  const { grade, bitsPerSecond, sustainedBitsPerSecond: sustained } = capacity;
  const over = (has: number, need: number) => (need === 0 ? Number.POSITIVE_INFINITY : has / need);
  const opened = capacity.newConnectionsPerSecond ?? Number.POSITIVE_INFINITY;
  return [
    { part: "minute", grade, times: over(bitsPerSecond, demand.peakBitsPerSecond) },
    // Unless measured at the size, what it sustains is its cloud's limit, whatever its rate for minutes rests on.
    {
      part: "hour",
      grade: grade === "published" ? "limit" : grade,
      times: sustained === null ? 0 : over(sustained, demand.busyBitsPerSecond),
    },
    {
      part: "connections",
      grade: capacity.connectionsProbed === true ? "measured" : "limit",
      times: over(opened, demand.newConnectionsPerSecond ?? 0),
    },
    {
      part: "packets",
      grade: capacity.packets?.grade ?? "limit",
      times: over(capacity.packets?.aSecond ?? Number.POSITIVE_INFINITY, demand.packetsPerSecond ?? 0),
    },
  ];
}

/** The part of the need that is nearest to what its grade asks for. */
export function marginOf(capacity: Capacity, demand: Demand): Margin {
  const spare = ({ times, grade }: Margin) => times / requiredMargin[grade];
  const [minute, ...others] = marginsOf(capacity, demand);
  return capacity.grade === "none"
    ? { ...minute, times: 0 }
    : others.reduce((least, one) => (spare(one) < spare(least) ? one : least), minute);
}

/** Whether the evidence is enough for the need without a test. */
export function isEnough(capacity: Capacity, demand: Demand): boolean {
  const { times, grade } = marginOf(capacity, demand);
  return times >= requiredMargin[grade];
}

/** Whether it carries the need if all that is known of it is true. */
export function mayCarry(capacity: Capacity, demand: Demand): boolean {
  return marginsOf(capacity, demand).every(({ times }) => times >= 1);
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
  if (capacity.grade === "none") {
    return "nothing is known of what it carries";
  }
  if (capacity.sustainedBitsPerSecond === null) {
    return `${capacityWords(capacity)}, for minutes: what it carries all month is not known`;
  }
  const { part, grade: known } = marginOf(capacity, demand);
  const least = requiredMargin[known];
  const times = least === 1 ? "" : `; without a test it should be ${least} times that`;
  const counts = countsOf(part, capacity, demand);
  if (counts !== null) {
    return `about ${counts.known} by its CPUs, and ${counts.needed} are needed${times}`;
  }
  const need = part === "minute" ? demand.peakBitsPerSecond : demand.busyBitsPerSecond;
  return `${capacityWords(capacity)}, and ${formatBitRate(need)} are needed${times}`;
}
