import type { Egress, EgressPath } from "./egress.ts";

/** Facts of a path that its egress decides. */
type OfEgress = "topology" | "expectedSourceIps" | "idleTimeoutSeconds" | "connectionLimits" | "kind";

/** A path with the facts of its egress. */
export function pathOf(
  egress: Pick<Egress<unknown>, OfEgress>,
  ends: Omit<EgressPath, OfEgress>,
): EgressPath {
  const { topology, expectedSourceIps, idleTimeoutSeconds, connectionLimits, kind } = egress;
  return { ...ends, topology, expectedSourceIps, idleTimeoutSeconds, connectionLimits, kind };
}
