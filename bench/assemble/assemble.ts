/**
 * From what the hosts reported to the results document.
 *
 * @module
 */

import type { RunReport } from "../../agent/protocol.ts";
import { type Case, type Plan, pairsOf, type Repeat } from "../plan/plan.ts";
import {
  type CaseResult,
  type ConnectionLimits,
  type Failure,
  type HostFacts,
  type Measurement,
  RESULTS_SCHEMA_MINOR,
  RESULTS_SCHEMA_VERSION,
  type Results,
  resultsSchema,
  type TopologyResult,
} from "../results/index.ts";
import { isReversed, parseOutput, toolOf } from "../tools/index.ts";
import { ToolFailure } from "../tools/tool.ts";
import { VERSION } from "../version.ts";
import { type Bursts, burstNotes, burstsOf, withBurst } from "./burst.ts";
import { changedFacts } from "./changed-facts.ts";
import { forwardingCostOf } from "./forwarding-cost.ts";
import { limitsOf } from "./limits.ts";
import { lossPlacesOf } from "./loss-places.ts";
import { lostBetweenHosts } from "./lost-between-hosts.ts";
import { natDropsOf } from "./nat-drops.ts";
import { withOutages } from "./outages.ts";
import { type PairRun, sumPairs } from "./pairs.ts";
import { mergeRepetitions } from "./repetitions.ts";

/** One case on one topology. */
export interface CaseRun {
  /** Name of the topology entry. */
  readonly topology: string;
  readonly case: Case;
  /** As it was given to the client. */
  readonly command: string;
  /** Null: it did not run. Of a case with pairs, the first one's. */
  readonly report: RunReport | null;
  /** All pairs of a case that several measure, the first one included. @default one pair */
  readonly pairs?: readonly PairRun[] | undefined;
}

/** One topology of a run: what it is, and what is known of its hosts. */
export interface TopologyRun {
  readonly name: string;
  readonly topology: string;
  readonly expectedSourceIps: readonly string[];
  /** What it lets one connection carry. @default no such limit */
  readonly connectionLimits?: ConnectionLimits | null;
  /** Facts of the clients, of further servers, and of what lies between it and the server. */
  readonly hosts: readonly HostFacts[];
}

/** All that a results document is made of. */
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
    schemaMinor: RESULTS_SCHEMA_MINOR,
    stack,
    cloud,
    runId,
    egressBenchVersion: VERSION,
    startedAt: extreme(cases, "startedAt", (a, b) => a < b),
    finishedAt: extreme(cases, "finishedAt", (a, b) => a > b),
    plan,
    server,
    topologies: topologies.map((topology) => topologyResult(topology, cases)),
    cases,
    notes: [...notes, ...changes, ...burstNotes(factsOf({ server, topologies }), cases)],
  });
}

/** Each host once, though several paths may have it: the jump host. */
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

/** What is known about the hosts beside what a case's report tells. */
export interface Machines {
  /** CPUs by name of host. @default unknown */
  readonly cpus?: ReadonlyMap<string, number>;
  /** All hosts run on the same CPUs: the lab. @default false */
  readonly sharedCpus?: boolean;
  /** @default none burst */
  readonly bursts?: Bursts;
  /** What a topology lets one connection carry, by its name. @default no such limit */
  readonly connectionLimits?: ReadonlyMap<string, ConnectionLimits>;
}

function machinesOf(args: AssembleArgs): Machines {
  const facts = factsOf(args);
  const cpus = facts.flatMap(({ host, cpus }) => (cpus === null ? [] : [[host, cpus] as const]));
  const limited = args.topologies.flatMap(({ name, connectionLimits = null }) =>
    connectionLimits === null ? [] : [[name, connectionLimits] as const],
  );
  return {
    cpus: new Map(cpus),
    sharedCpus: args.cloud === "local",
    bursts: burstsOf(facts),
    connectionLimits: new Map(limited),
  };
}

/** The result of one measurement of a case. */
export function caseResult(run: CaseRun, machines: Machines = {}): CaseResult {
  const { sharedCpus = false, bursts = new Map() } = machines;
  const { topology, case: benchCase, command, report, pairs } = run;
  const first = report === null ? notRun() : readReport(benchCase, report);
  const outcome = { ...first, pairs: null, hosts: report?.hosts ?? [], ...summed(benchCase, pairs) };
  const attempts = (pairs ?? [{ report }]).flatMap((pair) => pair.report?.attempts ?? []);
  const { measurement, version } = outcome;
  const hosts = outcome.hosts.map((usage) => withBurst(usage, bursts));
  const natDrops = natDropsOf(benchCase, hosts);
  const lossPlaces = lossPlacesOf(benchCase, { hosts, measurement, natDrops, sharedCpus });
  return {
    id: benchCase.id,
    topology,
    tool: benchCase.tool,
    toolVersion: version,
    command,
    status: outcome.failure === null ? "ok" : "failed",
    failure: outcome.failure,
    startedAt: extreme(attempts, "startedAt", (a, b) => a < b),
    finishedAt: extreme(attempts, "finishedAt", (a, b) => a > b),
    attempts: report?.attempts ?? [],
    measurement,
    repetitions: null,
    pairs: outcome.pairs,
    limits: limitsIn(run, version, { hosts, measurement, natDrops, lossPlaces }, machines),
    natDrops,
    forwardingCost: measurement === null ? null : forwardingCostOf(hosts, sharedCpus),
    lossPlaces,
    // What the client saw of a reversed run is the server, which proves no way out; a wrong one has failed the case.
    sourceIp: isReversed(benchCase) ? null : (report?.sourceIp ?? null),
    dataSources: isReversed(benchCase) ? null : dataSourcesOf(pairs ?? [{ report }]),
    hosts,
    rawFile: report?.rawFile ?? null,
  };
}

/** What bounded a case, as its tool, its hosts and its way out tell. */
function limitsIn(
  { topology, case: benchCase, report }: CaseRun,
  version: string | null,
  seen: Pick<CaseResult, "hosts" | "measurement" | "natDrops" | "lossPlaces">,
  { cpus = new Map(), sharedCpus = false, connectionLimits }: Machines,
): CaseResult["limits"] {
  const tool = toolOf(benchCase);
  const flows = tool.flows(benchCase, seen.measurement);
  return limitsOf({
    ...seen,
    cpus,
    sharedCpus,
    toolCpu: tool.cpu?.(report?.stdout ?? "", version, benchCase) ?? null,
    flows: flows === null ? null : flows * pairsOf(benchCase),
    connectionLimits: connectionLimits?.get(topology) ?? null,
  });
}

/** Of all pairs together. */
function dataSourcesOf(pairs: readonly Pick<PairRun, "report">[]): CaseResult["dataSources"] {
  const all = pairs.flatMap(({ report }) => report?.dataSources ?? []);
  return all.length === 0 ? null : all;
}

/** What takes the place of the first pair's own figures where there are more. */
function summed(benchCase: Case, pairs: readonly PairRun[] | undefined) {
  const read = (report: RunReport | null) => (report === null ? notRun() : readReport(benchCase, report));
  return (
    pairs &&
    sumPairs(
      benchCase,
      pairs.map((pair) => ({ ...pair, ...read(pair.report) })),
    )
  );
}

interface Outcome {
  readonly failure: Failure | null;
  readonly measurement: Measurement | null;
  readonly version: string | null;
}

function notRun(): Outcome {
  const failure: Failure = { class: "not-run", message: "the case did not run", stderrTail: "" };
  return { failure, measurement: null, version: null };
}

/** What the agent knows (a wrong path, a host lost) goes before what the tool's output says. */
function readReport(benchCase: Case, report: RunReport): Outcome {
  if (report.failure !== null) {
    return { failure: { ...report.failure, stderrTail: report.stderr }, measurement: null, version: null };
  }
  const { exitCode, timedOut, stderr, hosts } = report;
  try {
    const lost = lostBetweenHosts(benchCase.direction, hosts);
    const read = parseOutput(report.stdout, {
      ...{ case: benchCase, exitCode, timedOut, stderr },
      lostBetweenHosts: lost,
    });
    return { failure: null, ...read, measurement: withOutages(read.measurement) };
  } catch (error) {
    if (!(error instanceof ToolFailure)) {
      throw error;
    }
    const failure = { class: error.failureClass, message: error.message, stderrTail: stderr };
    return { failure, measurement: null, version: null };
  }
}

function topologyResult(run: TopologyRun, cases: readonly CaseResult[]): TopologyResult {
  const own = cases.filter((one) => one.topology === run.name);
  const { name, topology, expectedSourceIps, hosts, connectionLimits = null } = run;
  return {
    name,
    topology,
    expectedSourceIps: [...expectedSourceIps],
    path: pathOf(own, expectedSourceIps),
    hosts: [...hosts],
    connectionLimits,
  };
}

/** The proof of a topology's path: every source address that the server saw before a case is an expected one. */
function pathOf(cases: readonly CaseResult[], expected: readonly string[]): TopologyResult["path"] {
  const seen = cases.flatMap((one) => [
    ...(one.pairs ?? [one]).map(({ sourceIp }) => sourceIp),
    ...(one.dataSources ?? []).map(({ address }) => address),
  ]);
  const sourceIps = [...new Set(seen.filter((ip) => ip !== null))];
  const refused = cases.find((one) => one.failure?.class === "path-mismatch");
  if (refused !== undefined) {
    return { status: "mismatch", sourceIps, message: refused.failure?.message ?? null };
  }
  if (sourceIps.length === 0) {
    return { status: "unknown", sourceIps, message: "the server saw no case's source address" };
  }
  if (expected.length === 0) {
    const message = "which address the server had to see was not known beforehand";
    return { status: "unknown", sourceIps, message };
  }
  const wrong = sourceIps.filter((ip) => !expected.includes(ip));
  if (wrong.length > 0) {
    const message = `the server saw ${wrong.join(", ")}; expected ${expected.join(" or ")}`;
    return { status: "mismatch", sourceIps, message };
  }
  return { status: "proved", sourceIps, message: null };
}

/** Compared as instants: agents may write fractions of a second with any number of digits. */
function extreme<Key extends "startedAt" | "finishedAt">(
  cases: readonly { readonly [key in Key]: string | null }[],
  key: Key,
  better: (a: number, b: number) => boolean,
): string | null {
  return cases.reduce<string | null>((best, one) => {
    const at = one[key];
    return at !== null && (best === null || better(Date.parse(at), Date.parse(best))) ? at : best;
  }, null);
}
