import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_PORT,
  AGENT_PROTOCOL_VERSION,
  type Case,
  type PlannedRun,
  pairsOf,
  type RunSpec,
  timeoutSeconds,
  toolOf,
} from "../../bench/index.ts";
import type { EgressPath, PathPair } from "../shared/egress.ts";
import type { Host } from "../shared/host.ts";
import { type Endpoints, endpointsOf } from "./endpoints.ts";

/** Seconds for SSH, the agent and the tool's own end, beside the case's time-out. */
const AGENT_MARGIN_SECONDS = 60;
const RETRY = { attempts: 4, delaySeconds: 2 };
/** Seconds for the engine to start all commands of a step, and for their SSH connections through one jump host. */
const RENDEZVOUS_SECONDS = 60;

/** Shared arguments of a measurement's commands. */
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
 * The end of a pair that runs the case, and its target; undefined where neither can. @param index Number of the pair, from
 * 0.
 */
export function endpointsOfPair(
  { path, case: benchCase, server }: StepArgs,
  index: number,
): Endpoints | undefined {
  const pair = pairsOfStep(path, benchCase)[index] as PathPair;
  // The first pair samples the shared hosts.
  return endpointsOf({ ...pair, observed: index === 0 ? path.observed : [] }, server, benchCase);
}

/** Seconds after which a measurement's command is killed. */
export function commandSeconds({ case: benchCase, pauseSeconds }: StepArgs): number {
  const waits = pairsOf(benchCase) > 1 ? 2 * RENDEZVOUS_SECONDS : 0;
  // A pair has one attempt; the time of further attempts is for waiting until the last pair has measured.
  const attempts = RETRY.attempts * (timeoutSeconds(benchCase) + RETRY.delaySeconds);
  return pauseSeconds + attempts + waits + AGENT_MARGIN_SECONDS;
}

/** Specification for the agent of the end that runs the tool. */
export function runSpec(step: StepArgs, index: number, ends: Endpoints): pulumi.Output<RunSpec> {
  const { path, case: benchCase, pauseSeconds } = step;
  const tool = toolOf(benchCase);
  const count = pairsOf(benchCase);
  const key = keyOf(step);
  const { address, expected, forbidden, observe } = ends;
  return pulumi.output({ address, expected, forbidden, observe, place: path.serverAddress }).apply(
    (known): RunSpec => ({
      version: AGENT_PROTOCOL_VERSION,
      key,
      command: tool.command(benchCase, known.address),
      pauseSeconds,
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
      ...(count > 1 ? { rendezvous: rendezvous(known.place, key, count, index + 1) } : {}),
    }),
  );
}

function keyOf({ runId, path, case: { id }, hash, repetition }: StepArgs): string {
  return [runId, path.name, id, hash, ...(repetition > 1 ? [repetition] : [])].join(".");
}

function rendezvous(address: string, id: string, count: number, member: number): RunSpec["rendezvous"] {
  return { address, port: AGENT_PORT, id, count, member, waitSeconds: RENDEZVOUS_SECONDS };
}
