/**
 * What the clients' agents are asked to do for one case, and how long it may take.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_PROTOCOL_VERSION,
  type Case,
  pairsOf,
  ports,
  type RunSpec,
  timeoutSeconds,
  toolOf,
} from "../bench/index.ts";
import type { EgressPath, PathPair } from "./egress.ts";
import type { Host } from "./host.ts";

/** Time for SSH, the agent and the tool's own end beside the case's time-out. */
const AGENT_MARGIN_SECONDS = 60;
const RETRY = { attempts: 4, delaySeconds: 2 };
/** For the engine to start all commands of a step and for their SSH connections, through one jump host, to come up. */
const RENDEZVOUS_SECONDS = 60;

/** What the commands of a step have in common. */
export interface StepArgs {
  readonly runId: string;
  /** Of paths without one of their own. */
  readonly server: Host;
  readonly path: EgressPath;
  readonly case: Case;
  readonly hash: string;
}

/** The pairs that measure a case, the path's own first. */
export function pairsOfStep(path: EgressPath, benchCase: Case): PathPair[] {
  return [path, ...(path.morePairs ?? [])].slice(0, pairsOf(benchCase));
}

/** Seconds after which a case's command is ended. */
export function commandSeconds(benchCase: Case): number {
  const waits = pairsOf(benchCase) > 1 ? 2 * RENDEZVOUS_SECONDS : 0;
  const attempts = RETRY.attempts * (timeoutSeconds(benchCase) + RETRY.delaySeconds);
  return attempts + waits + AGENT_MARGIN_SECONDS;
}

/** What a client's agent is asked to do for one case. */
export function runSpec(
  { runId, server: shared, path, case: benchCase, hash }: StepArgs,
  index: number,
): pulumi.Output<RunSpec> {
  const tool = toolOf(benchCase);
  const pairs = pairsOfStep(path, benchCase);
  const pair = pairs[index] as PathPair;
  const server = pair.server ?? shared;
  // What all pairs share is sampled by the first.
  const observed = [server, ...(index === 0 ? path.observed : [])].map((host) => ({
    host: host.name,
    role: host.role,
    address: host === server ? pair.serverAddress : host.dataAddress,
    port: ports.agent,
  }));
  const key = `${runId}.${path.name}.${benchCase.id}.${hash}`;
  const told = {
    serverAddress: pair.serverAddress,
    place: path.serverAddress,
    expected: pair.expectedSourceIps,
    forbidden: pair.forbiddenSourceIps ?? [],
    others: observed,
  };
  return pulumi.output(told).apply(
    ({ serverAddress, place, expected, forbidden, others }): RunSpec => ({
      version: AGENT_PROTOCOL_VERSION,
      key,
      command: tool.command(benchCase, serverAddress),
      timeoutSeconds: timeoutSeconds(benchCase),
      reducer: tool.reducer,
      // One of several could not start again without the others.
      retry: { ...RETRY, patterns: [...tool.retryOn], ...(pairs.length > 1 ? { attempts: 1 } : {}) },
      path: { address: serverAddress, port: ports.agent, expected, forbidden },
      observe: [
        { host: pair.client.name, role: pair.client.role, address: "127.0.0.1", port: ports.agent },
        ...others,
      ],
      ...(pairs.length > 1 ? { rendezvous: rendezvous(place, key, pairs.length, index + 1) } : {}),
    }),
  );
}

function rendezvous(address: string, id: string, count: number, member: number): RunSpec["rendezvous"] {
  return { address, port: ports.agent, id, count, member, waitSeconds: RENDEZVOUS_SECONDS };
}
