/**
 * EC2 instance types. `tools/reference/machines.ts` makes `aws.json` from the answer of `DescribeInstanceTypes`; that answer
 * lacks the CPU share of burstable types, which stands here.
 */
import table from "./aws.json" with { type: "json" };
import type { CpuCredits, Machine } from "./machine.ts";

/** Where and when the instance types were read. */
export const awsMachinesFrom = { asOf: table.asOf, source: table.source };

/** Baseline in percent of all vCPUs. Source: docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-credits-baseline-concepts.html */
const nitroPercent = { nano: 5, micro: 10, small: 20, medium: 20, large: 30, xlarge: 40, "2xlarge": 40 };

/** That page does not list T8i yet, a burstable type whose earnings are unknown here. */
const baselinePercent: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  t2: { nano: 5, micro: 10, small: 20, medium: 20, large: 30, xlarge: 22.5, "2xlarge": 17 },
  t3: nitroPercent,
  t3a: nitroPercent,
  t4g: nitroPercent,
};

/** Launch credits per vCPU of a T2 in standard mode. Source: burstable-performance-instances-standard-mode-concepts.html */
const T2_LAUNCH_CREDITS = 30;

/** Family of an instance type, such as `t4g` of `t4g.micro`. */
export function awsFamily(instanceType: string): string {
  return instanceType.split(".")[0] ?? "";
}

function creditsOf(size: string, vcpus: number): CpuCredits | null {
  const family = awsFamily(size);
  const name = size.slice(family.length + 1);
  const percent = baselinePercent[family]?.[name];
  if (percent === undefined) {
    return null;
  }
  // Not (percent / 100): 60 * 22.5 is exact.
  const perHour = (vcpus * 60 * percent) / 100;
  return {
    baselinePercent: percent,
    perHour,
    initial: family === "t2" ? T2_LAUNCH_CREDITS * vcpus : 0,
    most: 24 * perHour,
  };
}

const bitsPerSecond = (gigabits: number) => Math.round(gigabits * 1e9);

/** Every Linux type of the families above, without bare metal. */
export const awsMachines: readonly Machine[] = table.machines.map((row): Machine => {
  const [size, vcpus, memoryGib, baseline, peak, tracked, ...flags] = row as [
    ...[size: string, vcpus: number, memoryGib: number, baseline: number, peak: number, tracked: number],
    ...flags: string[],
  ];
  return {
    ...{ cloud: "aws", size, vcpus, memoryGib },
    network: { baselineBitsPerSecond: bitsPerSecond(baseline), peakBitsPerSecond: bitsPerSecond(peak) },
    credits: creditsOf(size, vcpus),
    burstable: flags.includes("burstable"),
    acceleratedNetworking: flags.includes("ena"),
    temporaryDiskGib: 0,
    diskController: flags.includes("nvme") ? "nvme" : "scsi",
    freePlan: flags.includes("free"),
    trackedTcpSeconds: tracked,
  };
});
