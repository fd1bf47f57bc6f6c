/**
 * What hosts told about themselves, and what was sampled on them while a case ran.
 *
 * @module
 */
import { z } from "zod";

const finite = z.number();
const orNull = finite.nullable();

export const roleSchema = z.enum(["client", "server", "nat", "router", "jump"]);
export type Role = z.infer<typeof roleSchema>;

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
    }),
  ),
  /** Of the host's own connections. */
  tcpRetransmits: orNull,
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
    }),
  ),
});
export type NetworkUsage = z.infer<typeof networkUsageSchema>;

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
});
export type HostUsage = z.infer<typeof hostUsageSchema>;
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
  /** Profile of kernel settings that the host was given for the run. */
  tuning: z.string().default("none"),
  /** What a host could not provide and does without, e.g. "no nftables flowtable in this kernel". */
  notes: z.array(z.string()),
});
export type HostFacts = z.infer<typeof hostFactsSchema>;
