/** A size that costs less than the measured one and carries the traffic too. */
import { describe, expect, it } from "vitest";
import { machineOf } from "../../../bench/machines/index.ts";
import type { Answer } from "../../../report/choice/answer.ts";
import { headlineOf } from "../../../report/index.ts";
import { measuredAnswer, theInstance } from "./ways.ts";

describe("a cheaper size than the measured one", () => {
  const busy = { gbIn: 900, gbOut: 100, peakBitsPerSecond: 2e9, seen: { busyBitsPerSecond: 2e9 } };

  it("fits if its limits are twice the need, beside a measured c7g.8xlarge for 851.09", () => {
    const found = measuredAnswer("aws", "c7g.8xlarge", 9e9, busy);
    // 730 x 1.16 + 0.64 + 3.65.
    expect(theInstance(found)).toMatchObject({ status: "fits", totalCost: expect.closeTo(851.09, 2) });
    // 8 vCPUs are 4 Gbit/s by their limits: twice the need, so no test is needed.
    const sized = found.assessed.find(({ id }) => id === "nat-instance (not measured)");
    expect(sized).toMatchObject({ status: "fits", capacity: { grade: "limit" } });
    expect(sized!.totalCost!).toBeLessThan(851);
  });

  it("is picked far below its limits: B2pts_v2 for 12.18 beside a measured D8ls_v5", () => {
    const found = measuredAnswer("azure", "Standard_D8ls_v5", 9e9, { gbIn: 50, gbOut: 10 });
    expect(headlineOf(found)).toContain("NAT instance (Standard_B2pts_v2), 12.18 USD a month");
  });

  it("is not named if it or the measured one does not carry the traffic, or for less than 1 USD", () => {
    const sizesOf = (found: Answer) =>
      found.assessed.flatMap(({ way, need }) =>
        way.out === "nat-instance" && way.machines.length > 0 ? [need?.size] : [],
      );
    expect(sizesOf(measuredAnswer("aws", "t4g.nano", 1e9, { gbIn: 100, gbOut: 50 }))).toEqual([]);
    // B2pts_v2 costs 0.73 less a month.
    expect(sizesOf(measuredAnswer("azure", "Standard_B2ats_v2", 3e9, { gbIn: 100, gbOut: 50 }))).toEqual([]);
    const slow = measuredAnswer("aws", "c7g.8xlarge", 1e9, busy);
    expect(theInstance(slow)?.status).toBe("excluded");
    const [larger] = sizesOf(slow);
    expect(machineOf(larger ?? "")?.network.baselineBitsPerSecond).toBeGreaterThan(15e9);
  });
});
