import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_PORT,
  AGENT_PROTOCOL_VERSION,
  type Case,
  failedReport,
  isReversed,
  type PlannedRun,
  pairsOf,
  type RunReport,
  type RunSpec,
  renewedPorts,
  timeoutSeconds,
  toolOf,
} from "../../bench/index.ts";
import type { EgressPath, PathPair } from "../shared/egress.ts";
import type { Host } from "../shared/host.ts";

/** Seconds for SSH, the agent and the tool's own end, beside the case's time-out. */
const AGENT_MARGIN_SECONDS = 60;
const RETRY = { attempts: 4, delaySeconds: 2 };
/** Seconds for the engine to start all commands of a step, and for their SSH connections through one jump host. */
const RENDEZVOUS_SECONDS = 60;

export interface StepArgs extends Pick<PlannedRun, "case" | "repetition"> {
  readonly runId: string;
  /** Server of paths that have none of their own. */
  readonly server: Host;
  readonly path: EgressPath;
  /** Hash of everything that decides the measurement. */
  readonly hash: string;
  readonly pauseSeconds: number;
}

/** The pairs that measure a case, the path's own first. */
export function pairsOfStep(path: EgressPath, benchCase: Case): PathPair[] {
  return [path, ...(path.extraPairs ?? [])].slice(0, pairsOf(benchCase));
}

/**
 * The ends of a pair. The client runs the case against the server, unless the tool's sender connects and the server is to
 * send. Undefined where the server would have to connect and cannot reach the client.
 * @param index Number of the pair, from 0.
 */
export function endpointsOfPair(
  { path, case: benchCase, server: shared }: StepArgs,
  index: number,
): Endpoints | undefined {
  const pair = pairsOfStep(path, benchCase)[index] as PathPair;
  const { client, server = shared, serverAddress, clientAddress } = pair;
  // The first pair samples the shared hosts.
  const observed = index === 0 ? path.observed : [];
  const observe = (runner: Host, other: Host, address: pulumi.Input<string>) =>
    pulumi.output(
      [
        { host: runner, address: "127.0.0.1" },
        { host: other, address },
        ...observed.map((host) => ({ host, address: host.dataAddress })),
      ].map(({ host: { name: host, role }, address }) => ({ host, role, address, port: AGENT_PORT })),
    );
  if (!isReversed(benchCase)) {
    return {
      runner: client,
      address: serverAddress,
      expected: pair.expectedSourceIps,
      forbidden: pair.forbiddenSourceIps ?? [],
      observe: observe(client, server, serverAddress),
    };
  }
  return clientAddress === undefined
    ? undefined
    : {
        runner: server,
        address: clientAddress,
        expected: [serverAddress],
        forbidden: [],
        observe: observe(server, client, clientAddress),
      };
}

/** Seconds after which a measurement's command is killed. */
export function commandSeconds({ case: benchCase, pauseSeconds }: StepArgs): number {
  const waits = pairsOf(benchCase) > 1 ? 2 * RENDEZVOUS_SECONDS : 0;
  // A pair has one attempt; the time of further attempts is for waiting until the last pair has measured.
  const attempts = RETRY.attempts * (timeoutSeconds(benchCase) + RETRY.delaySeconds);
  return pauseSeconds + attempts + waits + AGENT_MARGIN_SECONDS;
}

export function runSpec(step: StepArgs, index: number, ends: Endpoints): pulumi.Output<RunSpec> {
  const { path, case: benchCase, pauseSeconds } = step;
  const tool = toolOf(benchCase);
  const renew = renewedPorts(benchCase);
  const count = pairsOf(benchCase);
  const key = keyOf(step);
  const { address, expected, forbidden, observe } = ends;
  const met = { port: AGENT_PORT, id: key, count, member: index + 1, waitSeconds: RENDEZVOUS_SECONDS };
  return pulumi.output({ address, expected, forbidden, observe, place: path.serverAddress }).apply(
    (known): RunSpec => ({
      version: AGENT_PROTOCOL_VERSION,
      key,
      command: tool.command(benchCase, known.address),
      pauseSeconds,
      ...(renew.length > 0 && { renew }),
      timeoutSeconds: timeoutSeconds(benchCase),
      reducer: tool.reducer ?? "none",
      // One of several pairs cannot retry without the others.
      retry: { ...RETRY, patterns: [...(tool.retryOn ?? [])], ...(count > 1 ? { attempts: 1 } : {}) },
      path: {
        address: known.address,
        port: AGENT_PORT,
        expected: known.expected,
        forbidden: known.forbidden,
      },
      observe: known.observe,
      ...(count > 1 ? { rendezvous: { address: known.place, ...met } } : {}),
    }),
  );
}

function keyOf({ runId, path, case: { id }, hash, repetition }: StepArgs): string {
  return [runId, path.name, id, hash, ...(repetition > 1 ? [repetition] : [])].join(".");
}

export interface Endpoints {
  readonly runner: Host;
  /** Address of the other end, as the runner reaches it. */
  readonly address: pulumi.Input<string>;
  /** Source addresses that the other end must see, and those that would prove a wrong path. */
  readonly expected: EgressPath["expectedSourceIps"];
  readonly forbidden: EgressPath["expectedSourceIps"];
  /** Hosts to sample, at addresses that the runner reaches. */
  readonly observe: pulumi.Output<RunSpec["observe"]>;
}

/** The report of a case that neither end of a path can run. */
export function unreachableClient({ tool }: Case): RunReport {
  return failedReport(
    "no-route",
    `${tool}'s sender connects, so that ingress needs a client that the server can reach, and this one is behind a NAT: measure ingress with iperf3 here, which the client starts`,
  );
}
