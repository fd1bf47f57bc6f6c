/** Runs cases of a plan between the prepared hosts of a {@link sharedProbeLab}, like `agent.py run`. */
import {
  AGENT_DIRECTORY,
  AGENT_PROTOCOL_VERSION,
  type RunReport,
  type RunSpec,
} from "../../agent/protocol.ts";
import { readRunReport } from "../../agent/read-report.ts";
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import type { Case } from "../../bench/plan/plan.ts";
import { timeoutSeconds, toolOf } from "../../bench/tools/index.ts";
import { AGENT_PORT } from "../../bench/tools/ports.ts";
import { INSTANCE, type NatLab, SERVER } from "./nat-lab.ts";

/** The only case of a plan's entry. */
export function caseOf(input: object): Case {
  return parsePlan({ cases: [input] }).cases[0] as Case;
}

let runs = 0;

/** The request to the client's agent for a case; `changes` replace parts of it. The proof expects the instance's address. */
export function labSpec(one: Case, changes: Partial<RunSpec> = {}): RunSpec {
  runs += 1;
  const host = (name: "client" | "server", address: string) => ({
    host: name,
    role: name,
    address,
    port: AGENT_PORT,
  });
  return {
    version: AGENT_PROTOCOL_VERSION,
    key: `${one.id}.${runs}`,
    command: toolOf(one).command(one, SERVER),
    pauseSeconds: 0,
    timeoutSeconds: timeoutSeconds(one),
    reducer: toolOf(one).reducer ?? "none",
    retry: { patterns: [...(toolOf(one).retryOn ?? [])], attempts: 3, delaySeconds: 1 },
    path: { address: SERVER, port: AGENT_PORT, expected: [INSTANCE], forbidden: [] },
    observe: [host("client", "127.0.0.1"), host("server", SERVER)],
    ...changes,
  };
}

/** The report of the client's agent. */
export function runInLab(lab: NatLab, spec: RunSpec): RunReport {
  const run = `cd /root && python3 ${AGENT_DIRECTORY}/agent.py run <<'END_SPEC'\n${JSON.stringify(spec)}\nEND_SPEC\n`;
  return readRunReport(lab.run("client", run));
}
