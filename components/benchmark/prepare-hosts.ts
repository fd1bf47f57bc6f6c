/** Makes the hosts of a benchmark ready: installs the agent, starts it, and asks for facts. */

import { createHash, createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_PORT,
  AGENT_PROTOCOL_VERSION,
  buildsOf,
  commandLine,
  executablesOf,
  extraPackagesOf,
  failuresOf,
  type HostFacts,
  type Plan,
  type PrepareSpec,
  readHostFacts,
  servicesOf,
} from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { INSTALL_SECONDS } from "../shared/cloud-init.ts";
import { detached, detachedAfter } from "../shared/detached.ts";
import type { EgressPath } from "../shared/egress.ts";
import { ownTemporary } from "../shared/files.ts";
import type { Host } from "../shared/host.ts";
import { hostCommand } from "../shared/host-ready.ts";
import { type TuningName, tuneHost } from "../tuning/index.ts";
import { AGENT_PACKAGE, packedAgent } from "./agent-sources.ts";
import type { BenchmarkRunArgs } from "./benchmark-run-args.ts";

type PrepareArgs = Pick<BenchmarkRunArgs, "cloud" | "deployment" | "plan" | "runId" | "secret" | "tuning">;

const PREPARE_SECONDS = 120;

interface Preparation {
  /** SHA-256 of the packed agent. */
  readonly digest: string;
  readonly executables: readonly string[];
  readonly cases: Plan["cases"];
  readonly secret: pulumi.Output<string>;
  readonly runId: string;
  readonly tuning: TuningName;
  /** Whether it boots by itself. */
  readonly isMachine: boolean;
}

/** One command per host, which ends when the agent is ready and prints facts. */
export function prepareHosts(args: PrepareArgs, parent: pulumi.Resource): Map<Host, remote.Command> {
  const { server, paths } = args.deployment;
  const hosts = new Set([server, ...paths.flatMap((path) => hostsOf(path, server))]);
  const shared: Preparation = {
    digest: packedAgent().digest,
    executables: executablesOf(args.plan.cases),
    cases: args.plan.cases,
    secret: pulumi.output(args.secret).apply(agentSecret),
    runId: args.runId,
    tuning: args.tuning ?? "none",
    isMachine: !cloudRecords[args.cloud].isLab,
  };
  // Facts of a host, such as its interfaces, are complete only after the paths exist. The first host waits for the paths'
  // resources, and the others for its files: otherwise the state would name all of them once per host.
  let after: readonly pulumi.Resource[] = paths.flatMap((path) => path.ready);
  return new Map(
    [...hosts].map((host, index) => {
      const { files, command } = prepareHost(host, shared, after, parent);
      after = index === 0 && files ? [files] : after;
      return [host, command];
    }),
  );
}

function prepareHost(
  host: Host,
  preparation: Preparation,
  after: readonly pulumi.Resource[],
  parent: pulumi.Resource,
) {
  const { digest, cases, runId, tuning, isMachine } = preparation;
  const tuned = tuneHost(host, tuning, runId, parent);
  const isOurs = isEnd(host) && host.isExisting !== true;
  const packages = isOurs ? extraPackagesOf(cases, host.role) : [];
  // A lab's hosts have the programs of the machine they run on, and no way to a module proxy.
  const builds = isOurs && isMachine ? buildsOf(cases, host.role) : {};
  const building = Object.keys(builds).length > 0 ? PACKAGE_SECONDS + BUILD_SECONDS : 0;
  const seconds = PREPARE_SECONDS + (packages.length > 0 ? PACKAGE_SECONDS : 0) + building;
  // Each run prepares anew: daemons are alive, and facts are current.
  const triggers = [
    ...[host.identity, runId, ...(tuning === "none" ? [] : [tuning])],
    ...[host.revision ?? host.size].filter((revision) => revision !== undefined),
  ].map((trigger) => detached(trigger));
  const hasFiles = host.agent === digest;
  // Detached: the host's resources exist before it is ready.
  const connection = detachedAfter(hasFiles ? after : [], host.connection);
  const files = hasFiles
    ? undefined
    : new remote.CopyToRemote(
        `${host.name}-agent-files`,
        { connection, source: packedAgentFile(), remotePath: AGENT_PACKAGE, triggers },
        { parent, dependsOn: [...host.ready, ...after] },
      );
  const command = hostCommand(
    `${host.name}-agent`,
    {
      connection,
      create: installAndPrepare(preparation, packages, builds),
      stdin: pulumi.secret(
        detached(pulumi.interpolate`${pulumi.jsonStringify(specOf(host, preparation))}\n`),
      ),
      triggers,
    },
    seconds,
    { parent, dependsOn: [...(files ? [files] : host.ready), ...(tuned ? [tuned] : [])] },
  );
  return { command, files };
}

/** Whether a host runs the tools: only the ends of a path do. */
function isEnd({ role }: Host): boolean {
  return role === "client" || role === "server";
}

function specOf(host: Host, { executables, cases, secret }: Preparation) {
  const provoked = failuresOf(cases);
  return {
    version: AGENT_PROTOCOL_VERSION,
    host: host.name,
    role: host.role,
    secret,
    executables: isEnd(host) ? [...executables] : [],
    port: AGENT_PORT,
    services: servicesOf(cases, host.role).map(({ name, port, command }) => ({ name, port, command })),
    ...(host.role === "nat" && provoked.length > 0 ? { failures: provoked } : {}),
  } satisfies { [key in keyof PrepareSpec]: unknown };
}

/** The hosts of a path, without the shared server. */
export function hostsOf(path: EgressPath, shared: Host): Host[] {
  const ends = [path, ...(path.extraPairs ?? [])].flatMap(({ client, server = shared }) => [client, server]);
  return [...ends.filter((host) => host !== shared), ...path.observed];
}

/** The hosts' shared secret. The key behind it cannot be computed from it. */
function agentSecret(secret: string): string {
  return createHmac("sha256", secret).update("egress-bench host agent").digest("hex");
}

/** Facts that a host reported, and those that only the deployment knows; null where unreadable. */
export function hostFacts(
  { size, region, zone, burst }: Pick<Host, "size" | "region" | "zone" | "burst">,
  output: pulumi.Input<string> | undefined,
): pulumi.Output<HostFacts | null> {
  const known = pulumi.output({ size, region, zone, burst });
  return pulumi.all([output, known]).apply(([text, deployed]) => {
    const facts = readHostFacts(text ?? "");
    return (
      facts && {
        ...facts,
        size: deployed.size ?? facts.size,
        region: deployed.region ?? facts.region,
        // Where the cloud chose the zone, only the machine itself knows it.
        zone: deployed.zone ?? facts.zone ?? facts.placement?.zone ?? null,
        // Hosts do not know their own burst limits.
        burst: deployed.burst ?? null,
      }
    );
  });
}

/**
 * Digest of the facts that decide performance: a case is measured again when it changes. Interface names and counts are
 * left out, because a server has one more with each path.
 */
export function hostsDigest(hosts: readonly pulumi.Output<HostFacts | null>[]): pulumi.Output<string> {
  return pulumi.unsecret(pulumi.all([...hosts])).apply((all) => {
    const decisive = all.map(
      (facts) =>
        facts && {
          ...{ host: facts.host, size: facts.size, architecture: facts.architecture, cpus: facts.cpus },
          ...{ kernel: facts.kernel, tuning: facts.tuning, dataPlane: facts.dataPlane },
          // Azure's accelerated networking adds a driver beside the synthetic one.
          drivers: [...new Set(facts.interfaces.map(({ driver }) => driver ?? ""))].sort(),
        },
    );
    return createHash("sha256").update(JSON.stringify(decisive)).digest("hex").slice(0, 16);
  });
}

/** Seconds that {@link installAndPrepare} may take for packages that the host lacks. */
const PACKAGE_SECONDS = INSTALL_SECONDS + 60;

/** Seconds that building programs may take. */
const BUILD_SECONDS = 900;

/**
 * Shell that installs the agent and ends when it is ready. Its stdin is the specification of `prepare`. The state keeps
 * this line twice a host, so the scripts are in the package: `agent/unpack.py`, and `prepare-host.sh` with its settings.
 * @param packages Packages to install beyond those of the first boot.
 * @param builds Programs to build where the machine lacks them, with their Go modules.
 */
export function installAndPrepare(
  { digest, tuning, isMachine }: Pick<Preparation, "digest" | "tuning" | "isMachine">,
  packages: readonly string[],
  builds: Readonly<Record<string, string>>,
): string {
  const words = (name: string, all: readonly string[]) =>
    all.length === 0 ? [] : [`${name}=${all.join(" ")}`];
  return commandLine([
    "python3",
    AGENT_PACKAGE,
    digest,
    `seconds=${PREPARE_SECONDS - 10}`,
    ...words("packages", packages),
    ...words("builds", Object.entries(builds).flat()),
    ...(isMachine ? ["machine"] : []),
    ...(tuning === "none" ? ["untune"] : []),
  ]);
}

let file: pulumi.asset.FileAsset | undefined;

/**
 * The packed agent as a file asset: the state keeps only its digest, where the text would be written with every step.
 */
export function packedAgentFile(): pulumi.asset.FileAsset {
  if (file === undefined) {
    const path = join(ownTemporary("agent"), AGENT_PACKAGE);
    writeFileSync(path, packedAgent().bytes);
    file = new pulumi.asset.FileAsset(path);
  }
  return file;
}
