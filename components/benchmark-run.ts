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
  commandLine,
  executablesOf,
  isSettled,
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
import { agentSources } from "./agent-sources.ts";
import type { Deployment, EgressPath } from "./egress.ts";
import type { Host } from "./host.ts";
import { hostFacts } from "./host-facts.ts";

export interface BenchmarkRunArgs {
  readonly stack: string;
  readonly cloud: Results["cloud"];
  /** A new one measures everything afresh; the same one measures only what is missing or changed. */
  readonly runId: string;
  readonly plan: Plan;
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
  readonly secret: pulumi.Output<string>;
  readonly runId: string;
  readonly after: readonly pulumi.Resource[];
}

/** One measurement of one case on one path. */
interface Step extends PlannedRun {
  readonly path: EgressPath;
  readonly command: remote.Command;
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
      secret: pulumi.output(args.secret).apply(agentSecret),
      runId: args.runId,
      // What a host tells about itself, its interfaces say, is complete only then.
      after: paths.flatMap((path) => path.ready),
    };
    return new Map([...hosts].map((host) => [host, this.#prepare(host, shared)]));
  }

  #prepare(host: Host, { sources, executables, secret, runId, after }: Preparation): Prepared {
    const spec = {
      version: AGENT_PROTOCOL_VERSION,
      host: host.name,
      role: host.role,
      secret,
      // Only the ends of a path run the tools.
      executables: host.role === "client" || host.role === "server" ? [...executables] : [],
      ports: { ...ports },
    } satisfies { [key in keyof PrepareSpec]: unknown };
    const command = new remote.Command(
      `${host.name}-agent`,
      {
        connection: host.connection,
        create: installAndPrepare,
        stdin: pulumi.secret(pulumi.interpolate`${pulumi.jsonStringify(spec)}\n${JSON.stringify(sources)}`),
        // A run starts with daemons that live, and with facts of its own day.
        triggers: [host.identity, runId],
        logging: remote.Logging.None,
        addPreviousOutputInEnv: false,
      },
      {
        parent: this,
        dependsOn: [...host.ready, ...after],
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
      const previous = steps.at(-1)?.command;
      const command = this.#measureCase(args, path, planned, {
        pauseSeconds: previous === undefined ? 0 : plan.pauseSeconds,
        settled: isSettledBy(steps, planned, plan),
        after: previous === undefined ? everyHost : [previous],
      });
      steps.push({ ...planned, path, command });
    }
    return steps;
  }

  #measureCase(
    args: BenchmarkRunArgs,
    path: EgressPath,
    { case: benchCase, repetition }: PlannedRun,
    { settled, pauseSeconds, after }: Turn,
  ): remote.Command {
    const hash = caseHash(benchCase);
    const seconds =
      pauseSeconds + RETRY.attempts * (timeoutSeconds(benchCase) + RETRY.delaySeconds) + AGENT_MARGIN_SECONDS;
    const run = `timeout -k 5 ${seconds} python3 ${AGENT_DIRECTORY}/agent.py run`;
    const spec = runSpec(args, path, benchCase, { hash, repetition, pauseSeconds });
    return new remote.Command(
      caseResourceName(path.name, benchCase.id, repetition),
      {
        connection: path.client.connection,
        create: settled.apply((done) => (done ? `echo ${SETTLED}` : run)),
        stdin: pulumi.jsonStringify(spec),
        triggers: [args.runId, hash],
        logging: remote.Logging.None,
        addPreviousOutputInEnv: false,
      },
      {
        parent: this,
        dependsOn: [...after],
        deletedWith: path.client.machine,
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
  const told = pulumi.all(same.map(({ command }) => command.stdout));
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

/**
 * stdin: a line of JSON for the agent, then the agent's files as a JSON object. Written whole and renamed, since
 * an agent that runs already may be reading them.
 */
const writeSources = `
import json, os, sys
for name, text in json.load(sys.stdin).items():
    with open(name + ".new", "w") as file:
        file.write(text)
    os.replace(name + ".new", name)`;

const installAndPrepare = [
  "set -e",
  "umask 077",
  `mkdir -p ${AGENT_DIRECTORY}`,
  `cd ${AGENT_DIRECTORY}`,
  "IFS= read -r spec",
  commandLine(["python3", "-c", writeSources]),
  `printf '%s' "$spec" | timeout -k 5 ${PREPARE_SECONDS - 10} python3 agent.py prepare`,
].join("\n");

/** The hosts of a path, without the server that all share. */
function hostsOf({ client, server, observed }: EgressPath, shared: Host): Host[] {
  return [client, ...(server === undefined || server === shared ? [] : [server]), ...observed];
}

/** What the client's agent is asked to do for one case. */
function runSpec(
  args: BenchmarkRunArgs,
  path: EgressPath,
  benchCase: Case,
  { hash, repetition, pauseSeconds }: { hash: string; repetition: number; pauseSeconds: number },
): pulumi.Output<RunSpec> {
  const tool = toolOf(benchCase);
  const server = path.server ?? args.deployment.server;
  const observed = [server, ...path.observed].map((host) => ({
    host: host.name,
    role: host.role,
    address: host === server ? path.serverAddress : host.dataAddress,
    port: ports.agent,
  }));
  return pulumi
    .all([path.serverAddress, path.expectedSourceIps, path.forbiddenSourceIps ?? [], pulumi.all(observed)])
    .apply(
      ([serverAddress, expected, forbidden, others]): RunSpec => ({
        version: AGENT_PROTOCOL_VERSION,
        key: [args.runId, path.name, benchCase.id, hash, ...(repetition > 1 ? [repetition] : [])].join("."),
        command: tool.command(benchCase, serverAddress),
        pauseSeconds,
        timeoutSeconds: timeoutSeconds(benchCase),
        reducer: tool.reducer,
        retry: { ...RETRY, patterns: [...tool.retryOn] },
        path: { address: serverAddress, port: ports.agent, expected, forbidden },
        observe: [
          { host: path.client.name, role: path.client.role, address: "127.0.0.1", port: ports.agent },
          ...others,
        ],
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
    runs: steps.map(({ path, command, ...step }) => ({
      topology: path.name,
      case: step.case,
      command: pulumi
        .output(path.serverAddress)
        .apply((address) => toolOf(step.case).command(step.case, address)),
      report: command.stdout,
    })),
  });
  // What goes to the agents holds their secret; what comes back never does.
  return pulumi.unsecret(told).apply(({ server, topologies, runs }) =>
    assembleResults({
      stack: run.stack,
      cloud: run.cloud,
      runId: run.runId,
      plan: run.plan,
      notes: deployment.notes,
      server,
      topologies: topologies.map((one) => ({
        ...one,
        hosts: one.hosts.flatMap((known) => known ?? []),
      })),
      runs: runs
        .filter(({ report }) => !isSettledText(report))
        .map((one) => ({ ...one, report: readRunReport(one.report) })),
    }),
  );
}
