/** `size: small` on Azure: machines of one vCPU. */
import type { TopologyEntry } from "../inventory.ts";
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

export function smallNat({ acceleratedNetworking: _, ...options }: TopologyEntry["options"]) {
  return { ...options, size: SMALL_SIZE };
}

export function smallNotes({ size }: Settings): readonly string[] {
  return size === "small"
    ? [
        `size: small: all machines are ${SMALL_SIZE}; the figures are these machines' and cannot be compared with published ones.`,
      ]
    : [];
}
