/** The plans that go by a name. */

import type { Repeat } from "../plan/plan.ts";
import type { PlanInput } from "../plan/plan-input.ts";

/** Three repetitions, the least that a ranking needs: a single run shows no scatter. */
const THREE_TIMES: Repeat = { least: 3, most: 3, withinPercent: null };

/** An iperf3 case of each direction, egress first. */
const BOTH_WAYS = { tool: "iperf3", direction: ["egress", "ingress"] } as const;

const plans: Readonly<Record<string, Omit<PlanInput, "name">>> = {
  /**
   * About a minute a topology: every kind of measurement once, at rates that any machine carries, so that a loss
   * is the path's. Use it to try a set-up, and `standard` for figures to publish.
   */
  quick: {
    cases: [
      { ...BOTH_WAYS, protocol: "tcp", durationSeconds: 8, omitSeconds: 1 },
      { ...BOTH_WAYS, protocol: "udp", bitrate: "100M", durationSeconds: 6, omitSeconds: 1 },
      {
        tool: "iperf3",
        protocol: "udp",
        direction: "egress",
        datagramBytes: 64,
        bitrate: "10M",
        durationSeconds: 6,
        omitSeconds: 1,
      },
      { tool: "sockperf", protocol: "tcp", durationSeconds: 7 },
      { tool: "connect", durationSeconds: 6 },
    ],
  },

  /**
   * Reproduces the suite published as azure-nat-2025-11: iperf3 for 30 s with TCP, UDP and UDP of 64 bytes, each
   * egress and ingress, then TCP-connect latency. Beyond it: warm-up is left out, and irtt measures round trips.
   *
   * UDP egress is unlimited (`-b 0`). The publication does not state its rate, but its counts do: 50 million datagrams
   * per case at any size, which is a sender limited by its CPU and not by `-b`. Such a flood also loses half of its
   * datagrams on a direct path: always read its loss against `direct`.
   */
  standard: {
    repeat: THREE_TIMES,
    cases: [
      { ...BOTH_WAYS, protocol: "tcp", durationSeconds: 30, omitSeconds: 5 },
      { ...BOTH_WAYS, protocol: "udp", bitrate: "unlimited", durationSeconds: 30, omitSeconds: 2 },
      {
        ...BOTH_WAYS,
        protocol: "udp",
        datagramBytes: 64,
        bitrate: "unlimited",
        durationSeconds: 30,
        omitSeconds: 2,
      },
      { tool: "connect", durationSeconds: 30 },
      { tool: "irtt", durationSeconds: 30 },
    ],
  },

  /** Reproduces what azure-rtt-2024-05 measured: sockperf ping-pong over TCP, messages of 350 bytes, 101 s. */
  rtt: {
    repeat: THREE_TIMES,
    cases: [{ tool: "sockperf", protocol: "tcp", messageBytes: 350, durationSeconds: 101 }],
  },

  /**
   * Reproduces the sweep of azure-vm-bandwidth: TCP with the published numbers of streams. A search for the best number
   * follows, in shorter trials, as it takes a dozen of them.
   */
  streams: {
    repeat: THREE_TIMES,
    cases: [
      {
        tool: "iperf3",
        protocol: "tcp",
        direction: "egress",
        streams: [1, 16, 28, 32, 40, 48, 64],
        durationSeconds: 30,
        omitSeconds: 5,
      },
      { tool: "search", goal: "peak", direction: "egress", durationSeconds: 10, omitSeconds: 2 },
    ],
  },

  /**
   * Reproduces the suite published as aws-fck-nat-2024-12: UDP for 300 s, first one stream at 100 Mbit/s to 2 Gbit/s, then 10
   * to 100 streams of 5 and 10 Mbit/s, with 60 s of pause between two cases. A round takes an hour and 12 minutes.
   */
  "udp-rates": {
    repeat: THREE_TIMES,
    pauseSeconds: 60,
    cases: [
      {
        tool: "iperf3",
        protocol: "udp",
        direction: "egress",
        bitrate: ["100M", "500M", "1G", "2G"],
        durationSeconds: 300,
        omitSeconds: 2,
      },
      {
        tool: "iperf3",
        protocol: "udp",
        direction: "egress",
        streams: [10, 20, 50, 100],
        bitrate: ["5M", "10M"],
        durationSeconds: 300,
        omitSeconds: 2,
      },
    ],
  },

  /**
   * Five hours a topology of mixed load with latency measured underneath. It shows what a minute does not: burst credits that
   * run out, tables that fill, and tails. Latency at rest comes first and last, for comparison.
   */
  soak: {
    cases: [
      { id: "rest-before", tool: "sockperf", protocol: "tcp", durationSeconds: "30m" },
      { tool: "sockperf", protocol: "tcp", durationSeconds: "1h", load: { direction: "egress", streams: 8 } },
      {
        tool: "sockperf",
        protocol: "tcp",
        durationSeconds: "1h",
        load: { direction: "ingress", streams: 8 },
      },
      {
        tool: "irtt",
        intervalMs: 100,
        durationSeconds: "1h",
        load: { protocol: "udp", streams: 20, bitrate: "5M" },
      },
      { tool: "connect", durationSeconds: "1h", load: { direction: "egress", streams: 8 } },
      { id: "rest-after", tool: "sockperf", protocol: "tcp", durationSeconds: "30m" },
    ],
  },

  /**
   * The cases of azure-vpn-2017-10: ntttcp for Linux, 5 minutes of TCP each way. Streams are not in the publication:
   * 64 is what the tool's sender starts by itself. Client and server need the tool; see `docs/plans.md`.
   */
  ntttcp: {
    repeat: THREE_TIMES,
    cases: [
      { ...BOTH_WAYS, tool: "ntttcp", protocol: "tcp", streams: 64, durationSeconds: 300, omitSeconds: 5 },
    ],
  },

  /**
   * The cases of azure-vpn-2017-10 with iperf3, which every host has: 5 minutes of TCP each way with ntttcp's default number of
   * streams. The preset `ntttcp` uses the publication's own tool, where it is installed.
   */
  vpn: {
    cases: [{ ...BOTH_WAYS, protocol: "tcp", streams: 64, durationSeconds: 300, omitSeconds: 5 }],
  },

  /**
 /**
  * Limits of NATs, about 16 minutes a topology. Read each figure against `direct`, which shows the limits of client
  * and server.
  *
  * Silences last up to 5 minutes: Azure forgets an idle TCP flow after 4 by default; an AWS NAT gateway keeps one for
  * 350 s, which shows as "over 300 s". 70,000 flows exceed the ports of one public address (64,512) and of one client.
  * The flows come last, since a NAT may keep their ports for minutes.
  */
  "nat-limits": {
    cases: [
      { tool: "nat", probe: "behaviour" },
      { tool: "nat", probe: "idle-timeout", protocol: ["tcp", "udp"], maxSeconds: 300 },
      { tool: "nat", probe: "connection-rate", durationSeconds: 30 },
      {
        tool: "nat",
        probe: "concurrent-flows",
        protocol: ["tcp", "udp"],
        maxFlows: 70_000,
        durationSeconds: 60,
      },
    ],
  },

  /**
   * Failures of the NAT instance, five times each, about 10 minutes a topology. Topologies without a NAT instance skip
   * them, and the results say so.
   *
   * Pauses give a machine the time to boot. `stop` is left out: after it a person has to start the machine again.
   */
  failover: {
    pauseSeconds: 5,
    repeat: { least: 5, most: 5, withinPercent: null },
    cases: [{ tool: "failover", failure: ["drain", "blackhole", "reboot", "kill"], durationSeconds: 20 }],
  },
};

/** Plans that come with the package, by the name that `plan` takes. */
export const presets: Readonly<Record<string, PlanInput>> = Object.fromEntries(
  Object.entries(plans).map(([name, plan]) => [name, { name, ...plan }]),
);
