/**
 * Facts that hosts report about themselves, and samples taken on them while a case runs.
 *
 * @module
 */
import { z } from "zod";

const finite = z.number();
const orNull = finite.nullable();

/** A host's role in a benchmark; `router` forwards on private paths, `jump` is the way for SSH only. */
export const roleSchema = z.enum(["client", "server", "nat", "router", "jump"]);
/** A host's role in a benchmark. */
export type Role = z.infer<typeof roleSchema>;

/** The data plane of a NAT instance. */
export const dataPlaneSchema = z.enum(["iptables", "nftables", "flowtable"]);
/** Data plane of a NAT instance. */
export type DataPlane = z.infer<typeof dataPlaneSchema>;

/**
 * Network counters of one host while a case ran. Each packet counts once: loopback is left out, and of interfaces
 * stacked upon each other one is.
 */
export const networkUsageSchema = z.object({
  interfaces: z.array(
    z.object({
      name: z.string(),
      receivedPackets: finite,
      sentPackets: finite,
      receivedBytes: finite,
      sentBytes: finite,
      receiveDrops: finite,
      sendDrops: finite,
      /** The interface was made again during the case: its counts are those since then. Absent: it was not. */
      restarted: z.literal(true).optional(),
    }),
  ),
  /** TCP segments sent again on the host's own connections. */
  tcpRetransmits: orNull,
  /** Datagrams that found no room in a socket of the host. Null: not counted. */
  udp: z
    .object({
      receiveBufferErrors: finite,
      sendBufferErrors: finite,
      /** That the host's programs sent, all of them. Absent: not counted. */
      sentDatagrams: finite.optional(),
      /** That came as far as the host, whether a program read them or not. Absent: not counted. */
      arrivedDatagrams: finite.optional(),
    })
    .nullable()
    .default(null),
  /** Packets that the queue of a CPU had no room for; of the whole machine. Null: not counted. */
  softnetDrops: orNull.default(null),
  /** Null: the host tracks no connections. */
  conntrack: z
    .object({
      peak: finite,
      limit: orNull,
      /** Flows that could not be allocated: no free port, or the table full. */
      failures: finite,
    })
    .nullable(),
  /** One entry a second. */
  series: z.array(
    z.object({
      at: z.string(),
      receivedBitsPerSecond: finite,
      sentBitsPerSecond: finite,
      receivedPacketsPerSecond: finite,
      sentPacketsPerSecond: finite,
      drops: finite,
      conntrack: orNull,
      tcpRetransmits: orNull,
      // The others are absent where they are in no second of the case anything but 0, or not known.
      /** Datagrams that came and found a socket full. */
      receiveBufferErrors: orNull.optional(),
      /** Datagrams that were to be sent and found a queue full. */
      sendBufferErrors: orNull.optional(),
      /** Sum over all CPUs. */
      softnetDrops: orNull.optional(),
      /** Drops of the interfaces' queues (qdisc). */
      queueDrops: orNull.optional(),
      /** Largest backlog of the interfaces' queues (qdisc). */
      queueBacklogBytes: orNull.optional(),
      /** Smoothed round trip, mean of the test's connections that carry data, as this end has it. */
      tcpRttUs: orNull.optional(),
      /** Congestion window, mean of the same connections. */
      tcpCwndSegments: orNull.optional(),
    }),
  ),
});
/** Network counters of one host while a case ran. */
export type NetworkUsage = z.infer<typeof networkUsageSchema>;

/** Since the host booted: seconds, and what all its CPUs together have worked in them. */
const cpuTimeSchema = z.object({
  uptimeSeconds: finite,
  busySeconds: finite,
  /** Interrupts of all kinds and CPUs. Absent: not reported. */
  interrupts: finite.optional(),
});

/** How a machine that bursts stood, see {@link burstSchema}. Computed, as no cloud publishes it for so short a time. */
export const burstStateSchema = z.object({
  /**
   * CPU credits at the case's start and end; one is a CPU at work for a minute. Below 0 they are borrowed. Null: the
   * machine has none, did not tell its CPU time, or has been up for so long that its bucket may have overflowed.
   */
  cpuCreditsAtStart: orNull,
  cpuCreditsAtEnd: orNull,
  /** Traffic of the busier direction, in percent of the rate that the machine holds. Null: that is not known. */
  networkBaselinePercent: orNull,
});
/** How a machine that bursts stood while a case ran. */
export type BurstState = z.infer<typeof burstStateSchema>;

/** CPU of one host while a case ran, in percent of all its CPUs; one entry of `series` a second. */
export const hostUsageSchema = z.object({
  host: z.string(),
  role: roleSchema,
  cpu: z
    .object({
      busyPercent: orNull,
      userPercent: orNull,
      systemPercent: orNull,
      softirqPercent: orNull,
      stealPercent: orNull,
      series: z.array(
        z.object({
          at: z.string(),
          busyPercent: orNull,
          softirqPercent: orNull,
          /** Absent in documents before it was recorded. */
          stealPercent: orNull.optional(),
        }),
      ),
      /** The median second of each CPU. Absent: not sampled. */
      perCpu: z
        .array(
          z.object({
            /** Its number, from 0. */
            cpu: z.int(),
            /** Use of this CPU in its median second. */
            busyPercent: finite,
            /** In the same second. */
            softirqPercent: finite,
          }),
        )
        .optional(),
    })
    .nullable(),
  network: networkUsageSchema.nullable().default(null),
  /** Why `cpu` is null. */
  problem: z.string().nullable(),
  /**
   * Packets that AWS queued or dropped during the case, by the allowance of the instance that was used up, such as
   * `bw_out_allowance_exceeded`. Absent: the host has no such counters.
   */
  allowances: z.record(z.string(), z.number()).optional(),
  /** When sampling started and ended. Absent: the host did not tell. */
  cpuTime: z.object({ start: cpuTimeSchema, end: cpuTimeSchema }).optional(),
  /** Memory that programs could not have. Absent: not sampled. */
  memory: z
    .object({
      /** In the first second. */
      usedBytesAtStart: finite,
      /** In the last second. */
      usedBytesAtEnd: finite,
      /** In the second with most. */
      peakUsedBytes: finite,
    })
    .optional(),
  /** Absent: the machine holds what it can for as long as one likes, or that is not known. */
  burst: burstStateSchema.optional(),
});
/** One host's activity while a case ran. */
export type HostUsage = z.infer<typeof hostUsageSchema>;

/** Burst and sustained limits of a machine, as its cloud publishes them. */
export const burstSchema = z.object({
  /** Null: it has no CPU credits. */
  cpu: z
    .object({
      creditsPerHour: finite,
      /** More are not kept. */
      maximumCredits: finite,
      /** That a machine boots with. */
      initialCredits: finite,
      /** Without credits: `standard` is slowed down, `unlimited` is billed. Null: not known. */
      mode: z.enum(["standard", "unlimited"]).nullable(),
    })
    .nullable(),
  /** Null: not known, or it holds its peak. */
  network: z.object({ baselineBitsPerSecond: finite, peakBitsPerSecond: finite }).nullable(),
});
/** Burst and sustained limits of a machine. */
export type Burst = z.infer<typeof burstSchema>;

/** Facts of a host: machine, system, kernel settings, versions of its tools. Null: unknown. */
export const hostFactsSchema = z.object({
  host: z.string(),
  role: roleSchema,
  kernel: z.string().nullable(),
  /** Machine size, region and zone as the cloud names them. */
  size: z.string().nullable().default(null),
  region: z.string().nullable().default(null),
  zone: z.string().nullable().default(null),
  os: z.string().nullable(),
  architecture: z.string().nullable(),
  cpus: z.number().int().nullable(),
  memoryBytes: z.number().nullable(),
  congestionControl: z.string().nullable(),
  /** Interfaces with MTU, driver and qdisc. */
  interfaces: z.array(
    z.object({
      name: z.string(),
      mtu: z.number().int().nullable(),
      driver: z.string().nullable(),
      qdisc: z.string().nullable(),
      /** Those that move throughput, as `ethtool -k` names them. */
      offloads: z.record(z.string(), z.boolean()).default({}),
    }),
  ),
  sysctls: z.record(z.string(), z.string()),
  tools: z.record(z.string(), z.string()),
  /** Null: nothing is known to run out. */
  burst: burstSchema.nullable().default(null),
  /** Profile of kernel settings that the host was given for the run. */
  tuning: z.string().default("none"),
  /** The data plane in force on a NAT instance, whatever was asked for. Null: not a NAT instance of ours, or unknown. */
  dataPlane: dataPlaneSchema.nullable().default(null),
  /** Where the machine is, as its cloud's instance metadata service says. Null: in no cloud, or it does not say. */
  placement: z
    .object({
      /** Availability zone, chosen by the cloud where nobody asked for one. */
      zone: z.string().nullable(),
      /** AWS's name of the zone that is the same in all accounts. */
      zoneId: z.string().nullable(),
      /** Placement group: AWS's, or an Azure scale set's. */
      group: z.string().nullable(),
      /** Azure's fault domain, or the partition of an AWS placement group. */
      faultDomain: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** Features that the host lacks, e.g. "no nftables flowtable in this kernel". */
  notes: z.array(z.string()),
});
/** Facts of a host. */
export type HostFacts = z.infer<typeof hostFactsSchema>;
