/**
 * State of deployed stacks must not change with the program: names of resources, hashes, and the agents' input; otherwise
 * cases would be measured again. `recorded.json` is the program's output for `plans.json` on 2026-11-22: every preset of that
 * day, and a plan with every key of every tool. Exceptions: searches for a rate have the output since a stray loss no longer ends
 * them, and are measured again; UDP egress with a warm-up has the command since it asks for the server's output, under the same
 * key, so that an agent returns its report.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Case,
  caseHash,
  executablesOf,
  isReversed,
  parsePlan,
  timeoutSeconds,
} from "../../../bench/index.ts";
import { caseResourceName } from "../../../components/benchmark/case-resource.ts";
import {
  commandSeconds,
  endpointsOfPair,
  runSpec,
  type StepArgs,
} from "../../../components/benchmark/run-spec.ts";
import type { Host } from "../../../components/shared/host.ts";

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/cases/${name}`, import.meta.url), "utf8"));
const plans: Record<string, unknown> = read("plans.json");
const recorded: Record<string, CaseRecord[]> = read("recorded.json");

describe("a stack that is up measures nothing again", () => {
  it.each(Object.entries(plans))("%s", async (name, plan) => {
    expect(await recordPlan(plan)).toEqual(recorded[name]);
  });
});

/** Parts of a case that are in a stack's state or decide whether it is measured again. */
interface CaseRecord {
  readonly resource: string;
  readonly hash: string;
  /** Input of the first pair's agent. */
  readonly stdin: string;
  readonly commandSeconds: number;
  readonly timeoutSeconds: number;
  readonly reversed: boolean;
  readonly executables: readonly string[];
}

const host = (name: string, role: Host["role"]) =>
  ({ name, role, dataAddress: "198.18.9.9" }) as unknown as Host;

/** The cases of a plan, as in the state of a stack with one path. */
async function recordPlan(plan: unknown): Promise<CaseRecord[]> {
  return Promise.all(parsePlan(plan).cases.map(recordCase));
}

async function recordCase(benchCase: Case): Promise<CaseRecord> {
  const hash = caseHash(benchCase);
  const step: StepArgs = {
    case: benchCase,
    repetition: 1,
    runId: "run-1",
    server: host("server", "server"),
    hash,
    pauseSeconds: 0,
    path: {
      name: "direct",
      topology: "direct",
      client: host("client", "client"),
      serverAddress: "198.18.0.2",
      clientAddress: "198.18.1.2",
      expectedSourceIps: ["198.18.1.2"],
      observed: [],
      ready: [],
    } as unknown as StepArgs["path"],
  };
  const ends = endpointsOfPair(step, 0);
  if (ends === undefined) throw new Error(`case ${benchCase.id} has no ends`);
  const stdin = await new Promise<string>((resolve) => {
    runSpec(step, 0, ends).apply((spec) => resolve(JSON.stringify(spec)));
  });
  return {
    resource: caseResourceName(step.path.name, benchCase.id, 1),
    hash,
    stdin,
    commandSeconds: commandSeconds(step),
    timeoutSeconds: timeoutSeconds(benchCase),
    reversed: isReversed(benchCase),
    executables: executablesOf([benchCase]),
  };
}
