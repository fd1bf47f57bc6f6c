/** CPU credits of machine sizes, compared with AWS's and Azure's published tables. */
import { describe, expect, it } from "vitest";
import { cpuBurst } from "../../components/shared/host.ts";

describe("AWS: credits an hour, and at most", () => {
  it.each([
    ["t4g.nano", 6, 144],
    ["t4g.micro", 12, 288],
    ["t4g.small", 24, 576],
    ["t3.medium", 24, 576],
    ["t3a.large", 36, 864],
    ["t3.xlarge", 96, 2304],
    ["t4g.2xlarge", 192, 4608],
    ["t2.nano", 3, 72],
    ["t2.micro", 6, 144],
    ["t2.large", 36, 864],
    ["t2.xlarge", 54, 1296],
    ["t2.2xlarge", 81.6, 1958.4],
  ])("%s: %d, %d", (type, creditsPerHour, maximumCredits) => {
    const burst = cpuBurst(type, undefined);
    expect(burst?.creditsPerHour).toBeCloseTo(creditsPerHour);
    expect(burst?.maximumCredits).toBeCloseTo(maximumCredits);
  });

  it.each(["c7g.8xlarge", "m7g.xlarge", "t4g.metal", "t1.micro", "trn1.2xlarge", ""])(
    "%s has none",
    (type) => {
      expect(cpuBurst(type, "standard")).toBeNull();
    },
  );

  it("has EC2's mode, and none for an unknown size", () => {
    const modes = ["standard", "unlimited", undefined, "else"].map(
      (mode) => cpuBurst("t4g.nano", mode)?.mode,
    );
    expect(modes).toEqual(["standard", "unlimited", null, null]);
  });

  it("starts only a T2 in standard mode with 30 per vCPU", () => {
    const initial = (...args: Parameters<typeof cpuBurst>) => cpuBurst(...args)?.initialCredits;
    expect(initial("t2.medium", "standard")).toBe(60);
    expect(initial("t2.medium", "unlimited")).toBe(0);
    expect(initial("t3.medium", "standard")).toBe(0);
  });
});

describe("Azure: credits at first, an hour, and at most", () => {
  it.each([
    ["Standard_B2ats_v2", 60, 24, 576],
    ["Standard_B2als_v2", 60, 36, 864],
    ["Standard_B4as_v2", 120, 96, 2304],
    ["Standard_B32as_v2", 960, 768, 18432],
    ["Standard_B2ts_v2", 60, 24, 576],
    ["Standard_B8ls_v2", 240, 144, 3456],
    ["Standard_B2s_v2", 60, 48, 1152],
    ["Standard_B2pts_v2", 60, 24, 576],
    ["Standard_B16pls_v2", 480, 288, 6912],
    // The machines of the published round trips.
    ["Standard_B2s", 60, 24, 576],
    ["Standard_B1ls", 30, 3, 72],
    ["Standard_B1s", 30, 6, 144],
    ["Standard_B1ms", 30, 12, 288],
    ["Standard_B2ms", 60, 36, 864],
    ["Standard_B4ms", 120, 54, 1296],
    ["Standard_B8ms", 240, 81, 1944],
    ["Standard_B12ms", 360, 121, 2908],
    ["Standard_B16ms", 480, 162, 3888],
    ["Standard_B20ms", 600, 202, 4867],
  ])("%s: %d, %d, %d", (size, initialCredits, creditsPerHour, maximumCredits) => {
    expect(cpuBurst(size, "standard")).toEqual({
      initialCredits,
      creditsPerHour,
      maximumCredits,
      mode: "standard",
    });
  });

  it("37 minutes of full load until the default NAT machine holds 20 % of its two CPUs (docs/azure.md)", () => {
    const { initialCredits, creditsPerHour } = cpuBurst("Standard_B2ats_v2", "standard") as NonNullable<
      ReturnType<typeof cpuBurst>
    >;
    const earnedAMinute = creditsPerHour / 60;
    expect(earnedAMinute / 2).toBeCloseTo(0.2);
    expect(Math.floor((initialCredits as number) / (2 - earnedAMinute))).toBe(37);
  });

  it.each(["Standard_B3s", "Standard_D2ls_v5", "Standard_D2ps_v5"])("%s: not known", (size) => {
    expect(cpuBurst(size, "standard")).toBeNull();
  });
});
