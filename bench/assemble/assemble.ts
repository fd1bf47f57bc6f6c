/** Builds the results document from the hosts' reports. */

import { groupBy } from "../group-by.ts";
import type { Plan, Repeat } from "../plan/plan.ts";
import {
  type CaseResult,
  type HostFacts,
  RESULTS_SCHEMA_VERSION,
  type Results,
  resultsSchema,
  type TopologyResult,
} from "../results/index.ts";
import { isReversed } from "../tools/index.ts";
import { cloudRecords } from "../topologies/clouds.ts";
import { VERSION } from "../version.ts";
import { burstNotes, burstsOf } from "./burst.ts";
import { type CaseRun, caseResult, extreme, type Machines } from "./case-result.ts";
import { lossNotes } from "./loss-places.ts";
import { mergeRepetitions } from "./repetitions.ts";

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

/** Facts of a topology that not each has. */
type OwnFacts = "connectionLimits" | "kind" | "idleTimeoutSeconds" | "ownPrice";

/** One topology of a run with the known facts of its hosts. */
export interface TopologyRun
  extends Readonly<Pick<TopologyResult, "name" | "topology"> & Partial<Pick<TopologyResult, OwnFacts>>> {
  /** Null: the run ended before they were collected. Each case's hosts knew them, and refused other addresses. */
  readonly expectedSourceIps: readonly string[] | null;
  /** Facts of the clients, of further servers, and of the hosts between client and server. */
  readonly hosts: readonly HostFacts[];
}

/** @param cases Of all topologies. @param runs Of all topologies. */
export function topologyResult(
  run: TopologyRun,
  cases: readonly CaseResult[],
  runs: readonly CaseRun[],
): TopologyResult {
  const refused = cases.find(
    (one) => one.topology === run.name && one.failure?.class === "path-mismatch",
  )?.failure;
  return {
    ...{ connectionLimits: null, kind: null, idleTimeoutSeconds: null, ownPrice: null, ...run },
    expectedSourceIps: [...(run.expectedSourceIps ?? [])],
    path: pathOf(sightingsOf(run, runs), refused?.message),
    hosts: [...run.hosts],
  };
}

/** Source addresses that the server saw in one measurement, and those expected then. */
interface Sighting {
  readonly seen: readonly string[];
  readonly expected: readonly string[] | null;
}

/**
 * Addresses that the server saw in each measurement. An address may have changed since, so a report's own expectation counts; the
 * present one counts where none was known then.
 */
function sightingsOf({ name, expectedSourceIps }: TopologyRun, runs: readonly CaseRun[]): Sighting[] {
  // A reversed run's address is the server's own.
  const own = runs.filter((one) => one.topology === name && !isReversed(one.case));
  return own.flatMap(({ pairs }) =>
    pairs.flatMap(({ report }) => {
      const data = report?.dataSources ?? [];
      const seen = [report?.sourceIp, ...data.map(({ address }) => address)].filter((ip) => ip != null);
      const then = report?.expectedSourceIps ?? [];
      return seen.length === 0 ? [] : [{ seen, expected: then.length > 0 ? then : expectedSourceIps }];
    }),
  );
}

/**
 * The proof of a topology's path: every source address that the server saw was an expected one. @param refused Message of
 * a case that failed because it was not
 */
function pathOf(sightings: readonly Sighting[], refused: string | undefined): TopologyResult["path"] {
  const sourceIps = [...new Set(sightings.flatMap(({ seen }) => seen))];
  if (refused !== undefined) {
    return { status: "mismatch", sourceIps, message: refused };
  }
  if (sourceIps.length === 0) {
    return { status: "unknown", sourceIps, message: "the server reported no source address for any case" };
  }
  const judged = sightings.flatMap(({ seen, expected }) =>
    expected === null || expected.length === 0
      ? []
      : [{ expected, wrong: seen.filter((ip) => !expected.includes(ip)) }],
  );
  const strayed = judged.find(({ wrong }) => wrong.length > 0);
  if (strayed !== undefined) {
    const wrong = [...new Set(judged.flatMap((one) => one.wrong))];
    const message = `the server saw ${wrong.join(", ")}; expected ${strayed.expected.join(" or ")}`;
    return { status: "mismatch", sourceIps, message };
  }
  if (sightings.some(({ expected }) => expected?.length === 0)) {
    const message = "the address that the server must see is not known before the run";
    return { status: "unknown", sourceIps, message };
  }
  return { status: "proved", sourceIps, message: null };
}
