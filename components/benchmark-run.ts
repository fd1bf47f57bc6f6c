/**
 * Runs a plan between hosts: prepares them, measures one case after the other, and assembles the results.
 * Cloud-neutral, and the only module that makes remote commands for the benchmark.
 *
 * @module
 */
import { createHmac } from "node:crypto";
import { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_DIRECTORY,
  AGENT_PROTOCOL_VERSION,
  assembleResults,
  type Case,
  caseHash,
  caseResult,
  executablesOf,
  isSettled,
  ntttcpPorts,
  orderCases,
  type Plan,
  type PlannedRun,
  type PrepareSpec,
  ports,
  type Results,
  type RunSpec,
  readRunReport,
  type Summary,
  summarize,
  timeoutSeconds,
  toolOf,
} from "../bench/index.ts";
import { installAndPrepare } from "./agent-install.ts";
import { agentSources } from "./agent-sources.ts";
import { type CaseEnds, endsOf, unreachableClient } from "./case-ends.ts";
import type { Deployment, EgressPath } from "./egress.ts";
import type { Host } from "./host.ts";
import { hostFacts } from "./host-facts.ts";
import { type TuningName, tuneHost, tuningNotes } from "./tuning/index.ts";

export interface BenchmarkRunArgs {
  readonly stack: string;
  readonly cloud: Results["cloud"];
  /** A new one measures everything afresh; the same one measures only what is missing or changed. */
  readonly runId: string;
  readonly plan: Plan;
  /** Kernel settings of clients and servers. @default "none" */
  readonly tuning?: TuningName | undefined;
  readonly deployment: Deployment;
  /** Any secret of the stack; the hosts' agents recognise each other by what is derived from it. */
  readonly secret: pulumi.Input<string>;
}

/** A prepared host and what it told about itself. */
interface Prepared {
  readonly host: Host;
  readonly command: remote.Command;
}

/** What all hosts are prepared with. */
interface Preparation {
  readonly sources: Readonly<Record<string, string>>;
  readonly executables: readonly string[];
  readonly ntttcp: PrepareSpec["ntttcp"];
  readonly secret: pulumi.Output<string>;
  readonly runId: string;
  readonly tuning: TuningName;
  readonly after: readonly pulumi.Resource[];
}

/** One measurement of one case on one path. */
interface Step extends PlannedRun {
  readonly path: EgressPath;
  /** Null where the server would have to connect to a client that it cannot reach. */
  readonly ends: CaseEnds | null;
  readonly command: remote.Command | null;
}

/** When a measurement has its turn. */
interface Turn {
  /** It is not needed any more. */
  readonly settled: pulumi.Output<boolean>;
  readonly pauseSeconds: number;
  readonly after: readonly pulumi.Resource[];
}

/** Time for SSH, the agent and the tool's own end beside the case's time-out. */
const AGENT_MARGIN_SECONDS = 60;
const PREPARE_SECONDS = 120;
const RETRY = { attempts: 4, delaySeconds: 2 };

/**
 * Measures every case of a plan on every path of a deployment.
 *
 * One case is one resource, so what has been measured is in the state: when a run breaks, `pulumi up` again
 * measures only what is missing. The cases are chained, since two at a time would measure each other.
 */
export class BenchmarkRun extends pulumi.ComponentResource {
  /** Everything that was measured; schema in `bench/results/`. */
  readonly results: pulumi.Output<Results>;
  /** The small table a person wants first. */
  readonly summary: pulumi.Output<Summary>;

  constructor(name: string, args: BenchmarkRunArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:BenchmarkRun", name, {}, opts);
    const prepared = this.#prepareHosts(args);
    const steps = this.#measure(args, prepared);
    this.results = collect(args, prepared, steps);
    this.summary = this.results.apply(summarize);
    this.registerOutputs({ results: this.results, summary: this.summary });
  }

  #prepareHosts(args: BenchmarkRunArgs): Map<Host, Prepared> {
    const { server, paths } = args.deployment;
    const hosts = new Set([server, ...paths.flatMap((path) => hostsOf(path, server))]);
    const shared: Preparation = {
      sources: agentSources(),
      executables: executablesOf(args.plan.cases),
      ntttcp: args.plan.cases.some(({ tool }) => tool === "ntttcp") ? ntttcpPorts : undefined,
      secret: pulumi.output(args.secret).apply(agentSecret),
      runId: args.runId,
      tuning: args.tuning ?? "none",
      // What a host tells about itself, its interfaces say, is complete only then.
      after: paths.flatMap((path) => path.ready),
    };
    return new Map([...hosts].map((host) => [host, this.#prepare(host, shared)]));
  }

  #prepare(host: Host, preparation: Preparation): Prepared {
    const { sources, executables, ntttcp, secret, runId, tuning, after } = preparation;
    const tuned = tuneHost(host, tuning, runId, this);
    const spec = {
      version: AGENT_PROTOCOL_VERSION,
      host: host.name,
      role: host.role,
      secret,
      // Only the ends of a path run the tools.
      executables: host.role === "client" || host.role === "server" ? [...executables] : [],
      ports: { ...ports },
      ...(ntttcp && { ntttcp }),
    } satisfies { [key in keyof PrepareSpec]: unknown };
    const command = new remote.Command(
      `${host.name}-agent`,
      {
        connection: host.connection,
        create: installAndPrepare(tuning, PREPARE_SECONDS - 10),
        stdin: pulumi.secret(pulumi.interpolate`${pulumi.jsonStringify(spec)}\n${JSON.stringify(sources)}`),
        // A run starts with daemons that live, and with facts of its own day.
        triggers: [host.identity, runId, ...(tuning === "none" ? [] : [tuning])],
        logging: remote.Logging.None,
        addPreviousOutputInEnv: false,
      },
      {
        parent: this,
        dependsOn: [...host.ready, ...after, ...(tuned ? [tuned] : [])],
        deletedWith: host.machine,
        customTimeouts: { create: `${PREPARE_SECONDS}s`, update: `${PREPARE_SECONDS}s` },
      },
    );
    return { host, command };
  }

  #measure(args: BenchmarkRunArgs, prepared: ReadonlyMap<Host, Prepared>): Step[] {
    const everyHost = [...prepared.values()].map(({ command }) => command);
    const { plan, deployment } = args;
    const steps: Step[] = [];
    for (const planned of orderCases(
      plan,
      deployment.paths.map(({ name }) => name),
    )) {
      const path = deployment.paths.find(({ name }) => name === planned.topology) as EgressPath;
      const ends = endsOf(path, deployment.server, planned.case) ?? null;
      const previous = steps.findLast(({ command }) => command !== null)?.command;
      const turn = {
        pauseSeconds: previous ? plan.pauseSeconds : 0,
        settled: isSettledBy(steps, planned, plan),
        after: previous ? [previous] : everyHost,
      };
      const command = ends && this.#measureCase(args, path, ends, planned, turn);
      steps.push({ ...planned, path, ends, command });
    }
    return steps;
  }

  #measureCase(
    args: BenchmarkRunArgs,
    path: EgressPath,
    ends: CaseEnds,
    { case: benchCase, repetition }: PlannedRun,
    { settled, pauseSeconds, after }: Turn,
  ): remote.Command {
    const { tuning = "none" } = args;
    const hash = tuning === "none" ? caseHash(benchCase) : `${caseHash(benchCase)}.${tuning}`;
    const seconds =
      pauseSeconds + RETRY.attempts * (timeoutSeconds(benchCase) + RETRY.delaySeconds) + AGENT_MARGIN_SECONDS;
    const run = `timeout -k 5 ${seconds} python3 ${AGENT_DIRECTORY}/agent.py run`;
    const spec = runSpec(args, path, ends, benchCase, { hash, repetition, pauseSeconds });
    return new remote.Command(
      caseResourceName(path.name, benchCase.id, repetition),
      {
        connection: ends.runner.connection,
        create: settled.apply((done) => (done ? `echo ${SETTLED}` : run)),
        stdin: pulumi.jsonStringify(spec),
        triggers: [args.runId, hash],
        logging: remote.Logging.None,
        addPreviousOutputInEnv: false,
      },
      {
        parent: this,
        dependsOn: [...after],
        deletedWith: ends.runner.machine,
        customTimeouts: { create: `${seconds + 60}s`, update: `${seconds + 60}s` },
      },
    );
  }
}

/** Whether the repetitions before this one have made it needless; known only when they have been measured. */
function isSettledBy(earlier: readonly Step[], planned: PlannedRun, plan: Plan): pulumi.Output<boolean> {
  const { repeat } = plan;
  if (repeat.withinPercent === null || planned.repetition <= repeat.least) {
    return pulumi.output(false);
  }
  const same = earlier.filter(
    (step) => step.topology === planned.topology && step.case.id === planned.case.id,
  );
  const told = pulumi.all(same.flatMap(({ command }) => command?.stdout ?? []));
  return pulumi.unsecret(told).apply((reports) => {
    const measured = reports.filter((text) => !isSettledText(text));
    const results = measured.map((text) =>
      caseResult({ ...planned, command: "", report: readRunReport(text) }),
    );
    return isSettled(results, repeat);
  });
}

/** What stands in the state for a repetition that was not needed. */
const SETTLED = "not needed: the repetitions before agree";

/** Whether a case's output says that its repetition was not needed. */
export function isSettledText(stdout: string): boolean {
  return stdout.trim() === SETTLED;
}

/** Name of the resource that measures a case, unique within the stack. */
export function caseResourceName(path: string, caseId: string, repetition: number): string {
  return [path, caseId, ...(repetition > 1 ? [repetition] : [])].join(":");
}

/** The hosts of a path, without the server that all share. */
function hostsOf({ client, server, observed }: EgressPath, shared: Host): Host[] {
  return [client, ...(server === undefined || server === shared ? [] : [server]), ...observed];
}

/** What the agent of the end that runs the tool is asked to do for one case. */
function runSpec(
  args: BenchmarkRunArgs,
  path: EgressPath,
  ends: CaseEnds,
  benchCase: Case,
  { hash, repetition, pauseSeconds }: { hash: string; repetition: number; pauseSeconds: number },
): pulumi.Output<RunSpec> {
  const tool = toolOf(benchCase);
  return pulumi.all([ends.address, ends.expected, ends.forbidden, ends.observe]).apply(
    ([address, expected, forbidden, observe]): RunSpec => ({
      version: AGENT_PROTOCOL_VERSION,
      key: [args.runId, path.name, benchCase.id, hash, ...(repetition > 1 ? [repetition] : [])].join("."),
      command: tool.command(benchCase, address),
      pauseSeconds,
      timeoutSeconds: timeoutSeconds(benchCase),
      reducer: tool.reducer,
      retry: { ...RETRY, patterns: [...tool.retryOn] },
      path: { address, port: ports.agent, expected, forbidden },
      observe,
    }),
  );
}

/** The hosts' shared secret, which must not tell the key it comes from. */
function agentSecret(secret: string): string {
  return createHmac("sha256", secret).update("egress-bench host agent").digest("hex");
}

function collect(
  args: BenchmarkRunArgs,
  prepared: ReadonlyMap<Host, Prepared>,
  steps: readonly Step[],
): pulumi.Output<Results> {
  const { deployment, ...run } = args;
  const facts = (host: Host) => hostFacts(host, prepared.get(host)?.command.stdout);
  const told = pulumi.output({
    server: facts(deployment.server),
    topologies: deployment.paths.map((path) => ({
      name: path.name,
      topology: path.topology,
      expectedSourceIps: path.expectedSourceIps,
      hosts: hostsOf(path, deployment.server).map(facts),
    })),
    runs: steps.map(({ path, ends, command, ...step }) => ({
      topology: path.name,
      case: step.case,
      command: pulumi
        .output(ends?.address)
        .apply((address) => (address === undefined ? "" : toolOf(step.case).command(step.case, address))),
      report: command?.stdout ?? null,
    })),
  });
  // What goes to the agents holds their secret; what comes back never does.
  return pulumi.unsecret(told).apply(({ server, topologies, runs }) =>
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
      runs: runs
        .filter(({ report }) => report === null || !isSettledText(report))
        .map((one) => ({
          ...one,
          report: one.report === null ? unreachableClient(one.case) : readRunReport(one.report),
        })),
    }),
  );
}
