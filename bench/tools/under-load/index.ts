import type { BaseCase } from "../../plan/case.ts";
import { commandLine } from "../../shell.ts";
import { iperf3 } from "../iperf3/index.ts";
import type { Iperf3Case } from "../iperf3/plan.ts";
import { agentProgram } from "../shared/agent-program.ts";
import { rateTitle } from "../shared/title.ts";
import type { Tool } from "../tool.ts";
import { parseBoth } from "./parse.ts";
import type { Load } from "./plan.ts";

/** Seconds that the load runs before the probe: TCP has left slow start by then. */
const LEAD_SECONDS = 2;
/** Seconds that the load continues after the probe's expected end. */
const TAIL_SECONDS = 2;

/** The tool of a latency case with a load underneath: the measurement also has the load's throughput. */
export function underLoad<C extends BaseCase>(probe: Tool<C>, load: Load): Tool<C> {
  const loadOf = (benchCase: C): Iperf3Case => ({
    id: benchCase.id,
    tool: "iperf3",
    ...load,
    datagramBytes: null,
    congestion: null,
    pairs: null,
    omitSeconds: 0,
    durationSeconds: Math.ceil(LEAD_SECONDS + probe.expectedSeconds(benchCase) + TAIL_SECONDS),
  });
  return {
    ...probe,
    executables: [...new Set([...probe.executables, ...iperf3.executables, "python3"])],
    reducer: "none",
    retryOn: iperf3.retryOn ?? [],
    command(benchCase, serverAddress) {
      return commandLine([
        ...[...agentProgram("under_load.py"), "--lead", LEAD_SECONDS],
        ...["--load", iperf3.command(loadOf(benchCase), serverAddress)],
        ...["--probe", probe.command(benchCase, serverAddress)],
      ]);
    },
    expectedSeconds: (benchCase) => iperf3.expectedSeconds(loadOf(benchCase)),
    parse: (stdout, context) => parseBoth(probe, loadOf(context.case), stdout, context),
    title: (benchCase) => `${probe.title(benchCase)}, under ${loadTitle(load)}`,
    passesNatAsUdp: (benchCase) => load.protocol === "udp" && (probe.passesNatAsUdp?.(benchCase) ?? false),
    traffic: () => ({
      askedBitsPerSecond: (load.bitsPerSecond ?? 0) * load.streams,
      direction: load.direction,
    }),
    withRate: (benchCase, rate) => ({
      ...benchCase,
      load: { ...load, bitsPerSecond: Math.floor(rate / load.streams) },
    }),
  };
}

/** `8 streams of TCP egress`. */
function loadTitle({ protocol, direction, streams, bitsPerSecond }: Load): string {
  const count = streams === 1 ? "" : `${streams} streams of `;
  const pace = bitsPerSecond === null ? "" : ` at ${rateTitle(bitsPerSecond)}`;
  return `${count}${protocol.toUpperCase()} ${direction}${pace}`;
}
