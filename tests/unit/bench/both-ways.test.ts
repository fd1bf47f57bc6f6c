/** TCP in both directions at once: iperf3's --bidir, whose sum is compared with a peak of both directions. */
import { describe, expect, it } from "vitest";
import { readReport } from "../../../bench/assemble/outcome.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { iperf3 } from "../../../bench/tools/iperf3/index.ts";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { ended, fixture, silentReport, usageOf } from "./fixture.ts";

const caseOf = (more: object = {}) =>
  parsePlan({ cases: [{ tool: "iperf3", durationSeconds: 2, bothWays: true, ...more }] })
    .cases[0] as Iperf3Case;
const recorded = fixture("iperf3/3.12-bidir.json");

describe("a case of both directions at once", () => {
  it("runs --bidir, and says so in id and title", () => {
    const benchCase = caseOf({ streams: 4 });
    expect(iperf3.command(benchCase, "198.18.0.2")).toMatch(/ -t 2 -i 1 -P 4 --bidir$/);
    expect(benchCase.id).toBe("tcp-both-ways-p4");
    expect(iperf3.title(benchCase)).toBe("TCP both ways at once, 4 streams");
    expect(iperf3.flows(benchCase, null)).toBe(8);
  });

  it("has the sum of both receivers' rates, and each direction's rate", () => {
    const { measurement } = iperf3.parse(recorded, ended(caseOf()));
    // The client received for as long as it sent: the printed rate is over the server's 2.000716 s.
    const [egress, ingress] = [15628673095.031977, expect.closeTo((8 * 1132331008) / 2.000516, -1)] as const;
    expect(measurement).toMatchObject({
      bitsPerSecond: expect.closeTo(egress + (8 * 1132331008) / 2.000516, -1),
      bytes: 3908567040 + 1132331008,
      retransmits: 23,
      bothWays: { egressBitsPerSecond: egress, ingressBitsPerSecond: ingress },
    });
    expect(measurement.series[0]?.bitsPerSecond).toBeCloseTo(13714770791.53759 + 7073382550.436742, 0);
    expect(measurement.streams.map(({ bitsPerSecond }) => bitsPerSecond)).toEqual([null, null]);
  });

  it("says that both ends counted if one direction uses its sender's count", () => {
    const document = JSON.parse(recorded);
    const { sum_sent, sum_received } = document.end;
    sum_received.bytes = sum_sent.bytes * 1.2;
    sum_received.bits_per_second = sum_sent.bits_per_second * 1.2;
    const { measurement } = iperf3.parse(JSON.stringify(document), ended(caseOf()));
    expect(measurement.countedBy).toBeNull();
    expect(measurement.bothWays?.egressBitsPerSecond).toBe(sum_sent.bits_per_second);
  });

  it("whose senders counted is not measured by what one end received", () => {
    const document = JSON.parse(recorded);
    for (const way of ["", "_bidir_reverse"]) {
      const { bytes, bits_per_second } = document.end[`sum_sent${way}`];
      Object.assign(document.end[`sum_received${way}`], {
        ...{ bytes: bytes * 1.2, bits_per_second: bits_per_second * 1.2 },
      });
    }
    const { bytes: receivedBytes } = document.end.sum_sent;
    const { failure, measurement } = readReport(caseOf(), {
      ...{ ...silentReport, stdout: JSON.stringify(document) },
      hosts: [usageOf("server", [{ receivedBytes }])],
    });
    expect([failure, measurement?.countedBy]).toEqual([null, "sender"]);
    expect(measurement!.bytes!).toBeGreaterThan(receivedBytes);
  });

  it("has the same figures from the reduced document", () => {
    const reduced = evaluate("json_reducer.reduce_json(data, 'iperf3')", JSON.parse(recorded));
    const { measurement } = iperf3.parse(JSON.stringify(reduced), ended(caseOf()));
    expect(measurement.bothWays).toEqual({
      egressBitsPerSecond: 15628673095,
      ingressBitsPerSecond: expect.closeTo((8 * 1132331008) / 2.000516, -1),
    });
    expect(measurement.series[0]?.bitsPerSecond).toBeCloseTo(20788153342, -1);
    expect(measurement.series[0]?.bothWays?.egressBitsPerSecond).toBeCloseTo(13714770792, -1);
    expect(measurement.series[0]?.bothWays?.ingressBitsPerSecond).toBeCloseTo(7073382550, -1);
  });

  it.each([
    [{ direction: "ingress" }, /direction: got a value; bothWays has both/],
    [{ protocol: "udp", bitrate: "1M" }, /protocol: got udp; bothWays is for TCP/],
    [{ pairs: 2 }, /pairs: got 2; bothWays is for one pair/],
  ])("is refused with %j", (more, message) => {
    expect(() => caseOf(more)).toThrow(message);
  });

  it.each([
    ["hand-made/3.9-bidir", "lacks the server's direction"],
    ["3.12-tcp-omit", "number of streams 1; expected 2"],
  ])("is not read of %s: it %s", (name, words) => {
    expect(() => iperf3.parse(fixture(`iperf3/${name}.json`), ended(caseOf()))).toThrow(words);
  });

  it("leaves other cases as they were", () => {
    expect(caseOf({ bothWays: false })).not.toHaveProperty("bothWays");
  });
});
