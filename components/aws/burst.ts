/**
 * What an instance can only for a while: its CPU credits, and a network rate above the one that it holds.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import type { Burst } from "../../bench/results/index.ts";
import { oneLine } from "./common.ts";
import { describedType } from "./instance-type.ts";

type CpuBurst = NonNullable<Burst["cpu"]>;

interface Baseline {
  readonly vcpus: number;
  /** Of each vCPU. */
  readonly percent: number;
}

/** T3, T3a and T4g. Source: docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-credits-baseline-concepts.html */
const nitroBaselines: Readonly<Record<string, Baseline>> = {
  nano: { vcpus: 2, percent: 5 },
  micro: { vcpus: 2, percent: 10 },
  small: { vcpus: 2, percent: 20 },
  medium: { vcpus: 2, percent: 20 },
  large: { vcpus: 2, percent: 30 },
  xlarge: { vcpus: 4, percent: 40 },
  "2xlarge": { vcpus: 8, percent: 40 },
};

/** The same source. */
const t2Baselines: Readonly<Record<string, Baseline>> = {
  nano: { vcpus: 1, percent: 5 },
  micro: { vcpus: 1, percent: 10 },
  small: { vcpus: 1, percent: 20 },
  medium: { vcpus: 2, percent: 20 },
  large: { vcpus: 2, percent: 30 },
  xlarge: { vcpus: 4, percent: 22.5 },
  "2xlarge": { vcpus: 8, percent: 17 },
};

const families: Readonly<Record<string, Readonly<Record<string, Baseline>>>> = {
  t2: t2Baselines,
  t3: nitroBaselines,
  t3a: nitroBaselines,
  t4g: nitroBaselines,
};

/** A T2 in standard mode starts with so many a vCPU. Source: burstable-performance-instances-standard-mode-concepts.html */
const T2_LAUNCH_CREDITS = 30;

/**
 * CPU credits of an instance type: what a vCPU at its baseline would use is earned, and a day's worth is kept. Null for
 * types without credits.
 *
 * @param mode As EC2 tells it: `standard` or `unlimited`; anything else is not known.
 */
export function cpuBurst(instanceType: string, mode: string | undefined): CpuBurst | null {
  const [family = "", size = ""] = instanceType.split(".");
  const baseline = families[family]?.[size];
  if (baseline === undefined) {
    return null;
  }
  const { vcpus, percent } = baseline;
  // Not (percent / 100): 60 * 22.5 is exact.
  const creditsPerHour = (vcpus * 60 * percent) / 100;
  const launchCredits = family === "t2" && mode !== "unlimited" ? T2_LAUNCH_CREDITS * vcpus : 0;
  return {
    creditsPerHour,
    maximumCredits: 24 * creditsPerHour,
    initialCredits: launchCredits,
    mode: mode === "standard" || mode === "unlimited" ? mode : null,
  };
}

/**
 * What is known to run out on an instance; null where nothing is.
 *
 * @param mode Its CPU credits'
 * @throws {pulumi.InputPropertyError} where EC2 says that there is no such type.
 */
export function burstOf(
  instanceType: pulumi.Input<string>,
  mode: pulumi.Output<string | undefined>,
  parent: pulumi.Resource,
): pulumi.Output<Burst | null> {
  const network = pulumi.output(instanceType).apply((type) => networkBurst(type, parent));
  return pulumi.all([instanceType, mode, network]).apply(([type, knownMode, knownNetwork]) => {
    const cpu = cpuBurst(type, knownMode);
    return cpu === null && knownNetwork === null ? null : { cpu, network: knownNetwork };
  });
}

/** Nothing is deployed by it: where EC2 does not tell, for want of a right, the results lack it. */
async function networkBurst(instanceType: string, parent: pulumi.Resource): Promise<Burst["network"]> {
  try {
    const { networkCards = [] } = await describedType(instanceType, parent);
    const total = (key: "baselineBandwidth" | "peakBandwidth") =>
      Math.round(1e9 * networkCards.reduce((sum, card) => sum + card[key], 0));
    const [baseline, peak] = [total("baselineBandwidth"), total("peakBandwidth")];
    return baseline > 0 && baseline < peak
      ? { baselineBitsPerSecond: baseline, peakBitsPerSecond: peak }
      : null;
  } catch (error) {
    if (error instanceof pulumi.InputPropertyError) {
      throw error;
    }
    void pulumi.log.warn(
      `The network rate that ${instanceType} holds will not be in results: ${oneLine(error)}`,
      parent,
    );
    return null;
  }
}
