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
  type CaseRun,
  caseHash,
  checkPairs,
  commandLine,
  executablesOf,
  orderCases,
  type Plan,
  type PrepareSpec,
  pairsOf,
  ports,
  type Results,
  readHostFacts,
  readRunReport,
  type Summary,
  summarize,
  toolOf,
} from "../bench/index.ts";
import { agentSources } from "./agent-sources.ts";
import { invalid, named } from "./arguments.ts";
import type { Deployment, EgressPath, PathPair } from "./egress.ts";
import type { Host } from "./host.ts";
import { commandSeconds, pairsOfStep, runSpec, type StepArgs } from "./run-spec.ts";

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

/** One case on one path: a command a pair, all at the same time. */
interface Step {
  readonly path: EgressPath;
  readonly case: Case;
  readonly commands: readonly remote.Command[];
}

const PREPARE_SECONDS = 120;
/**
 * Measures every case of a plan on every path of a deployment.
 *
 * One case is one resource, so what has been measured is in the state: when a run breaks, `pulumi up` again
 * measures only what is missing. The cases are chained, since two at a time would measure each other.
 */
export class BenchmarkRun extends pulumi.ComponentResource {
  /** Everything that was measured; schema in `bench/results.ts`. */
  readonly results: pulumi.Output<Results>;
  /** The small table a person wants first. */
  readonly summary: pulumi.Output<Summary>;

  constructor(name: string, args: BenchmarkRunArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:BenchmarkRun", name, {}, opts);
    checkDeployment(args);
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
    const { runId, deployment } = args;
    const { server } = deployment;
    const steps: Step[] = [];
    for (const { topology, case: benchCase } of orderCases(
      args.plan,
      args.deployment.paths.map(({ name }) => name),
    )) {
      const path = args.deployment.paths.find(({ name }) => name === topology) as EgressPath;
      const after = steps.at(-1)?.commands ?? everyHost;
      const step = { runId, server, path, case: benchCase, hash: caseHash(benchCase) };
      const commands = pairsOfStep(path, benchCase).map((_, index) => this.#measurePair(step, index, after));
      steps.push({ path, case: benchCase, commands });
    }
    return steps;
  }

  /** @param index Of the pair, from 0. */
  #measurePair(step: StepArgs, index: number, after: readonly pulumi.Resource[]): remote.Command {
    const { client } = pairsOfStep(step.path, step.case)[index] as PathPair;
    const seconds = commandSeconds(step.case);
    return new remote.Command(
      caseResourceName(step.path.name, step.case.id, index),
      {
        connection: client.connection,
        create: `timeout -k 5 ${seconds} python3 ${AGENT_DIRECTORY}/agent.py run`,
        stdin: pulumi.jsonStringify(runSpec(step, index)),
        triggers: [step.runId, step.hash],
        logging: remote.Logging.None,
        addPreviousOutputInEnv: false,
      },
      {
        parent: this,
        dependsOn: [...after],
        deletedWith: client.machine,
        customTimeouts: { create: `${seconds + 60}s`, update: `${seconds + 60}s` },
      },
    );
  }
}

/** Name of the resource that measures a case, unique within the stack; one a pair. @param pair From 0. */
export function caseResourceName(path: string, caseId: string, pair = 0): string {
  return `${path}:${caseId}${pair === 0 ? "" : `:pair-${pair + 1}`}`;
}

/** @throws {pulumi.InputPropertyError} for a plan that needs more than the deployment has. */
function checkDeployment({ plan, deployment }: BenchmarkRunArgs): void {
  for (const path of deployment.paths) {
    const available = 1 + (path.morePairs ?? []).length;
    named("plan", () => checkPairs(plan, available, `give path ${path.name} as many, or the case fewer`));
  }
  // Nobody starts before the last has come, and the engine would not let it come.
  const parallel = Number(process.env.PULUMI_NODEJS_PARALLEL ?? 0);
  const most = Math.max(1, ...plan.cases.map(pairsOf));
  if (parallel > 0 && most > parallel) {
    throw invalid(
      "plan",
      `${most} pairs start at once, and Pulumi runs ${parallel} operations at a time; use \`pulumi up --parallel ${most}\``,
    );
  }
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
function hostsOf(path: EgressPath, shared: Host): Host[] {
  const ends = [path, ...(path.morePairs ?? [])].flatMap(({ client, server = shared }) => [client, server]);
  return [...ends.filter((host) => host !== shared), ...path.observed];
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
  const facts = (host: Host) => pulumi.output(prepared.get(host)?.command.stdout).apply((text) => text ?? "");
  const told = pulumi.output({
    server: facts(deployment.server),
    topologies: deployment.paths.map((path) => ({
      name: path.name,
      topology: path.topology,
      expectedSourceIps: expectedOf(path),
      hosts: hostsOf(path, deployment.server).map(facts),
    })),
    runs: steps.map(({ path, commands, ...step }) => ({
      topology: path.name,
      case: step.case,
      command: pulumi
        .output(path.serverAddress)
        .apply((address) => toolOf(step.case).command(step.case, address)),
      pairs: pairsOfStep(path, step.case).map(({ client, server = deployment.server }, index) => ({
        client: client.name,
        server: server.name,
        report: commands[index]?.stdout ?? "",
      })),
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
      server: readHostFacts(server),
      topologies: topologies.map((one) => ({
        ...one,
        hosts: one.hosts.flatMap((text) => readHostFacts(text) ?? []),
      })),
      runs: runs.map(readRun),
    }),
  );
}

/** Every address that the server may see, whichever client calls. */
function expectedOf(path: EgressPath): pulumi.Output<string[]> {
  const all = [path, ...(path.morePairs ?? [])].map(({ expectedSourceIps }) => expectedSourceIps);
  return pulumi.output(all).apply((addresses) => [...new Set(addresses.flat())]);
}

interface ToldRun {
  readonly topology: string;
  readonly case: Case;
  readonly command: string;
  readonly pairs: readonly { readonly client: string; readonly server: string; readonly report: string }[];
}

function readRun({ pairs: told, ...run }: ToldRun): CaseRun {
  const pairs = told.map((pair) => ({ ...pair, report: readRunReport(pair.report) }));
  return { ...run, report: pairs[0]?.report ?? null, pairs: pairs.length > 1 ? pairs : undefined };
}
