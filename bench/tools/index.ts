/**
 * The tools a case may name.
 *
 * @module
 */
import type { Case } from "../plan.ts";
import { connect } from "./connect.ts";
import { iperf3 } from "./iperf3.ts";
import { nat } from "./nat.ts";
import { ntttcp } from "./ntttcp.ts";
import { search } from "./search.ts";
import { sockperf } from "./sockperf.ts";
import type { Tool } from "./tool.ts";
import { underLoad } from "./under-load.ts";

export const tools = { iperf3, sockperf, connect, search, nat, ntttcp } as const satisfies {
  [T in Case["tool"]]: Tool<Extract<Case, { tool: T }>>;
};

/** The tool of a case. */
export function toolOf(benchCase: Case): Tool {
  if ("load" in benchCase && benchCase.load !== null) {
    return benchCase.tool === "sockperf"
      ? underLoad(sockperf, benchCase.load)
      : underLoad(connect, benchCase.load);
  }
  return tools[benchCase.tool];
}

/** Whether the server runs a case's command, against the client. */
export function isReversed(benchCase: Case): boolean {
  return benchCase.direction === "ingress" && toolOf(benchCase).senderConnects === true;
}

/** Executables that the hosts of a plan need, each once. */
export function executablesOf(cases: readonly Case[]): string[] {
  return [...new Set(cases.flatMap((one) => toolOf(one).executables))];
}

/**
 * Seconds after which a case's command is ended: what it takes when all goes well, a tenth more, and 15 s for
 * slow connections.
 */
export function timeoutSeconds(benchCase: Case): number {
  return Math.ceil(toolOf(benchCase).expectedSeconds(benchCase) * 1.1 + 15);
}
