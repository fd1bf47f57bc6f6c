import { describe, expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import type { CaseResult } from "../../../bench/results/index.ts";
import { summarize } from "../../../bench/summary/summary.ts";

import { failed, latency, rateGoal, result, results, searched, tcp, udp } from "./summary-results.ts";

const repeated = (converged: boolean | null) => ({
  ...result("direct", "tcp-egress", { bitsPerSecond: 1e9 }),
  repetitions: {
    metric: "bitsPerSecond",
    values: [0.9e9, 1e9, 1.1e9],
    failed: 0,
    median: 1e9,
    mean: 1e9,
    min: 0.9e9,
    max: 1.1e9,
    stddev: 1e8,
    confidence95: { low: 0.752e9, high: 1.248e9 }, // t(0.975, 2) = 4.3027
    withinPercent: converged === null ? null : 5,
    converged,
    rounds: [1, 2, 3],
    metrics: {},
  },
});

describe("the note on ratios", () => {
  it("names no interval if each topology has one value left", () => {
    const plan = {
      ...results({ direct: "direct" }, []).plan,
      repeat: { least: 2, most: 2, withinPercent: null },
    };
    const one = (topology: string, bitsPerSecond: number) => {
      const runs = [
        result(topology, "tcp-egress", { bitsPerSecond }),
        result(topology, "tcp-egress", failed("tool-error")),
      ];
      return mergeRepetitions(runs, plan.repeat);
    };
    const cases = [one("direct", 5e9), one("nat", 4e9)];
    const run = { ...results({ direct: "direct", nat: "nat-instance" }, cases), plan };
    expect(summarize(run).rows[0]?.nat).toContain("(0.80x)");
    expect(summarize(run).notes.join()).not.toContain("interval");
  });
});

describe("repetitions", () => {
  const of = (one: CaseResult) => summarize(results({ direct: "direct" }, [one]));

  it("show the figure's precision", () => {
    expect(of(repeated(null)).rows).toEqual([{ case: "tcp-egress", direct: "1.00 Gbit/s \u00b124.8 %" }]);
  });

  it("that failed are counted beside the figure", () => {
    const one = repeated(null);
    const some = { ...one, repetitions: { ...one.repetitions!, failed: 2 } };
    expect(of(some).rows[0]?.direct).toBe("1.00 Gbit/s \u00b124.8 %, 2 of 5 repetitions failed");
  });

  it("give ratios an interval of the differences between the rounds", () => {
    const one = repeated(null);
    const other = { ...one.repetitions, values: [0.45e9, 0.52e9, 0.53e9], mean: 0.5e9 };
    const nat = { ...one, topology: "nat", repetitions: other };
    const both = summarize(results({ direct: "direct", nat: "nat-instance" }, [one, nat]));
    // Values divided by their means: 0.9, 1, 1.1 and 0.9, 1.04, 1.06. Differences 0, -0.04, 0.04: s = 0.04, e^(4.3027 s / 3^0.5) = 1.1045.
    expect(both.rows[0]?.nat).toMatch(/^500 Mbit\/s \(0\.50x; 0\.45 to 0\.55\) \u00b1\d\d\.\d %$/);
  });

  it("whose interval stayed wide are named", () => {
    expect(of(repeated(true)).notes.join()).not.toContain("interval is wider");
    expect(of(repeated(false)).notes).toContain(
      "direct tcp-egress: the 95 % interval is wider than 5 % either way after 3 repetitions",
    );
  });
});

describe("summarize", () => {
  const cells = (topologies: Record<string, string>, cases: CaseResult[]) => {
    const { columns, rows } = summarize(results(topologies, cases));
    return rows.map((row) => columns.slice(1).map((name) => row[name]));
  };

  it("without a direct topology the first is the base, in whatever order cases are", () => {
    const cases = [result("two", "a", tcp(2)), result("one", "a", tcp(1))];
    expect(cells({ one: "nat-instance", two: "nat-gateway" }, cases)).toEqual([
      ["1.00 Gbit/s", "2.00 Gbit/s (2.00x)"],
    ]);
  });

  type Measured = Parameters<typeof result>[2];
  const counted = { ...latency(10, 20), connections: { attempted: 9, failed: 2, perSecond: 1 } };
  const unsure = { confirmed: false, limitedBy: "sender", lossBoundPercent: 0.5 } as const;
  const goals = [rateGoal("ndr", 1e9), rateGoal("pdr", 1.1e9), rateGoal("pdr", null)];
  const streams = { ...searched("peak", 32), bitsPerSecond: 9.4e9 };
  const single = { ...searched("peak", 1, { limitedBy: "trials" }), bitsPerSecond: 4.7e9 };
  const ratio = "NDR 95.6 Mbit/s (0.50x) without loss, 2 trials, confirmed";
  const both =
    "NDR 1.00 Gbit/s without loss, PDR 1.10 Gbit/s without loss, PDR not found (2 trials, confirmed)";
  const sure = "PDR 1.00 Gbit/s within 0.50 % of loss (2 trials, not confirmed, the sender's limit)";
  const ndr = (rate: string) => `NDR ${rate} without loss (2 trials, confirmed)`;

  /** Of a NAT instance, or of the direct topology and it. */
  it.each<[string, [Measured] | [direct: Measured, nat: Measured | "not run"], string[]]>([
    ["one topology has no ratios", [tcp(1)], ["1.00 Gbit/s"]],
    ["a failed base: no ratios", [failed("server-busy"), tcp(1)], ["failed: server-busy", "1.00 Gbit/s"]],
    ["a base of 0 gives no ratios", [tcp(0), tcp(1)], ["0 bit/s", "1.00 Gbit/s"]],
    ["a case that is nowhere did not run", [tcp(1), "not run"], ["1.00 Gbit/s", "not run"]],
    ["unknown is ?, not 0", [{}], ["?"]],
    ["unknown loss is ?", [udp(1, null)], ["1.00 Gbit/s, ? lost"]],
    ["no loss", [{ ...latency(1, 2), packets: 9, lostPackets: 0 }], ["p50 1.00 µs, p99 2.00 µs"]],
    ["no loss is 0 %", [udp(1, 0)], ["1.00 Gbit/s, 0 % lost"]],
    ["unknown percentiles are ?", [latency(1, null)], ["p50 1.00 µs, p99 ?"]],
    ["failed connections are counted", [counted], ["p50 10.0 µs, p99 20.0 µs, 2 failed"]],
    ["a rate", [searched("ndr", 191.2e6), searched("ndr", 95.6e6)], [ndr("191 Mbit/s"), ratio]],
    ["what a search says for sure", [searched("pdr", 1e9, unsure)], [sure]],
    [
      "no rate",
      [searched("ndr", 1e9), searched("ndr", null)],
      [ndr("1.00 Gbit/s"), "NDR not found (2 trials)"],
    ],
    ["a search for two rates tells both", [searched("ndr", 1e9, { goals })], [both]],
    [
      "a search for streams is summed up by what they carry",
      [streams, single],
      ["peak 9.40 Gbit/s at 32 streams", "peak 4.70 Gbit/s (0.50x), at 1 stream, ended early"],
    ],
    ["a search that found no streams", [searched("peak", null, { confirmed: false })], ["peak not found"]],
  ])("%s", (_, measured, expected) => {
    const names = measured.length === 1 ? ["nat"] : ["direct", "nat"];
    const cases = measured.flatMap((one, at) => (one === "not run" ? [] : result(names[at]!, "a", one)));
    const topologies = Object.fromEntries(
      names.map((name) => [name, name === "nat" ? "nat-instance" : name]),
    );
    expect(cells(topologies, cases)).toEqual([expected]);
  });

  it("notes paths that are not proved, and the results' own notes last", () => {
    const unproved = results({ nat: "nat-instance" }, [], ["All hosts share one machine."]);
    const [topology] = unproved.topologies;
    const path = { status: "mismatch" as const, sourceIps: ["192.0.2.1"], message: "saw 192.0.2.1" };
    const notes = summarize({ ...unproved, topologies: topology ? [{ ...topology, path }] : [] }).notes;
    expect(notes).toEqual(["nat: path mismatch: saw 192.0.2.1", "All hosts share one machine."]);
  });
});

describe("a case at a limit", () => {
  const limited = (at: "client" | "server" | "path" | null) => {
    const role = at === "path" ? ("nat" as const) : at;
    const limit = { host: null, role, kind: "cpuBusyPercent" as const, value: 96, bound: 90 };
    const one = { ...result("nat", "tcp", tcp(1)), limits: at === null ? [] : [limit] };
    return summarize(results({ nat: "nat-instance" }, [one]));
  };

  const not = "nat tcp: not the path's limit: the";
  it.each<[Parameters<typeof limited>[0], string, string[]]>([
    ["client", "1.00 Gbit/s, limited by client", [`${not} client's CPU was 96 % busy`]],
    ["server", "1.00 Gbit/s, limited by server", [`${not} server's CPU was 96 % busy`]],
    ["path", "1.00 Gbit/s, limited by path", []],
    [null, "1.00 Gbit/s", []],
  ])("is marked, with a note if it is not the path: %s", (at, cell, noted) => {
    const { rows, notes } = limited(at);
    expect(rows[0]?.nat).toBe(cell);
    expect(notes.filter((one) => one.startsWith("nat tcp"))).toEqual(noted);
  });
});
