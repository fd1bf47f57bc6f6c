/** `size: small` on Azure: machines of one vCPU. */
import { hasSmallNat, type TopologyEntry } from "../inventory.ts";
import type { Settings } from "./settings.ts";

/** One vCPU, 1 GiB, without accelerated networking. */
const SMALL_SIZE = "Standard_B1s";

export function sized<T extends Settings>(settings: T): T {
  return settings.size === "small"
    ? {
        ...settings,
        clientSize: SMALL_SIZE,
        serverSize: SMALL_SIZE,
        jumpSize: SMALL_SIZE,
        acceleratedNetworking: undefined,
      }
    : settings;
}

/** An entry with the NAT instance for `size`. */
export function sizedEntry<T extends Pick<TopologyEntry, "topology" | "options">>(
  settings: Settings,
  entry: T,
): T {
  if (!hasSmallNat(settings, entry)) {
    return entry;
  }
  const { acceleratedNetworking: _, ...options } = entry.options;
  return { ...entry, options: { ...options, size: SMALL_SIZE } };
}

export function smallNotes({ size }: Settings): readonly string[] {
  return size === "small"
    ? [
        `size: small: all machines are ${SMALL_SIZE}; the figures are these machines' and cannot be compared with published ones.`,
      ]
    : [];
}
