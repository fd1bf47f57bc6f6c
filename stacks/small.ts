/** Cloud-neutral parts of `size: small`. */
import { topologyNamed } from "../bench/index.ts";
import type { TopologyEntry } from "./inventory.ts";

/** Whether an entry has a NAT instance whose size the stack's own size decides. */
export function hasSmallNat(
  { size }: { readonly size?: string | undefined },
  { topology }: Pick<TopologyEntry, "topology">,
): boolean {
  return size === "small" && topologyNamed(topology)?.nat === "instance";
}
