/** The stack and plan that check a choice by measuring: the candidates, under traffic like the logs'. */
import { bitRateText, parsePlan } from "../../../bench/index.ts";
import { MOST_STREAMS } from "../../../bench/plan/fields.ts";
import { idleTimeoutSeconds, PORTS_PER_ADDRESS } from "../../../bench/topologies/limits.ts";
import type { Advice } from "./advice.ts";
import { restOf } from "./month.ts";
import type { Traffic } from "./traffic.ts";

const SECONDS = 60;
/** Headers of IPv4 and UDP. */
const HEADER_BYTES = 28;

/** Keys of a stack's region, and of a NAT instance's size. */
const keys = {
  aws: { region: "aws:region", size: "instanceType" },
  azure: { region: "azure-native:location", size: "size" },
} as const;

/** The content of a stack's file and of its plan. @param planFile The plan's file name for the stack's configuration. */
export function stackToRun(advice: Advice, planFile: string) {
  const { cloud, region } = advice;
  const plan = planOf(restOf(advice.traffic, region));
  // Makes sure that our own parser accepts the plan.
  parsePlan(plan);
  return {
    stack: {
      config: {
        [keys[cloud].region]: region,
        "egress-bench:cloud": cloud,
        "egress-bench:topologies": topologiesOf(advice),
        "egress-bench:plan": planFile,
      },
    },
    plan,
  };
}

/** The ways out to measure: today's, the recommended and the possibly cheaper one, each once. */
function topologiesOf({ now, recommendation, options, cloud }: Advice): unknown[] {
  const { pickId, worthMeasuring } = recommendation;
  const wanted = [
    options.find(({ candidate }) => candidate === now.topology),
    ...[pickId, worthMeasuring].map((wantedId) => options.find(({ id }) => id === wantedId)),
  ];
  const asked = wanted.flatMap((one) => {
    const size = one?.need.size ?? null;
    return one === undefined
      ? []
      : [size === null ? one.candidate : { topology: one.candidate, [keys[cloud].size]: size }];
  });
  return [...new Map(asked.map((one) => [JSON.stringify(one), one])).values()];
}

function planOf(traffic: Traffic): Readonly<Record<string, unknown>> {
  const { cloud, flows } = traffic;
  // The probe opens its flows from one client, which has one address.
  const atOnce = Math.min(PORTS_PER_ADDRESS, Math.max(1, flows?.busiest?.concurrent.high ?? 1));
  const silence = idleTimeoutSeconds[cloud] + 50;
  return {
    name: "my-traffic",
    cases: [
      ...rateCases(traffic),
      { tool: "connect", durationSeconds: 10 },
      { tool: "nat", probe: "connection-rate", durationSeconds: 30 },
      { tool: "nat", probe: "concurrent-flows", maxFlows: atOnce },
      { tool: "nat", probe: "idle-timeout", maxSeconds: silence, stepSeconds: 10 },
    ],
  };
}

/** TCP and UDP at the busiest minute's rate with the log's number of flows, and unlimited TCP; each direction. */
function rateCases({ peak, total, flows }: Traffic): object[] {
  const streams = Math.min(MOST_STREAMS, Math.max(1, flows?.concurrent.low ?? 1));
  return (["out", "in"] as const).flatMap((way) => {
    const direction = { out: "egress", in: "ingress" }[way];
    const [bytes, packets] = [total[`${way}Bytes`], total[`${way}Packets`]];
    const bitrate = bitRateText(Math.max(1000, Math.round((peak?.[way].estimate ?? 0) / streams)));
    const datagramBytes = packets === 0 ? {} : { datagramBytes: payload(bytes / packets) };
    const common = { direction, durationSeconds: SECONDS, streams };
    return [
      { tool: "iperf3", id: `peak-tcp-${direction}`, ...common, bitrate },
      { tool: "iperf3", id: `peak-udp-${direction}`, protocol: "udp", ...common, bitrate, ...datagramBytes },
      { tool: "iperf3", id: `most-tcp-${direction}`, ...common },
    ];
  });
}

/** Payload of a datagram with this packet size, within iperf3's limits. */
function payload(packetBytes: number): number {
  return Math.min(1472, Math.max(16, Math.round(packetBytes) - HEADER_BYTES));
}
