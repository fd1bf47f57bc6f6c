/**
 * Azure's machine sizes, copied series by series from Azure's pages: no list with network rates is machine-readable without an
 * account.
 */
import type { CpuCredits, Machine } from "./machine.ts";

/** Where and when the sizes were read. */
export const azureMachinesFrom = {
  asOf: "2026-11-23",
  source: "https://learn.microsoft.com/azure/virtual-machines/sizes (one page a series)",
};

/** One series: `#` in a name is the number of vCPUs. */
interface Series {
  readonly name: string;
  /** Maximum Mbit/s of all network interfaces together, by vCPUs. */
  readonly mbps: Readonly<Record<number, number>>;
  /** GiB of temporary disk per vCPU. @default 0 */
  readonly diskGibPerVcpu?: number;
  /** @default "scsi" */
  readonly diskController?: Machine["diskController"];
}

const v5 = { 2: 12_500, 4: 12_500, 8: 12_500, 16: 12_500, 32: 16_000, 48: 24_000, 64: 30_000, 96: 35_000 };
const intelV6 = { ...v5, 96: 41_000, 128: 54_000 };
const armV6 = {
  ...{ 2: 12_500, 4: 12_500, 8: 15_000, 16: 15_000 },
  ...{ 32: 20_000, 48: 30_000, 64: 40_000, 96: 60_000 },
};
const amdV6 = {
  ...{ 2: 12_500, 4: 12_500, 8: 12_500, 16: 16_000 },
  ...{ 32: 20_000, 48: 28_000, 64: 36_000, 96: 40_000 },
};
const intelV7 = {
  ...{ 2: 16_000, 4: 25_000, 8: 25_000, 16: 25_000, 32: 25_000, 48: 35_000 },
  ...{ 64: 45_000, 96: 70_000, 128: 85_000, 192: 100_000, 248: 150_000 },
};
const amdV7 = {
  ...{ 2: 16_000, 4: 16_000, 8: 25_000, 16: 25_000, 32: 25_000 },
  ...{ 48: 35_000, 64: 45_000, 96: 70_000, 128: 75_000, 160: 80_000 },
};

const series: readonly Series[] = [
  {
    // The page says 2,000 for 8 and 16 vCPUs; earlier editions said 4,000 and 8,000.
    name: "D#s_v3",
    diskGibPerVcpu: 8,
    mbps: { 2: 1_000, 4: 2_000, 8: 4_000, 16: 8_000, 32: 16_000, 48: 24_000, 64: 30_000 },
  },
  {
    name: "D#s_v4",
    mbps: { 2: 5_000, 4: 10_000, 8: 12_500, 16: 12_500, 32: 16_000, 48: 24_000, 64: 30_000 },
  },
  {
    name: "F#s_v2",
    diskGibPerVcpu: 8,
    mbps: {
      ...{ 2: 5_000, 4: 10_000, 8: 12_500, 16: 12_500 },
      ...{ 32: 16_000, 48: 21_000, 64: 28_000, 72: 30_000 },
    },
  },
  { name: "D#s_v5", mbps: v5 },
  { name: "D#ls_v5", mbps: v5 },
  { name: "D#as_v5", mbps: { ...v5, 64: 32_000, 96: 40_000 } },
  {
    name: "D#pls_v5",
    mbps: { 2: 12_500, 4: 12_500, 8: 12_500, 16: 12_500, 32: 16_000, 48: 24_000, 64: 40_000 },
  },
  { name: "D#s_v6", mbps: { ...intelV6, 192: 82_000 }, diskController: "nvme" },
  { name: "D#ls_v6", mbps: intelV6, diskController: "nvme" },
  // Their pages say nothing of the disk's interface.
  { name: "D#ps_v6", mbps: armV6, diskController: null },
  { name: "D#pls_v6", mbps: armV6, diskController: null },
  { name: "D#as_v6", mbps: amdV6, diskController: "nvme" },
  { name: "D#als_v6", mbps: amdV6, diskController: "nvme" },
  {
    name: "F#als_v6",
    diskController: "nvme",
    mbps: { 2: 12_500, 4: 12_500, 8: 12_500, 16: 16_000, 32: 20_000, 48: 28_000, 64: 36_000 },
  },
  { name: "D#s_v7", mbps: { ...intelV7, 372: 200_000 }, diskController: "nvme" },
  { name: "D#ls_v7", mbps: intelV7, diskController: "nvme" },
  { name: "D#als_v7", mbps: amdV7, diskController: "nvme" },
];

const mbit = (mbps: number) => mbps * 1e6;

function machineOf(one: Pick<Machine, "size" | "vcpus"> & Partial<Machine>): Machine {
  return {
    cloud: "azure",
    network: { baselineBitsPerSecond: null, peakBitsPerSecond: null },
    credits: null,
    burstable: false,
    acceleratedNetworking: true,
    temporaryDiskGib: 0,
    diskController: "scsi",
    freePlan: false,
    memoryGib: null,
    trackedTcpSeconds: null,
    ...one,
  };
}

function ofSeries({ name, mbps, diskGibPerVcpu = 0, diskController = "scsi" }: Series): Machine[] {
  return Object.entries(mbps).map(([count, most]) => {
    const vcpus = Number(count);
    return machineOf({
      size: `Standard_${name.replace("#", count)}`,
      ...{ vcpus, diskController },
      // Azure has no network credits: a size's rate holds for ever.
      network: { baselineBitsPerSecond: mbit(most), peakBitsPerSecond: mbit(most) },
      temporaryDiskGib: vcpus * diskGibPerVcpu,
      // The two hyper-threaded vCPUs of the third generation share one core, which is too few.
      acceleratedNetworking: !(name.endsWith("_v3") && vcpus === 2),
    });
  });
}

/** All second-generation B sizes have this maximum. Source: the pages of Basv2, Bsv2 and Bpsv2. */
const SECOND_B_MBPS = 6_250;

/** Second-generation B: letter, share of the CPUs in percent, and the numbers of vCPUs. */
const secondB = [
  { letter: "t", percent: 20, vcpus: [2] },
  { letter: "l", percent: 30, vcpus: [2, 4, 8, 16, 32] },
  { letter: "", percent: 40, vcpus: [2, 4, 8, 16, 32] },
] as const;

/** Sizes that new accounts may run for 750 hours a month. Source: azure.microsoft.com/free, by Microsoft's answers of 2026. */
const freeSizes = ["Standard_B1s", "Standard_B2ats_v2", "Standard_B2pts_v2"];

/** A day's worth of credits is kept, and each vCPU starts with 30. */
function secondCredits(vcpus: number, baselinePercent: number): CpuCredits {
  const perHour = (vcpus * 60 * baselinePercent) / 100;
  return { baselinePercent, perHour, initial: 30 * vcpus, most: 24 * perHour };
}

const secondGenerationB: readonly Machine[] = ["", "a", "p"].flatMap((processor) =>
  secondB.flatMap(({ letter, percent, vcpus: counts }) =>
    counts
      .filter((vcpus) => processor !== "p" || vcpus <= 16)
      .map((vcpus) => {
        const size = `Standard_B${vcpus}${processor}${letter}s_v2`;
        return machineOf({
          ...{ size, vcpus, burstable: true },
          // The maximum holds while there are credits; the rate at the CPUs' baseline is not published.
          network: { baselineBitsPerSecond: null, peakBitsPerSecond: mbit(SECOND_B_MBPS) },
          credits: secondCredits(vcpus, percent),
          freePlan: freeSizes.includes(size),
        });
      }),
  ),
);

/**
 * First-generation B, which has no published network rate. The page's 1994 credits of the B8ms are a slip: 24 hours of 81 are
 * the 1944 of earlier editions. Source: the page bv1-series of 2026-03-10, read on 2026-11-22.
 */
const firstB: readonly (readonly [string, number, number, number, number, number, number])[] = [
  // name, vCPUs, GiB of disk, percent, credits an hour, at first, at most
  ["B1ls", 1, 4, 5, 3, 30, 72],
  ["B1s", 1, 4, 10, 6, 30, 144],
  ["B1ms", 1, 4, 20, 12, 30, 288],
  ["B2s", 2, 8, 20, 24, 60, 576],
  ["B2ms", 2, 16, 30, 36, 60, 864],
  ["B4ms", 4, 32, 22.5, 54, 120, 1_296],
  ["B8ms", 8, 64, 17, 81, 240, 1_944],
  ["B12ms", 12, 96, 17, 121, 360, 2_908],
  ["B16ms", 16, 128, 17, 162, 480, 3_888],
  ["B20ms", 20, 160, 17, 202, 600, 4_867],
];

const firstGenerationB = firstB.map(([name, vcpus, disk, baselinePercent, perHour, initial, most]) =>
  machineOf({
    ...{ size: `Standard_${name}`, vcpus, temporaryDiskGib: disk, burstable: true },
    credits: { baselinePercent, perHour, initial, most },
    acceleratedNetworking: vcpus >= 12,
    freePlan: freeSizes.includes(`Standard_${name}`),
  }),
);

/** DSv2. The page: dsv2-series. */
const dsV2 = [750, 1_500, 3_000, 6_000, 12_000].map((mbps, at) => {
  const vcpus = 2 ** at;
  return machineOf({
    ...{ size: `Standard_DS${at + 1}_v2`, vcpus, temporaryDiskGib: 7 * vcpus },
    network: { baselineBitsPerSecond: mbit(mbps), peakBitsPerSecond: mbit(mbps) },
    acceleratedNetworking: at > 0,
  });
});

/** All known sizes. */
export const azureMachines: readonly Machine[] = [
  ...firstGenerationB,
  ...secondGenerationB,
  ...dsV2,
  ...series.flatMap(ofSeries),
];
