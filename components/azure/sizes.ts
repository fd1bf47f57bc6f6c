/**
 * What a virtual machine's size tells about it.
 *
 * @module
 */
import { invalid } from "../arguments.ts";

/**
 * Sizes without accelerated networking: series A, first-generation B but for its largest, the one-vCPU sizes
 * of D and F, and the two-vCPU sizes of the hyper-threaded third generation.
 *
 * Source: learn.microsoft.com/azure/virtual-network/accelerated-networking-overview and the size pages.
 */
const withoutAcceleratedNetworking = [
  /^Standard_A\d/i,
  /^Basic_A\d/i,
  /^Standard_B(?!12ms$|16ms$|20ms$)\d+(ls|s|ms)$/i,
  /^Standard_D[CS]*1s?(_v[23])?$/i,
  /^Standard_DS?1_v2$/i,
  /^Standard_F1s?$/i,
  /^Standard_[DE]2s?_v3$/i,
];

/** Whether a size has accelerated networking. A size nobody knows is taken to have it: all new ones do. */
export function hasAcceleratedNetworking(size: string): boolean {
  return !withoutAcceleratedNetworking.some((pattern) => pattern.test(size));
}

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
