/**
 * Runs a plan between hosts: prepares them, measures one case after another, and assembles the results. Cloud-neutral, and
 * the only module that makes remote commands for the benchmark.
 */
import type { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_DIRECTORY,
  assembleResults,
  type CaseRun,
  caseHash,
  caseResult,
  checkFits,
  isSettled,
  orderCases,
  type PlannedRun,
  pairsOf,
  type Repeat,
  type Results,
  readRunReport,
  renderSummary,
  summarize,
  toolOf,
} from "../../bench/index.ts";
import { checkArgs } from "../shared/args-schema.ts";
import { invalid, named } from "../shared/arguments.ts";
import { detached, detachedAfter } from "../shared/detached.ts";
import { type EgressPath, sourcesOf } from "../shared/egress.ts";
import type { Host } from "../shared/host.ts";
import { hostCommand } from "../shared/host-ready.ts";
import { tuningNotes } from "../tuning/index.ts";
import { type BenchmarkRunArgs, benchmarkRunSchema } from "./benchmark-run-args.ts";
import { caseResourceName, isSettledText, SETTLING } from "./case-resource.ts";
import { hostFacts, hostsDigest, hostsOf, prepareHosts } from "./prepare-hosts.ts";
import {
  commandSeconds,
  type Endpoints,
  endpointsOfPair,
  pairsOfStep,
  runSpec,
  type StepArgs,
  unreachableClient,
} from "./run-spec.ts";

/** Output of one pair's agent; null where the case could not be run. */
interface PairOutput {
  readonly client: string;
  readonly server: string;
  readonly report: string | null;
}

interface CaseOutput extends Pick<CaseRun, "topology" | "case" | "command"> {
  readonly pairs: readonly PairOutput[];
}

/** The reports of a case, read and checked; null where a repetition was not needed. */
function readRun({ pairs, ...run }: CaseOutput): CaseRun | null {
  if (pairs.some(({ report }) => report !== null && isSettledText(report))) {
    return null;
  }
  const read = (report: string | null) =>
    report === null ? unreachableClient(run.case) : readRunReport(report ?? "");
  return { ...run, pairs: pairs.map((pair) => ({ ...pair, report: read(pair.report) })) };
}

/** Whether a case needs no further repetition after these; known once they have been measured. */
function settledAfter(
  earlier: readonly pulumi.Output<CaseRun | null>[],
  repeat: Repeat,
): pulumi.Output<boolean> {
  if (repeat.withinPercent === null || earlier.length < repeat.least) {
    return pulumi.output(false);
  }
  return pulumi.unsecret(pulumi.all([...earlier])).apply((runs) => {
    const results = (runs as (CaseRun | null)[]).flatMap((run) => (run === null ? [] : [caseResult(run)]));
    return isSettled(results, repeat);
  });
}

interface Step extends PlannedRun {
  readonly path: EgressPath;
  /** One command per pair, all at the same time. None where the server would connect to the client and cannot reach it. */
  readonly commands: readonly remote.Command[];
  readonly run: pulumi.Output<CaseRun | null>;
}

interface Schedule {
  readonly settled: pulumi.Output<boolean>;
  readonly after: readonly remote.Command[];
}

/**
 * Measures every case of a plan on every path of a deployment.
 *
 * One case is one resource, so the state knows what has been measured: after a broken run, `pulumi up` measures only what
 * is missing. The cases are chained, since parallel cases would measure each other.
 *
 * Cost: the traffic between the hosts, as the cloud charges it; the run itself makes no cloud resources.
 *
 * @example
 * ```ts
 * import { BenchmarkRun } from "egress-bench";
 * import { parsePlan } from "egress-bench/bench";
 *
 * const run = new BenchmarkRun("benchmark", {
 *   stack: pulumi.getStack(),
 *   cloud: "aws",
 *   runId: "1",
 *   plan: parsePlan("quick"),
 *   deployment: { server: pair.server.host, paths: [pair.path], notes: [] },
 *   secret: operator.privateKey,
 * });
 * export const { results, summary } = run;
 * ```
 */
export class BenchmarkRun extends pulumi.ComponentResource {
  /** Everything that was measured; schema in `bench/results/`. */
  readonly results: pulumi.Output<Results>;
  /** The small table to read first, as text: a row per case, a column per way out. */
  readonly summary: pulumi.Output<string>;

  constructor(name: string, args: BenchmarkRunArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:BenchmarkRun", name, {}, opts);
    checkArgs("BenchmarkRun", benchmarkRunSchema, args);
    checkDeployment(args);
    const prepared = prepareHosts(args, this);
    const steps = this.#measure(args, prepared);
    this.results = collect(args, prepared, steps);
    this.summary = this.results.apply((results) => renderSummary(summarize(results)));
    // Results are left out: the stack exports them, and the state is rewritten with every step.
    this.registerOutputs({ summary: this.summary });
  }

  #measure(args: BenchmarkRunArgs, prepared: ReadonlyMap<Host, remote.Command>): Step[] {
    const everyHost = [...prepared.values()];
    const { plan, deployment, runId, tuning = "none" } = args;
    const steps: Step[] = [];
    const digests = new Map(
      deployment.paths.map((path) => {
        const own = [deployment.server, ...hostsOf(path, deployment.server)];
        return [path.name, hostsDigest(own.map((host) => hostFacts(host, prepared.get(host)?.stdout)))];
      }),
    );
    for (const planned of orderCases(
      plan,
      deployment.paths.map(({ name }) => name),
    )) {
      const path = deployment.paths.find(({ name }) => name === planned.topology) as EgressPath;
      const previous = steps.findLast(({ commands }) => commands.length > 0)?.commands;
      const hash = [caseHash(planned.case), ...(tuning === "none" ? [] : [tuning])].join(".");
      const pauseSeconds = previous === undefined ? 0 : plan.pauseSeconds;
      const hosts = digests.get(path.name) as pulumi.Output<string>;
      const step = { ...planned, runId, server: deployment.server, path, hash, pauseSeconds, hosts };
      const before = steps.filter((one) => one.path === path && one.case === planned.case);
      const settled = settledAfter(
        before.map(({ run }) => run),
        plan.repeat,
      );
      const schedule = { settled, after: previous ?? everyHost };
      const commands = pairsOfStep(path, planned.case).flatMap((_, pair) => {
        const ends = endpointsOfPair(step, pair);
        return ends === undefined ? [] : [this.#measurePair(step, pair, ends, schedule)];
      });
      steps.push({ ...planned, path, commands, run: caseRun(step, commands) });
    }
    return steps;
  }

  /** Measures one pair. @param pair Number of the pair, from 0. */
  #measurePair(
    step: StepArgs & { readonly hosts: pulumi.Output<string> },
    pair: number,
    ends: Endpoints,
    { settled, after }: Schedule,
  ): remote.Command {
    const seconds = commandSeconds(step);
    const run = `timeout -k 5 ${seconds} python3 ${AGENT_DIRECTORY}/agent.py run`;
    return hostCommand(
      caseResourceName(step.path.name, step.case.id, step.repetition, pair),
      {
        // The chain of cases begins with the agents, which depend on their hosts. All earlier resources are awaited here,
        // and only one is named below: with many pairs the state would repeat each of them per pair.
        connection: detachedAfter(after, ends.runner.connection),
        create: detached(settled.apply((done) => (done ? SETTLING : run))),
        stdin: detached(
          pulumi.jsonStringify(
            pulumi
              .all([runSpec(step, pair, ends), step.hosts])
              .apply(([spec, hosts]) => ({ ...spec, hosts })),
          ),
        ),
        triggers: [step.runId, step.hash],
      },
      seconds + 60,
      { parent: this, dependsOn: (after[pair] ?? after[0]) as remote.Command },
    );
  }
}

/** The reports of a case, and the first pair's command line; empty where neither end can run it. */
function caseRun(step: StepArgs, commands: readonly remote.Command[]): pulumi.Output<CaseRun | null> {
  const command = pulumi
    .output(endpointsOfPair(step, 0)?.address)
    .apply((address) => (address === undefined ? "" : toolOf(step.case).command(step.case, address)));
  const pairs = pairsOfStep(step.path, step.case).map(({ client, server = step.server }, index) => ({
    client: client.name,
    server: server.name,
    report: commands[index]?.stdout ?? null,
  }));
  return pulumi
    .all([command, pulumi.output(pairs)])
    .apply(([line, reports]) =>
      readRun({ topology: step.path.name, case: step.case, command: line, pairs: reports }),
    );
}

/** Refuses a plan that needs more than the deployment has. @throws {pulumi.InputPropertyError} */
function checkDeployment({ plan, deployment }: BenchmarkRunArgs): void {
  const available = deployment.paths.map(({ extraPairs = [] }) => 1 + extraPairs.length);
  named("plan", () => checkFits(plan, available, "give each path as many, or the case fewer"));
  // The pairs wait for each other, so the engine must start them all at once.
  const parallel = Number(process.env.PULUMI_NODEJS_PARALLEL ?? 0);
  const most = Math.max(1, ...plan.cases.map(pairsOf));
  if (parallel > 0 && most > parallel) {
    throw invalid(
      "plan",
      `${most} pairs start at once, and Pulumi runs ${parallel} operations at a time; use \`pulumi up --parallel ${most}\``,
    );
  }
}

function collect(
  args: BenchmarkRunArgs,
  prepared: ReadonlyMap<Host, remote.Command>,
  steps: readonly Step[],
): pulumi.Output<Results> {
  const { deployment, ...run } = args;
  const facts = (host: Host) => hostFacts(host, prepared.get(host)?.stdout);
  const collected = pulumi.output({
    server: facts(deployment.server),
    topologies: deployment.paths.map((path) => ({
      name: path.name,
      topology: path.topology,
      expectedSourceIps: sourcesOf([path, ...(path.extraPairs ?? [])]),
      connectionLimits: path.connectionLimits ?? null,
      kind: path.kind ?? null,
      idleTimeoutSeconds: path.idleTimeoutSeconds ?? null,
      ownPrice: path.ownPrice ?? null,
      hosts: hostsOf(path, deployment.server).map(facts),
    })),
    runs: steps.map(({ run }) => run),
  });
  // Unsecret: the agents' input holds their secret, their output never does.
  return pulumi.unsecret(collected).apply(({ server, topologies, runs }) =>
    assembleResults({
      stack: run.stack,
      cloud: run.cloud,
      runId: run.runId,
      plan: run.plan,
      notes: [...deployment.notes, ...tuningNotes(run.tuning ?? "none")],
      server,
      topologies: topologies.map((one) => ({
        ...one,
        hosts: one.hosts.flatMap((known) => known ?? []),
      })),
      runs: (runs as (CaseRun | null)[]).flatMap((one) => one ?? []),
    }),
  );
}
