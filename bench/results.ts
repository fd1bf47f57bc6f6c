/**
 * The results document: what `pulumi stack output results` and `out/results.json` hold.
 *
 * Units are in the field names. `null` means "not measured", never 0. The document is versioned:
 * fields may be added within a version, a renamed or removed field needs a new one.
 *
 * @module
 */
import { z } from "zod";

/** Version of the results document written by this package. */
export const RESULTS_SCHEMA_VERSION = 1;

const finite = z.number();
const orNull = finite.nullable();
const timestamp = z.iso.datetime();

/** Round-trip or connection set-up times in microseconds. */
export const latencySchema = z.object({
  /** What one sample is: a message and its answer, or a whole new TCP connection. */
  kind: z.enum(["round-trip", "connect"]),
  samples: orNull,
  mean: orNull,
  min: orNull,
  max: orNull,
  stddev: orNull,
  p50: orNull,
  p90: orNull,
  p99: orNull,
  p999: orNull,
});
export type Latency = z.infer<typeof latencySchema>;

/** One second (or so) of a case, as the receiving end saw it where the tool tells. */
export const intervalSchema = z.object({
  startSeconds: finite,
  endSeconds: finite,
  bitsPerSecond: orNull,
  retransmits: orNull,
  lostPackets: orNull,
  packets: orNull,
});

/** End figures of one stream of a case. */
export const streamSchema = z.object({
  bitsPerSecond: orNull,
  bytes: orNull,
  retransmits: orNull,
  lostPackets: orNull,
  packets: orNull,
  jitterMs: orNull,
});

/** What a case measured. Throughput and loss are the receiver's figures. */
export const measurementSchema = z.object({
  bitsPerSecond: orNull,
  sentBitsPerSecond: orNull,
  bytes: orNull,
  durationSeconds: orNull,
  packetsPerSecond: orNull,
  packets: orNull,
  lostPackets: orNull,
  lostPercent: orNull,
  outOfOrderPackets: orNull,
  jitterMs: orNull,
  retransmits: orNull,
  /** Mean of the sender's smoothed RTT over its streams; null where the server sends, and in documents before it was recorded. */
  tcpRttUs: orNull.default(null),
  latencyUs: latencySchema.nullable(),
  /** Connections the connect probe opened. */
  connections: z.object({ attempted: finite, failed: finite, perSecond: orNull }).nullable(),
  streams: z.array(streamSchema),
  series: z.array(intervalSchema),
});
export type Measurement = z.infer<typeof measurementSchema>;

/** Why a case has no measurement. */
export const failureClassSchema = z.enum([
  "tool-error",
  "tool-missing",
  "timeout",
  "server-busy",
  "no-route",
  "path-mismatch",
  "bad-output",
  "host-lost",
  "not-run",
]);
export type FailureClass = z.infer<typeof failureClassSchema>;

export const failureSchema = z.object({
  class: failureClassSchema,
  message: z.string(),
  stderrTail: z.string(),
});
export type Failure = z.infer<typeof failureSchema>;

export const roleSchema = z.enum(["client", "server", "nat", "router", "jump"]);
export type Role = z.infer<typeof roleSchema>;

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
      series: z.array(z.object({ at: z.string(), busyPercent: orNull, softirqPercent: orNull })),
    })
    .nullable(),
  /** Why `cpu` is null. */
  problem: z.string().nullable(),
  /**
   * Packets that AWS queued or dropped during the case, by the allowance of the instance that was used up, such as
   * `bw_out_allowance_exceeded`. Absent: the host has no such counters.
   */
  allowances: z.record(z.string(), z.number()).optional(),
});
export type HostUsage = z.infer<typeof hostUsageSchema>;

/** One start of the tool; more than one where the server was busy. */
export const attemptSchema = z.object({
  startedAt: timestamp,
  finishedAt: timestamp,
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
});
export type Attempt = z.infer<typeof attemptSchema>;

export const caseResultSchema = z.object({
  /** Stable, readable id of the case within its plan, e.g. `udp-egress-64B`. */
  id: z.string(),
  /** Name of the topology entry of the stack that was measured. */
  topology: z.string(),
  tool: z.string(),
  toolVersion: z.string().nullable(),
  /** The exact command line that ran on the client. */
  command: z.string(),
  status: z.enum(["ok", "failed"]),
  failure: failureSchema.nullable(),
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  attempts: z.array(attemptSchema),
  measurement: measurementSchema.nullable(),
  /** Source address the server saw just before this case, the proof of its path. */
  sourceIp: z.string().nullable(),
  hosts: z.array(hostUsageSchema),
  /** Where the unreduced tool output stays on the client. */
  rawFile: z.string().nullable(),
});
export type CaseResult = z.infer<typeof caseResultSchema>;

export const hostFactsSchema = z.object({
  host: z.string(),
  role: roleSchema,
  kernel: z.string().nullable(),
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
    }),
  ),
  sysctls: z.record(z.string(), z.string()),
  tools: z.record(z.string(), z.string()),
  /** What a host could not provide and does without, e.g. "no nftables flowtable in this kernel". */
  notes: z.array(z.string()),
});
export type HostFacts = z.infer<typeof hostFactsSchema>;

export const topologyResultSchema = z.object({
  /** Unique within the stack. */
  name: z.string(),
  /** Kind of topology, a name of the registry. */
  topology: z.string(),
  /** Addresses the server had to see. Empty: not known beforehand. */
  expectedSourceIps: z.array(z.string()),
  path: z.object({
    status: z.enum(["proved", "mismatch", "unknown"]),
    sourceIps: z.array(z.string()),
    message: z.string().nullable(),
  }),
  hosts: z.array(hostFactsSchema),
});
export type TopologyResult = z.infer<typeof topologyResultSchema>;

export const resultsSchema = z.object({
  schemaVersion: z.literal(RESULTS_SCHEMA_VERSION),
  stack: z.string(),
  cloud: z.enum(["azure", "aws", "local"]),
  runId: z.string(),
  egressBenchVersion: z.string(),
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  plan: z.object({
    name: z.string(),
    order: z.enum(["interleaved", "sequential"]),
    cases: z.array(z.unknown()),
  }),
  server: hostFactsSchema.nullable(),
  topologies: z.array(topologyResultSchema),
  cases: z.array(caseResultSchema),
  /** What a reader must know before comparing figures, e.g. that all hosts share one machine's CPUs. */
  notes: z.array(z.string()),
});
export type Results = z.infer<typeof resultsSchema>;
