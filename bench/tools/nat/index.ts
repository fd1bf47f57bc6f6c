/**
 * Limits of a NAT: concurrent flows, new connections per second, idle time-outs, mapping and filtering. The probes are a part
 * of the host agent (`nat_limits.py`), so machines need no tool for them.
 */
import { commandLine, option } from "../../shell.ts";
import { SINK_PORT } from "../connect/index.ts";
import { agentProgram } from "../shared/probe.ts";
import type { Tool } from "../tool.ts";
import { parseNat } from "./parse.ts";
import { caseSchema, expand, input, type NatCase, withDuration } from "./plan.ts";

/** The responder's port. */
export const NAT_PORT = 5203;
/** The responder's second port, which shows how a NAT maps and filters. */
const OTHER_PORT = 5204;

/** Limits of a NAT: concurrent flows, new flows per second, idle time-outs, port mapping. */
export const nat: Tool<NatCase, typeof input> = {
  name: "nat",
  input,
  caseSchema,
  expand,
  withDuration,

  executables: ["python3"],
  ports: {
    nat: { first: NAT_PORT, protocols: ["tcp", "udp"] },
    natOther: { first: OTHER_PORT, protocols: ["udp"] },
  },
  dataPorts: [],

  services({ nat: port = NAT_PORT, natOther = OTHER_PORT }) {
    const options = ["--port", String(port), "--other-port", String(natOther)];
    const command = [...agentProgram("nat_responder.py"), ...options];
    return [{ name: "NAT responder", ends: ["server"], port, command }];
  },

  command(benchCase, serverAddress) {
    const { probe } = benchCase;
    return commandLine([
      ...[...agentProgram("nat_limits.py"), probe, "--address", serverAddress],
      // The sink takes connections faster than the responder, which would read from each.
      ...["--port", probe === "connection-rate" ? SINK_PORT : NAT_PORT],
      ...options(benchCase),
    ]);
  },

  expectedSeconds({ probe, durationSeconds }) {
    switch (probe) {
      case "connection-rate":
        return durationSeconds + 4;
      case "concurrent-flows":
        return 2 * durationSeconds + 10; // opening them, then proving each once more
      case "idle-timeout":
        return durationSeconds + 15;
      case "behaviour":
        return durationSeconds;
    }
  },

  parse: parseNat,
  flows: () => 1,

  traffic: () => null,
  // They open as many flows as a NAT can hold: who shares it is left without ports.
  isHarmful: ({ probe }) => probe === "connection-rate" || probe === "concurrent-flows",
  question: "nat-limits",
  title: ({ id }) => id, // which says what is probed
};

function options({ probe, protocol: chosen, durationSeconds, maxFlows, stepSeconds, concurrency }: NatCase) {
  switch (probe) {
    case "connection-rate":
      return ["--duration", durationSeconds, ...option("--concurrency", concurrency)];
    case "concurrent-flows":
      return [
        ...["--protocol", chosen, "--duration", durationSeconds],
        ...[...option("--max-flows", maxFlows), ...option("--concurrency", concurrency)],
      ];
    case "idle-timeout":
      return [
        ...["--protocol", chosen, "--max-seconds", durationSeconds],
        ...option("--step-seconds", stepSeconds),
      ];
    case "behaviour":
      return ["--other-port", OTHER_PORT];
  }
}
