/** Limits that an instance meets only after a while: CPU credits, and the end of its network burst. */
import * as pulumi from "@pulumi/pulumi";
import { machineOf } from "../../bench/machines/index.ts";
import type { Burst } from "../../bench/results/index.ts";
import { oneLine } from "./common.ts";
import { describedType } from "./instance-type.ts";

type CpuBurst = NonNullable<Burst["cpu"]>;

/**
 * CPU credits of an instance type; null if it has none.
 * @param mode EC2's word, `standard` or `unlimited`; anything else counts as unknown.
 */
export function cpuBurst(instanceType: string, mode: string | undefined): CpuBurst | null {
  const credits = machineOf(instanceType)?.credits ?? null;
  return credits === null
    ? null
    : {
        creditsPerHour: credits.perHour,
        maximumCredits: credits.most,
        initialCredits: mode === "unlimited" ? 0 : credits.initial,
        mode: mode === "standard" || mode === "unlimited" ? mode : null,
      };
}

/**
 * The burst budgets of an instance; null if none is known.
 * @param mode Credit mode of its CPU.
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

/** The network's burst, asked of EC2. Without the permission to ask, it comes from the table of machine sizes. */
async function networkBurst(instanceType: string, parent: pulumi.Resource): Promise<Burst["network"]> {
  try {
    const { networkCards = [] } = await describedType(instanceType, parent);
    const total = (key: "baselineBandwidth" | "peakBandwidth") =>
      Math.round(1e9 * networkCards.reduce((sum, card) => sum + card[key], 0));
    return boundedRate(total("baselineBandwidth"), total("peakBandwidth"));
  } catch (error) {
    if (error instanceof pulumi.InputPropertyError) {
      throw error;
    }
    const known = machineOf(instanceType);
    if (known === null) {
      void pulumi.log.warn(
        `The network rate that ${instanceType} can sustain will not be in results: ${oneLine(error)}`,
        parent,
      );
    }
    return boundedRate(known?.network.baselineBitsPerSecond ?? 0, known?.network.peakBitsPerSecond ?? 0);
  }
}

/** The sustained and peak network rate; null if the type holds its peak or its rate is unknown. */
function boundedRate(baselineBitsPerSecond: number, peakBitsPerSecond: number): Burst["network"] {
  return baselineBitsPerSecond > 0 && baselineBitsPerSecond < peakBitsPerSecond
    ? { baselineBitsPerSecond, peakBitsPerSecond }
    : null;
}
