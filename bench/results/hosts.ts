/** Facts that hosts report about themselves, and samples taken on them while a case runs. */
import { z } from "zod";
import { added, finite, object, orNull, textOrNull, wholeOrNull } from "../schema.ts";

/** A host's role in a benchmark; `router` forwards on private paths, `jump` is the way for SSH only. */
export const roleSchema = z.enum(["client", "server", "nat", "router", "jump"]);
/** A host's role in a benchmark. */
export type Role = z.infer<typeof roleSchema>;

/** The data plane of a NAT instance. */
export const dataPlaneSchema = z.enum(["iptables", "nftables", "flowtable"]);
/** Data plane of a NAT instance. */
export type DataPlane = z.infer<typeof dataPlaneSchema>;

export const networkUsageSchema = object(
  "networkUsage",
  "Network counters of one host while a case ran. Each packet counts once: loopback is left out, and of " +
    "interfaces stacked upon each other one is.",
  {
    interfaces: z
      .array(
        z.object({
          name: z.string().describe("Name, as the kernel has it."),
          receivedPackets: finite.describe("Counted by the kernel during the case, as all below."),
          sentPackets: finite.describe("Packets sent."),
          receivedBytes: finite.describe("Bytes received, headers included."),
          sentBytes: finite.describe("Bytes sent, headers included."),
          receiveDrops: finite.describe("Packets received and dropped."),
          sendDrops: finite.describe("Packets dropped instead of sent."),
          restarted: z
            .literal(true)
            .optional()
            .describe("True where the interface was made again during the case, which restarts its counts."),
        }),
      )
      .describe("The host's network interfaces."),
    tcpRetransmits: orNull.describe("TCP segments sent again on the host's own connections."),
    udp: added(
      z.object({
        receiveBufferErrors: finite.describe("Datagrams that a full socket dropped."),
        sendBufferErrors: finite.describe("Datagrams that could not be queued."),
        sentDatagrams: finite
          .optional()
          .describe("Datagrams that the host's programs sent. Absent: not counted."),
        arrivedDatagrams: finite
          .optional()
          .describe("Datagrams that reached the host, read or not. Absent: not counted."),
        ofTestPorts: z
          .boolean()
          .optional()
          .describe(
            "Whether these are those of the test's ports alone. False: other programs' too, as without root. Absent: other programs' too.",
          ),
      }),
    ).describe("Datagrams that found no room in a socket of the host. Null: not counted."),
    softnetDrops: added(finite).describe(
      "Packets that the queue of a CPU had no room for, on the whole machine. Null: not counted.",
    ),
    conntrack: z
      .object({
        peak: finite.describe("Most connections tracked at once."),
        limit: orNull.describe("Most that the kernel would track."),
        failures: finite.describe("Flows that could not be allocated: no free port, or the table full."),
      })
      .nullable()
      .describe("Connection tracking. Null: the host tracks no connections."),
    series: z
      .array(
        z.object({
          at: z.string().describe("When the interval ended."),
          receivedBitsPerSecond: finite.describe("Received, headers included."),
          sentBitsPerSecond: finite.describe("Sent, headers included."),
          receivedPacketsPerSecond: finite.describe("Packets received."),
          sentPacketsPerSecond: finite.describe("Packets sent."),
          drops: finite.describe("Packets dropped."),
          conntrack: orNull.describe("Connections tracked. Null, the host tracks none."),
          tcpRetransmits: orNull.describe("Segments sent again. Null, not counted."),
          // The others are absent where they are in no second of the case anything but 0, or not known.
          receiveBufferErrors: orNull.optional().describe("Datagrams that came and found a socket full."),
          sendBufferErrors: orNull
            .optional()
            .describe("Datagrams that were to be sent and found a queue full."),
          softnetDrops: orNull.optional().describe("Sum over all CPUs."),
          arrivedDatagrams: orNull
            .optional()
            .describe("Datagrams that reached the host, read or not. Absent: never over 50 in an interval."),
          queueDrops: orNull.optional().describe("Drops of the interfaces' queues (qdisc)."),
          queueBacklogBytes: orNull.optional().describe("Largest backlog of the interfaces' queues (qdisc)."),
          tcpRttUs: orNull
            .optional()
            .describe(
              "Smoothed round trip, mean of the test's connections that carry data, as this end has it.",
            ),
          tcpCwndSegments: orNull.optional().describe("Congestion window, mean of the same connections."),
        }),
      )
      .describe("One entry per second."),
  },
);
/** Network counters of one host while a case ran. */
export type NetworkUsage = z.infer<typeof networkUsageSchema>;

const cpuTimeSchema = object("cpuTime", "CPU time of a host since it booted.", {
  uptimeSeconds: finite.describe("Seconds since the machine's boot."),
  busySeconds: finite.describe("CPU seconds of all processors since the boot."),
  interrupts: finite.optional().describe("Interrupts of all kinds and CPUs. Absent: not reported."),
});

export const burstStateSchema = object("burstState", "How a machine that bursts stood.", {
  cpuCreditsAtStart: orNull.describe(
    "CPU credits at the case's start and end; one is a CPU at work for a minute. Below 0 they are borrowed. " +
      "Null: the machine has none, did not tell its CPU time, or has been up for so long that its bucket may " +
      "have overflowed.",
  ),
  cpuCreditsAtEnd: orNull.describe("CPU credits left, computed. Null, not known."),
  networkBaselinePercent: orNull.describe(
    "Traffic of the busier direction, in percent of the rate that the machine holds. Null: that is not known.",
  ),
});
/** How a machine that bursts stood while a case ran. */
export type BurstState = z.infer<typeof burstStateSchema>;

export const hostUsageSchema = object("hostUsage", "One host's CPU and network while a case ran.", {
  host: z.string().describe("Name of the host within the stack."),
  role: roleSchema.describe("What the host is for."),
  cpu: z
    .object({
      busyPercent: orNull.describe("Time that was not idle."),
      userPercent: orNull.describe("Time of programs."),
      systemPercent: orNull.describe("Time of the kernel, interrupts apart."),
      softirqPercent: orNull.describe("Time of software interrupts, where most of networking is done."),
      stealPercent: orNull.describe(
        "Time that the hypervisor gave to others, or withheld because credits ran out.",
      ),
      series: z
        .array(
          z.object({
            at: z.string().describe("When the interval ended."),
            busyPercent: orNull.describe("The same in this second."),
            softirqPercent: orNull.describe("The same in this second."),
            stealPercent: orNull.optional().describe("The same in this second. Absent in older documents."),
          }),
        )
        .describe("One entry per second."),
      perCpu: z
        .array(
          z.object({
            cpu: z.int().describe("Number of the CPU, from 0."),
            busyPercent: finite.describe("Use of this CPU in its median second."),
            softirqPercent: finite.describe("Use by software interrupts in the same second."),
          }),
        )
        .optional()
        .describe("The median second of each CPU. Absent: not sampled."),
    })
    .nullable()
    .describe("Use of all processors together. Null, it was not sampled."),
  network: added(networkUsageSchema).describe(
    "Counters of the host's interfaces. Null, they were not sampled.",
  ),
  problem: textOrNull.describe("Why `cpu` is null."),
  allowances: z
    .record(z.string(), finite)
    .optional()
    .describe(
      "Packets that AWS queued or dropped during the case, by the allowance of the instance that was used up, " +
        "such as `bw_out_allowance_exceeded`. Absent: the host has no such counters.",
    ),
  cpuTime: z
    .object({
      start: cpuTimeSchema.describe("CPU time at the beginning of the case."),
      end: cpuTimeSchema.describe("CPU time at its end."),
    })
    .optional()
    .describe("CPU time when sampling started and ended. Absent: the host did not tell."),
  memory: z
    .object({
      usedBytesAtStart: finite.describe("Bytes used in the first second."),
      usedBytesAtEnd: finite.describe("Bytes used in the last second."),
      peakUsedBytes: finite.describe("Bytes used in the busiest second."),
    })
    .optional()
    .describe("Memory in use. Absent: not sampled."),
  burst: burstStateSchema
    .optional()
    .describe("Credits that were left. Absent: the machine holds its peak, or that is not known."),
});
/** One host's activity while a case ran. */
export type HostUsage = z.infer<typeof hostUsageSchema>;

export const burstSchema = object("burst", "Burst and sustained limits of a machine.", {
  cpu: z
    .object({
      creditsPerHour: finite.describe("CPU credits that the size earns."),
      maximumCredits: finite.describe("The most credits that are kept."),
      initialCredits: finite.describe("Credits that a machine boots with."),
      mode: z
        .enum(["standard", "unlimited"])
        .nullable()
        .describe("Without credits: `standard` is slowed down, `unlimited` is billed. Null: not known."),
    })
    .nullable()
    .describe("CPU credits. Null: the machine has none."),
  network: z
    .object({
      baselineBitsPerSecond: finite.describe("Rate that the size holds for good."),
      peakBitsPerSecond: finite.describe("Rate that the size reaches on credits."),
    })
    .nullable()
    .describe("Network rates. Null: not known, or the machine holds its peak."),
});
/** Burst and sustained limits of a machine. */
export type Burst = z.infer<typeof burstSchema>;

export const hostFactsSchema = object("hostFacts", "Facts of a host. Null: unknown.", {
  host: z.string().describe("Name of the host within the stack."),
  role: roleSchema.describe("What the host is for."),
  kernel: textOrNull.describe("Release of the running kernel."),
  size: added(z.string()).describe("Machine size, as the cloud names it."),
  region: added(z.string()).describe("The cloud's region."),
  zone: added(z.string()).describe("The availability zone."),
  os: textOrNull.describe("Name and version of the operating system."),
  architecture: textOrNull.describe("Processor architecture, as the kernel names it."),
  cpus: wholeOrNull.describe("Logical processors that are online."),
  memoryBytes: orNull.describe("Memory of the machine."),
  congestionControl: textOrNull.describe("TCP congestion control of new connections."),
  interfaces: z
    .array(
      z.object({
        name: z.string().describe("Name, as the kernel has it."),
        mtu: wholeOrNull.describe("Largest packet, in bytes."),
        driver: textOrNull.describe("Driver, as `ethtool -i` names it."),
        qdisc: textOrNull.describe("Queueing discipline."),
        offloads: z
          .record(z.string(), z.boolean())
          .default({})
          .describe("Offloads that move throughput, as `ethtool -k` names them."),
      }),
    )
    .describe("Interfaces with MTU, driver and qdisc."),
  sysctls: z.record(z.string(), z.string()).describe("Kernel settings that move throughput, by their names."),
  tools: z.record(z.string(), z.string()).describe("Version of each tool on the host, by its name."),
  burst: added(burstSchema).describe("What bursts. Null: nothing is known to run out."),
  tuning: z
    .string()
    .default("none")
    .describe("Profile of kernel settings that the host was given for the run."),
  dataPlane: added(dataPlaneSchema).describe(
    "The data plane in force on a NAT instance, whatever was asked for. Null: not a NAT instance of ours, or unknown.",
  ),
  placement: added(
    z.object({
      zone: textOrNull.describe("Availability zone; chosen by the cloud unless the stack sets one."),
      zoneId: textOrNull.describe("AWS's name of the zone that is the same in all accounts."),
      group: textOrNull.describe("Placement group: AWS's, or an Azure scale set's."),
      faultDomain: textOrNull.describe("Azure's fault domain, or the partition of an AWS placement group."),
    }),
  ).describe(
    "Where the machine is, as its cloud's instance metadata service says. Null: in no cloud, or it does not say.",
  ),
  notes: z
    .array(z.string())
    .describe('Features that the host lacks, e.g. "no nftables flowtable in this kernel".'),
});
/** Facts of a host. */
export type HostFacts = z.infer<typeof hostFactsSchema>;
