/**
 * What a virtual machine's size tells about it.
 *
 * @module
 */
import type { Burst } from "../../bench/results/index.ts";
import { invalid } from "../shared/arguments.ts";

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

/** What a vCPU of a second-generation B may use in the long run, by the letter for little memory, in percent. */
const baselinePercent: Readonly<Record<string, number>> = { t: 20, l: 30, "": 40 };
const INITIAL_CREDITS = 30;

/**
 * First-generation B sizes: credits an hour, those that a machine starts with, and most that are kept.
 *
 * Source: learn.microsoft.com/azure/virtual-machines/sizes/general-purpose/bv1-series, the page of 2026-03-10, read on
 * 2026-11-22. Its 1994 of the B8ms is a slip: 24 hours of 81 are the 1944 of earlier editions (b-series-burstable).
 */
const firstGeneration: Readonly<Record<string, readonly [perHour: number, initial: number, most: number]>> = {
  b1ls: [3, 30, 72],
  b1s: [6, 30, 144],
  b1ms: [12, 30, 288],
  b2s: [24, 60, 576],
  b2ms: [36, 60, 864],
  b4ms: [54, 120, 1296],
  b8ms: [81, 240, 1944],
  b12ms: [121, 360, 2908],
  b16ms: [162, 480, 3888],
  b20ms: [202, 600, 4867],
};

/**
 * CPU credits of the B series. Of its second generation (Bsv2, Basv2, Bpsv2) what a vCPU at its baseline would use is
 * earned, a day's worth is kept, and each vCPU starts with 30; the first has a table. Null for other series. Without
 * credits Azure slows a machine down.
 *
 * Source: learn.microsoft.com/azure/virtual-machines/sizes/general-purpose/basv2-series, and the other series' pages.
 */
export function cpuBurst(size: string): Burst["cpu"] {
  const [creditsOfFirst, initialCredits, maximumCredits] =
    firstGeneration[size.toLowerCase().replace("standard_", "")] ?? [];
  if (creditsOfFirst !== undefined && initialCredits !== undefined && maximumCredits !== undefined) {
    return { creditsPerHour: creditsOfFirst, maximumCredits, initialCredits, mode: "standard" };
  }
  const [, count, letter] = /^Standard_B(\d+)[ap]?([tl]?)s_v2$/i.exec(size) ?? [];
  if (count === undefined || letter === undefined) {
    return null;
  }
  const vcpus = Number(count);
  const creditsPerHour = (vcpus * 60 * (baselinePercent[letter.toLowerCase()] as number)) / 100;
  return {
    creditsPerHour,
    maximumCredits: 24 * creditsPerHour,
    initialCredits: INITIAL_CREDITS * vcpus,
    mode: "standard",
  };
}
