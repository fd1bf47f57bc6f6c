/** Builds the results document from the hosts' reports. */

import type { Repeat } from "../plan/plan.ts";
import {
  type CaseResult,
  type HostFacts,
  RESULTS_SCHEMA_MINOR,
  RESULTS_SCHEMA_VERSION,
  type Results,
  resultsSchema,
} from "../results/index.ts";
import { cloudRecords } from "../topologies/clouds.ts";
import { VERSION } from "../version.ts";
import type { AssembleArgs } from "./assemble-args.ts";
import { burstNotes, burstsOf } from "./burst.ts";
import { caseResult, type Machines } from "./case-result.ts";
import { changedFacts } from "./changed-facts.ts";
import { extreme } from "./extreme.ts";
import { lossNotes } from "./lost-between-hosts.ts";
import { mergeRepetitions } from "./repetitions.ts";
import { topologyResult } from "./topology-result.ts";

/** The results of a run, checked by their own schema. @throws {z.ZodError} where a report breaks the schema. */
export function assembleResults(args: AssembleArgs): Results {
  const { stack, cloud, runId, plan, runs, notes } = args;
  const { server, topologies, changes } = changedFacts(args);
  const machines = machinesOf({ ...args, server, topologies });
  const measured = runs.map((run) => caseResult(run, machines));
  const cases = plan.repeat.most === 1 ? measured : mergeAll(measured, plan.repeat);
  return resultsSchema.parse({
    schemaVersion: RESULTS_SCHEMA_VERSION,
    schemaMinor: RESULTS_SCHEMA_MINOR,
    stack,
    cloud,
    runId,
    egressBenchVersion: VERSION,
    startedAt: extreme(cases, "startedAt", (a, b) => a < b),
    finishedAt: extreme(cases, "finishedAt", (a, b) => a > b),
    plan,
    server,
    topologies: topologies.map((topology) => topologyResult(topology, cases, runs)),
    cases,
    notes: [...notes, ...changes, ...burstNotes(factsOf({ server, topologies }), cases), ...lossNotes(cases)],
  });
}

/** Facts of each host, once per host: several paths share the jump host. */
function factsOf({ server, topologies }: Pick<AssembleArgs, "server" | "topologies">): HostFacts[] {
  const all = [...(server === null ? [] : [server]), ...topologies.flatMap(({ hosts }) => hosts)];
  return [...new Map(all.map((facts) => [facts.host, facts])).values()];
}

/** A result for each case on each topology, in the order in which they were first measured. */
function mergeAll(results: readonly CaseResult[], repeat: Repeat): CaseResult[] {
  const groups = new Map<string, CaseResult[]>();
  for (const one of results) {
    const key = `${one.topology} ${one.id}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((repetitions) => mergeRepetitions(repetitions, repeat));
}

function machinesOf(args: AssembleArgs): Machines {
  const facts = factsOf(args);
  const cpus = facts.flatMap(({ host, cpus }) => (cpus === null ? [] : [[host, cpus] as const]));
  const limited = args.topologies.flatMap(({ name, connectionLimits = null }) =>
    connectionLimits === null ? [] : [[name, connectionLimits] as const],
  );
  return {
    cpus: new Map(cpus),
    sharedCpus: cloudRecords[args.cloud].isLab,
    bursts: burstsOf(facts),
    connectionLimits: new Map(limited),
  };
}
