/** The table of machine sizes, compared with the clouds' published facts, and its generator. */
import { describe, expect, it } from "vitest";
import {
  hasAcceleratedNetworking,
  machineOf,
  machines,
  machinesFrom,
} from "../../../bench/machines/index.ts";
import { machineRows } from "../../../tools/reference/machines.ts";

describe("the table of machine sizes", () => {
  // docs.aws.amazon.com/ec2/latest/instancetypes: network specifications, baseline / burst in Gbit/s.
  it.each([
    ["t2.micro", 1, 0.064, 1.024],
    ["t4g.nano", 2, 0.032, 5],
    ["t3.small", 2, 0.128, 5],
    ["c6gn.medium", 1, 1.6, 16],
    ["c7gn.medium", 1, 3.125, 25],
    ["c7g.8xlarge", 32, 15, 15],
    ["m7g.xlarge", 4, 1.876, 12.5],
    ["c8gn.48xlarge", 192, 300, 300],
    ["c6in.32xlarge", 128, 200, 200],
  ])("AWS %s: %d vCPUs, %d to %d Gbit/s", (size, vcpus, baseline, peak) => {
    expect(machineOf(size)).toMatchObject({
      ...{ cloud: "aws", vcpus },
      network: { baselineBitsPerSecond: baseline * 1e9, peakBitsPerSecond: peak * 1e9 },
    });
  });

  // learn.microsoft.com/azure/virtual-machines/sizes: the tab "Network" of each series' page, in Mbit/s.
  it.each([
    ["Standard_D2ls_v5", 2, 12_500],
    ["Standard_D96s_v5", 96, 35_000],
    ["Standard_D16als_v6", 16, 16_000],
    ["Standard_D96ls_v6", 96, 41_000],
    ["Standard_D8pls_v6", 8, 15_000],
    ["Standard_F4s_v2", 4, 10_000],
    ["Standard_F72s_v2", 72, 30_000],
    ["Standard_D2ls_v7", 2, 16_000],
    ["Standard_DS3_v2", 4, 3_000],
  ])("Azure %s: %d vCPUs, %d Mbit/s for ever", (size, vcpus, mbps) => {
    expect(machineOf(size)).toMatchObject({
      ...{ cloud: "azure", vcpus },
      network: { baselineBitsPerSecond: mbps * 1e6, peakBitsPerSecond: mbps * 1e6 },
    });
  });

  it("has no sustained rate for Azure's B sizes, only their maximum and CPU share", () => {
    expect(machineOf("standard_b2ATS_v2")).toMatchObject({
      size: "Standard_B2ats_v2",
      network: { baselineBitsPerSecond: null, peakBitsPerSecond: 6.25e9 },
      credits: { baselinePercent: 20, initial: 60, perHour: 24, most: 576 },
    });
  });

  it("has the sizes of a free plan", () => {
    const free = Object.values(machines).map((all) => all.filter((one) => one.freePlan));
    expect(free.map((all) => all.map(({ size }) => size).toSorted())).toEqual([
      [
        ...["c7i-flex.large", "m7i-flex.large", "t3.micro", "t3.small"],
        ...["t4g.micro", "t4g.small", "t8i.micro", "t8i.small"],
      ],
      ["Standard_B1s", "Standard_B2ats_v2", "Standard_B2pts_v2"],
    ]);
  });

  it("has temporary disks and disk interfaces", () => {
    const disks = [
      "Standard_B2ats_v2",
      "Standard_D8ls_v5",
      "Standard_F8s_v2",
      "Standard_B2s",
      "Standard_D2s_v6",
    ];
    expect(disks.map((size) => machineOf(size)?.temporaryDiskGib)).toEqual([0, 0, 64, 8, 0]);
    expect(disks.map((size) => machineOf(size)?.diskController)).toEqual([
      ...["scsi", "scsi", "scsi", "scsi", "nvme"],
    ]);
  });

  it("has the security group's time-out: 350 s from Nitro v6 on", () => {
    const seconds = ["c7gn.medium", "c8g.large", "c8gn.medium", "t8i.small", "Standard_B2s"].map(
      (size) => machineOf(size)?.trackedTcpSeconds,
    );
    expect(seconds).toEqual([432_000, 432_000, 350, 350, null]);
  });

  it("has each size once, with a sustained rate of at most its peak", () => {
    const all = [...machines.aws, ...machines.azure];
    expect(new Set(all.map(({ size }) => size.toLowerCase())).size).toBe(all.length);
    for (const { size, vcpus, network } of all) {
      expect(vcpus, size).toBeGreaterThan(0);
      expect(network.baselineBitsPerSecond ?? 0, size).toBeLessThanOrEqual(network.peakBitsPerSecond ?? 0);
    }
  });

  // Sizes in the clouds' price lists of 2026-10-15 and 2026-06-18, except bare metal.
  it.each([
    ["t3 t3a t4g", (name: string) => `${name}.#`, "nano micro small medium large xlarge 2xlarge"],
    [
      "c6gn c7g c7gn m7g",
      (name: string) => `${name}.#`,
      "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    ],
    [
      "c8g c8gn m8g",
      (name: string) => `${name}.#`,
      "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    ],
    [
      "c6in r6in",
      (name: string) => `${name}.#`,
      "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge",
    ],
    ["a", (name: string) => `Standard_B#${name}s_v2`, "2 4 8 16 32"],
    ["al", (name: string) => `Standard_B#${name}s_v2`, "2 4 8 16 32"],
    ["at", (name: string) => `Standard_B#${name}s_v2`, "2"],
    ["s_v5 ls_v5 as_v5", (name: string) => `Standard_D#${name}`, "2 4 8 16 32 48 64 96"],
    ["s_v6", (name: string) => `Standard_D#${name}`, "2 4 8 16 32 48 64 96 128 192"],
    ["ls_v6", (name: string) => `Standard_D#${name}`, "2 4 8 16 32 48 64 96 128"],
    ["ps_v6 pls_v6 as_v6 als_v6", (name: string) => `Standard_D#${name}`, "2 4 8 16 32 48 64 96"],
    ["s_v2", (name: string) => `Standard_F#${name}`, "2 4 8 16 32 48 64 72"],
    ["s_v7", (name: string) => `Standard_D#${name}`, "2 4 8 16 32 48 64 96 128 192 248 372"],
  ])("has every size of %s", (names, pattern, sizes) => {
    const all = names
      .split(" ")
      .flatMap((name) => sizes.split(" ").map((size) => pattern(name).replace("#", size)));
    expect(all.filter((size) => machineOf(size) === null)).toEqual([]);
  });

  it("is dated, and treats an unknown Azure size as a new one", () => {
    expect(Object.values(machinesFrom).every(({ asOf }) => /^2026-\d\d-\d\d$/.test(asOf))).toBe(true);
    expect(machineOf("Standard_Unheard_of")).toBeNull();
    expect(hasAcceleratedNetworking("Standard_Unheard_of")).toBe(true);
  });

  // dcsv2-series, dcsv3-series, dcdsv3-series and dasv4-series, read on 2026-11-23.
  it.each([
    ["Standard_DC2s_v2", false],
    ["Standard_DC8_v2", false],
    ["Standard_DC2s_v3", false],
    ["Standard_DC2ds_v3", true],
    ["Standard_D2as_v4", true],
  ])("has accelerated networking of %s", (size, has) => {
    expect(hasAcceleratedNetworking(size)).toBe(has);
  });
});

describe("its generator", () => {
  const type = (cards: number[][], more: object = {}) => ({
    VCpuInfo: { DefaultVCpus: 2 },
    MemoryInfo: { SizeInMiB: 512 },
    FreeTierEligible: true,
    BurstablePerformanceSupported: true,
    EbsInfo: { NvmeSupport: "required" },
    NetworkInfo: {
      EnaSupport: "required",
      ConnectionTrackingConfiguration: { DefaultTcpEstablishedTimeout: 350 },
      DefaultNetworkCardIndex: 0,
      NetworkCards: cards.map(([BaselineBandwidthInGbps, PeakBandwidthInGbps], NetworkCardIndex) => ({
        NetworkCardIndex,
        BaselineBandwidthInGbps,
        PeakBandwidthInGbps,
      })),
    },
    ...more,
  });

  it("uses the table's families, without bare metal, and one of several network cards", () => {
    const rows = machineRows({
      "c8gn.48xlarge": type([
        [300.1, 300.2],
        [0.2, 0.1],
      ]),
      "t4g.nano": type([[0.032, 5]]),
      "c7g.metal": type([[30, 30]]),
      "x1.32xlarge": { unread: true },
    });
    expect(rows).toEqual([
      ["t4g.nano", 2, 0.5, 0.032, 5, 350, "burstable", "ena", "nvme", "free"],
      ["c8gn.48xlarge", 2, 0.5, 300.1, 300.2, 350, "burstable", "ena", "nvme", "free"],
    ]);
  });

  it("stops at a type without a network rate", () => {
    expect(() => machineRows({ "t4g.nano": type([]) })).toThrow(/NetworkCards/);
  });
});
