/** A path's proof when the expected addresses changed after a case was measured. */
import { expect, it } from "vitest";
import type { RunReport } from "../../../bench/agent/protocol.ts";
import { topologyResult } from "../../../bench/assemble/assemble.ts";
import { iperf3Case, onePair, silentReport } from "./fixture.ts";

function pathOf(expectedNow: string[], ...reports: Partial<RunReport>[]) {
  const runs = reports.map((change) => ({
    topology: "nat",
    case: iperf3Case,
    command: "",
    pairs: onePair({ ...silentReport, sourceIp: "203.0.113.7", ...change }),
  }));
  const nat = { name: "nat", topology: "nat-instance", expectedSourceIps: expectedNow, hosts: [] };
  return topologyResult(nat, [], runs).path;
}

it("An address is proved if it was expected when the case was measured", () => {
  const path = pathOf(
    ["203.0.113.8"],
    { expectedSourceIps: ["203.0.113.7"] },
    { sourceIp: "203.0.113.8", expectedSourceIps: ["203.0.113.8"] },
  );
  expect(path).toEqual({ status: "proved", sourceIps: ["203.0.113.7", "203.0.113.8"], message: null });
});

it("An address is a mismatch if it was not expected then, though it is now", () => {
  expect(pathOf(["203.0.113.7"], { expectedSourceIps: ["203.0.113.8"] })).toMatchObject({
    status: "mismatch",
    message: "the server saw 203.0.113.7; expected 203.0.113.8",
  });
});

it("An address that became known after the measurement is judged by it", () => {
  expect(pathOf(["203.0.113.7"], { expectedSourceIps: [] }).status).toBe("proved");
  expect(pathOf(["203.0.113.8"], { expectedSourceIps: [] }).status).toBe("mismatch");
});
