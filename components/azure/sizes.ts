/**
 * What a virtual machine's size tells about it.
 *
 * @module
 */
import { hasAcceleratedNetworking, machineOf } from "../../bench/machines/index.ts";
import type { Burst } from "../../bench/results/index.ts";
import { invalid } from "../shared/arguments.ts";

/**
 * Whether a network interface gets accelerated networking.
 *
 * @param demanded Undefined: where the size has it.
 * @throws {pulumi.InputPropertyError} when it is demanded of a size that has none.
 */
export function acceleratedNetworking(size: string, demanded: boolean | undefined): boolean {
  if (demanded === true && !hasAcceleratedNetworking(size)) {
    throw invalid(
      "acceleratedNetworking",
      `size ${size} has no accelerated networking; choose another size, such as Standard_D2ls_v5, or leave acceleratedNetworking out`,
    );
  }
  return demanded ?? hasAcceleratedNetworking(size);
}

/** Processor architecture of a size; Azure marks Arm with a `p` after the number of vCPUs: Standard_D4ps_v5. */
export function architecture(size: string): "x64" | "arm64" {
  return /^Standard_[A-Z]+\d+(-\d+)?[a-z]*p[a-z]*(_|$)/.test(size) ? "arm64" : "x64";
}

/** CPU credits of the B series; null for other series. Without credits Azure slows a machine down. */
export function cpuBurst(size: string): Burst["cpu"] {
  const credits = machineOf(size)?.credits ?? null;
  return credits === null
    ? null
    : {
        creditsPerHour: credits.perHour,
        maximumCredits: credits.most,
        initialCredits: credits.initial,
        mode: "standard",
      };
}
