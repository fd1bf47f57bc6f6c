/** Facts that hosts report about themselves, and samples taken on them while a case runs. */
import { z } from "zod";
import { finite, nullable, object, orAbsent, orNull, textOrNull, texts, wholeOrNull } from "../schema.ts";

/** A host's role in a benchmark; `router` forwards on private paths, `jump` serves SSH only. */
export const roleSchema = z.enum(["client", "server", "nat", "router", "jump"]);
/** A host's role in a benchmark. */
export type Role = z.infer<typeof roleSchema>;

export const dataPlaneSchema = z.enum(["iptables", "nftables", "flowtable"]);
/** Data plane of a NAT instance. */
export type DataPlane = z.infer<typeof dataPlaneSchema>;

export const networkUsageSchema = object(
  "networkUsage",
  "Network counters of one host while a case ran. Each packet is counted once: loopback is left out, and so is all but one of several stacked interfaces.",
  {
    interfaces: z
      .array(
        z.object({
          name: z.string().describe("Name in the kernel, such as `eth0`."),
          receivedPackets: finite.describe(
            "Packets received, counted by the kernel during the case like all counters below.",
          ),
          sentPackets: finite.describe("Packets sent."),
          receivedBytes: finite.describe("Bytes received, headers included."),
          sentBytes: finite.describe("Bytes sent, headers included."),
          receiveDrops: finite.describe("Packets received and dropped."),
          sendDrops: finite.describe("Packets dropped instead of sent."),
          restarted: z
            .literal(true)
            .optional()
            .describe("True if the interface was recreated during the case, which reset its counters."),
        }),
      )
      .describe("The host's network interfaces."),
    tcpRetransmits: orNull.describe("TCP segments that the host's own connections retransmitted."),
    udp: nullable(
      z.object({
        receiveBufferErrors: finite.describe(
          "Datagrams that reached a socket and found it, or the kernel's memory for UDP, full.",
        ),
        sendBufferErrors: finite.describe("Datagrams that could not be queued."),
        sentDatagrams: orAbsent.describe("Datagrams that the host's programs sent. Absent: not counted."),
        arrivedDatagrams: orAbsent.describe(
          "Datagrams that reached the host, read or not. Absent: not counted.",
        ),
        filteredDatagrams: orAbsent.describe(
          "Datagrams to the test's ports that came to a client or server and never to a socket: its firewall dropped them. Absent: not counted.",
        ),
        ofTestPorts: z
          .boolean()
          .optional()
          .describe(
            "Whether only the test's ports are counted. False or absent: other programs' datagrams are included, for example because the agent is not root.",
          ),
      }),
    ).describe("UDP datagrams of the host, and those that its sockets had no room for. Null: not counted."),
    softnetDrops: nullable(finite).describe(
      "Packets dropped because a CPU's backlog queue was full, on the whole machine. Null: not counted.",
    ),
    queueDrops: nullable(finite).describe(
      "Packets that the interfaces' queues (qdisc) dropped instead of sending. Null: not counted.",
    ),
    conntrack: z
      .object({
        peak: finite.describe("Most connections tracked at once."),
        limit: orNull.describe("Most connections that the kernel can track."),
        failures: finite.describe("Flows that could not be created: no free port, or a full table."),
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
          conntrack: orNull.describe("Connections tracked. Null: the host tracks none."),
          tcpRetransmits: orNull.describe("TCP segments retransmitted. Null: not counted."),
          // These are absent where they are 0 in every second of the case, or not known.
          receiveBufferErrors: orNull
            .optional()
            .describe("Datagrams dropped because the receiving socket was full."),
          sendBufferErrors: orNull.optional().describe("Datagrams not sent because a queue was full."),
          softnetDrops: orNull
            .optional()
            .describe("Packets dropped because a CPU's backlog queue was full, all CPUs together."),
          arrivedDatagrams: orNull
            .optional()
            .describe("Datagrams that reached the host, read or not. Absent: never over 50 in an interval."),
          queueDrops: orNull.optional().describe("Drops of the interfaces' queues (qdisc)."),
          queueBacklogBytes: orNull.optional().describe("Largest backlog of the interfaces' queues (qdisc)."),
          tcpRttUs: orNull
            .optional()
            .describe(
              "Smoothed round-trip time at this end, averaged over the test's connections that carry data.",
            ),
          tcpCwndSegments: orNull
            .optional()
            .describe("Congestion window, averaged over the same connections."),
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
  interrupts: orAbsent.describe("Interrupts of all kinds and CPUs. Absent: not reported."),
});

export const burstStateSchema = object("burstState", "Credits and baseline use of a machine that bursts.", {
  cpuCreditsAtStart: orNull.describe(
    "CPU credits at the start of the case, computed; one credit is one busy CPU for a minute. Below 0: borrowed. Null: the machine has no credits, did not report its CPU time, or has been up for so long that its credits may have reached their maximum.",
  ),
  cpuCreditsAtEnd: orNull.describe("CPU credits at the end of the case, computed. Null: not known."),
  networkBaselinePercent: orNull.describe(
    "Traffic of the busier direction, in percent of the rate that the machine can sustain. Null: that rate is not known.",
  ),
});
/** A burstable machine's credits while a case ran. */
export type BurstState = z.infer<typeof burstStateSchema>;

export const hostUsageSchema = object("hostUsage", "One host's CPU and network while a case ran.", {
  host: z.string().describe("Name of the host within the stack."),
  role: roleSchema.describe("Role of the host in the benchmark."),
  cpu: z
    .object({
      busyPercent: orNull.describe("Time that was not idle."),
      userPercent: orNull.describe("Time spent in programs."),
      systemPercent: orNull.describe("Time spent in the kernel, without interrupts."),
      softirqPercent: orNull.describe(
        "Time spent in software interrupts, where the kernel does most of its networking.",
      ),
      stealPercent: orNull.describe(
        "Time that the hypervisor gave to others, or withheld because credits ran out.",
      ),
      series: z
        .array(
          z.object({
            at: z.string().describe("When the interval ended."),
            busyPercent: orNull.describe("The same in this second."),
            softirqPercent: orNull.describe("The same in this second."),
            stealPercent: orNull.optional().describe("The same in this second."),
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
        .describe("Use of each CPU in its median second. Absent: not sampled."),
    })
    .nullable()
    .describe("Use of all processors together. Null: not sampled."),
  network: nullable(networkUsageSchema).describe("Network counters of the host. Null: not sampled."),
  problem: textOrNull.describe("Why `cpu` is null."),
  allowances: z
    .record(z.string(), finite)
    .optional()
    .describe(
      "Packets that AWS queued or dropped during the case because an allowance of the instance was used up, by counter, such as `bw_out_allowance_exceeded`. Absent: the host has no such counters.",
    ),
  cpuTime: z
    .object({
      start: cpuTimeSchema.describe("CPU time at the beginning of the case."),
      end: cpuTimeSchema.describe("CPU time at its end."),
    })
    .optional()
    .describe("CPU time when sampling started and ended. Absent: not reported."),
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
    .describe(
      "Credits that were left. Absent: the machine can sustain its peak, or it is not known whether it can.",
    ),
});
/** One host's activity while a case ran. */
export type HostUsage = z.infer<typeof hostUsageSchema>;

export const burstSchema = object("burst", "What a machine can do on credits, and what it can sustain.", {
  cpu: z
    .object({
      creditsPerHour: finite.describe("CPU credits that the size earns an hour."),
      maximumCredits: finite.describe("Most credits that the machine can save up."),
      initialCredits: finite.describe("Credits that the machine has when it boots."),
      mode: z
        .enum(["standard", "unlimited"])
        .nullable()
        .describe(
          "What happens without credits: `standard`, the machine is slowed down; `unlimited`, the excess is billed. Null: not known.",
        ),
    })
    .nullable()
    .describe("CPU credits. Null: the machine has none."),
  network: z
    .object({
      baselineBitsPerSecond: finite.describe("Rate that the size can sustain."),
      peakBitsPerSecond: finite.describe("Rate that the size reaches on credits."),
    })
    .nullable()
    .describe("Network rates. Null: not known, or the machine can sustain its peak."),
});
/** Burst and sustained limits of a machine. */
export type Burst = z.infer<typeof burstSchema>;

export const hostFactsSchema = object("hostFacts", "Facts about a host. Null: unknown.", {
  host: z.string().describe("Name of the host within the stack."),
  role: roleSchema.describe("Role of the host in the benchmark."),
  kernel: textOrNull.describe("Release of the running kernel."),
  size: nullable(z.string()).describe("Machine size, as the cloud names it."),
  region: nullable(z.string()).describe("The cloud's region."),
  zone: nullable(z.string()).describe("The availability zone."),
  os: textOrNull.describe("Name and version of the operating system."),
  architecture: textOrNull.describe("Processor architecture, as the kernel names it."),
  cpus: wholeOrNull.describe("Logical processors that are online."),
  memoryBytes: orNull.describe("Memory of the machine."),
  congestionControl: textOrNull.describe("TCP congestion control of new connections."),
  interfaces: z
    .array(
      z.object({
        name: z.string().describe("Name in the kernel, such as `eth0`."),
        mtu: wholeOrNull.describe("Largest packet, in bytes."),
        driver: textOrNull.describe("Driver, as `ethtool -i` names it."),
        qdisc: textOrNull.describe("Queueing discipline."),
        offloads: z
          .record(z.string(), z.boolean())
          .default({})
          .describe("Offloads that affect throughput, by their names in `ethtool -k`."),
      }),
    )
    .describe("Interfaces with MTU, driver and qdisc."),
  sysctls: z.record(z.string(), z.string()).describe("Kernel settings that affect throughput, by name."),
  tools: z.record(z.string(), z.string()).describe("Version of each tool on the host, by the tool's name."),
  burst: nullable(burstSchema).describe("Credits and baselines of the machine's size. Null: none are known."),
  tuning: z
    .string()
    .default("none")
    .describe("Tuning profile (kernel settings) that the run applied to the host."),
  dataPlane: nullable(dataPlaneSchema).describe(
    "Data plane that a NAT instance really uses, even if another was configured. Null: not one of our NAT instances, or unknown.",
  ),
  placement: nullable(
    z.object({
      zone: textOrNull.describe("Availability zone; chosen by the cloud unless the stack sets one."),
      zoneId: textOrNull.describe("AWS's zone ID, which is the same in all accounts."),
      group: textOrNull.describe("Placement group: AWS's, or an Azure scale set's."),
      faultDomain: textOrNull.describe("Azure's fault domain, or the partition of an AWS placement group."),
    }),
  ).describe(
    "Where the machine is, from its cloud's instance metadata service. Null: not in a cloud, or not reported.",
  ),
  notes: texts.describe('Features that the host lacks, e.g. "no nftables flowtable in this kernel".'),
});
export type HostFacts = z.infer<typeof hostFactsSchema>;
