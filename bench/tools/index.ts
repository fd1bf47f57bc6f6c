/**
 * The tools a case may name.
 *
 * @module
 */

import { isPlausible } from "../assemble/plausible.ts";
import type { Case } from "../plan/plan.ts";
import { connect } from "./connect.ts";
import { iperf3 } from "./iperf3.ts";
import { nat } from "./nat.ts";
import { ntttcp } from "./ntttcp.ts";
import { search } from "./search.ts";
import { sockperf } from "./sockperf.ts";
import { type ParseContext, type Tool, ToolFailure } from "./tool.ts";
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

/** What a case's tool measured. @throws {ToolFailure} also of figures that no machine can have. */
export function parseOutput(stdout: string, context: ParseContext): ReturnType<Tool["parse"]> {
  const parsed = toolOf(context.case).parse(stdout, context);
  if (!isPlausible(parsed.measurement)) {
    throw new ToolFailure("bad-output", "it printed figures that no machine can have");
  }
  return parsed;
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
