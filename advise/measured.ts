/**
 * Measured capacities of NAT instances.
 *
 * @module
 */
import type { Results } from "../bench/results/index.ts";
import { measuredNatSize, type PricedCloud } from "../report/index.ts";
import type { Measured } from "./types.ts";

/** The best of a cloud's NAT instances: the slower direction of its fastest TCP cases. Null: none was measured there. */
export function measuredCapacity(all: readonly Results[], cloud: PricedCloud): Measured | null {
  const found = all
    .filter((results) => results.cloud === cloud)
    .flatMap(({ stack, runId, topologies, cases }) =>
      topologies
        .filter(({ topology }) => topology === "nat-instance")
        .flatMap((topology): Measured[] => {
          const best = (direction: string) =>
            Math.max(
              ...cases
                .filter(
                  (one) => one.topology === topology.name && one.tool === "iperf3" && one.status === "ok",
                )
                .filter(({ id, measurement }) => id.startsWith(`tcp-${direction}`) && measurement !== null)
                .map(({ measurement }) => measurement?.bitsPerSecond ?? 0),
            );
          const bitsPerSecond = Math.min(best("egress"), best("ingress"));
          const natSize = measuredNatSize(topology) ?? null;
          return bitsPerSecond > 0
            ? [{ bitsPerSecond, natSize, source: `stack ${stack}, run ${runId}` }]
            : [];
        }),
    );
  return found.toSorted((a, b) => b.bitsPerSecond - a.bitsPerSecond)[0] ?? null;
}
