/** Builds the results document from the hosts' reports. */

import { groupBy } from "../group-by.ts";
import type { Plan, Repeat } from "../plan/plan.ts";
import {
  type CaseResult,
  type HostFacts,
  RESULTS_SCHEMA_VERSION,
  type Results,
  resultsSchema,
} from "../results/index.ts";
import { cloudRecords } from "../topologies/clouds.ts";
import { VERSION } from "../version.ts";
import { burstNotes, burstsOf } from "./burst.ts";
import { type CaseRun, caseResult, extreme, type Machines } from "./case-result.ts";
import { lossNotes } from "./loss-places.ts";
import { mergeRepetitions } from "./repetitions.ts";
import { type TopologyRun, topologyResult } from "./topology-result.ts";

/** Everything that goes into a results document. */
export interface AssembleArgs {
  readonly stack: string;
  readonly cloud: Results["cloud"];
  readonly runId: string;
  readonly plan: Plan;
  readonly server: HostFacts | null;
  readonly topologies: readonly TopologyRun[];
  /** In the order they ran. */
  readonly runs: readonly CaseRun[];
  readonly notes: readonly string[];
}

/** The results of a run, checked by their own schema. @throws {z.ZodError} where a report breaks the schema. */
export function assembleResults(args: AssembleArgs): Results {
  const { stack, cloud, runId, plan, runs, notes } = args;
  const { server, topologies, changes } = changedFacts(args);
  const machines = machinesOf({ ...args, server, topologies });
  const measured = runs.map((run) => caseResult(run, machines));
  const cases = plan.repeat.most === 1 ? measured : mergeAll(measured, plan.repeat);
  return resultsSchema.parse({
    schemaVersion: RESULTS_SCHEMA_VERSION,
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
  const groups = groupBy(results, ({ topology, id }) => `${topology} ${id}`);
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

type Known = Pick<AssembleArgs, "server" | "topologies">;

/** Facts from the newest report where a host changed; facts that only the deployment knows stay. */
function changedFacts({ server, topologies, runs }: Known & Pick<AssembleArgs, "runs">): Known & {
  /** One sentence per changed host. */
  readonly changes: readonly string[];
} {
  const reports = runs.flatMap(({ pairs }) => pairs.map(({ report }) => report));
  const rebooted = reports.flatMap((report) => report?.rebooted ?? []);
  const setUpAgain = reports.flatMap((report) => report?.setUpAgain ?? []);
  const newest = byHost(
    reports.flatMap((report) => [...(report?.rebooted ?? []), ...(report?.setUpAgain ?? [])]),
  );
  const renewed = (before: HostFacts): HostFacts => {
    const now = newest.get(before.host);
    const { size, region, zone, burst, role } = before;
    return now === undefined ? before : { ...now, role, size, region, zone, burst };
  };
  return {
    server: server && renewed(server),
    topologies: topologies.map((one) => ({ ...one, hosts: one.hosts.map(renewed) })),
    changes: [
      ...[...byHost(rebooted).keys()].map(
        (host) => `${host} rebooted after it was prepared: its facts were read after the reboot`,
      ),
      ...[...byHost(setUpAgain).keys()].map(
        (host) =>
          `${host} was set up again, as something else had changed its rules or kernel settings: its own notes say when`,
      ),
    ],
  };
}

/** The last entry of each host. */
function byHost(all: readonly HostFacts[]): Map<string, HostFacts> {
  return new Map(all.map((facts) => [facts.host, facts]));
}
