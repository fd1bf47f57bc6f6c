import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CaseResult,
  caseResultSchema,
  type Measurement,
  type Results,
  resultsSchema,
  type Search,
} from "../../../bench/results/index.ts";
import { renderSummary, summarize } from "../../../bench/summary.ts";
import { nothingMeasured } from "../../../bench/tools/measurement.ts";

const tcp = (gigabits: number) => ({ bitsPerSecond: gigabits * 1e9 });
const udp = (gigabits: number, lostPercent: number | null) => ({
  ...tcp(gigabits),
  packets: 1000,
  lostPercent,
});
const latency = (p50: number | null, p99: number | null): Partial<Measurement> => ({
  latencyUs: {
    kind: "round-trip",
    samples: 9,
    mean: 1,
    min: 1,
    max: 1,
    stddev: 1,
    p50,
    p90: 1,
    p99,
    p999: 1,
  },
});

function searched(goal: Search["goal"], found: number | null, more: Partial<Search> = {}) {
  const trial: Search["trials"][number] = {
    offeredBitsPerSecond: null,
    streams: 1,
    sentBitsPerSecond: null,
    receivedBitsPerSecond: null,
    packets: null,
    lostPackets: null,
    lostPercent: null,
    passed: true,
    problem: null,
  };
  const how = { lossBoundPercent: 0, limitedBy: "path", confirmed: true, trials: [trial, trial] } as const;
  return { search: { goal, found, ...how, trials: [...how.trials], ...more } } satisfies Partial<Measurement>;
}

function result(
  topology: string,
  id: string,
  measured: Partial<Measurement> | CaseResult["failure"],
): CaseResult {
  const failure = measured !== null && "class" in measured ? (measured as CaseResult["failure"]) : null;
  return caseResultSchema.parse({
    id,
    topology,
    tool: "iperf3",
    toolVersion: null,
    command: "x",
    status: failure === null ? "ok" : "failed",
    failure,
    startedAt: null,
    finishedAt: null,
    attempts: [],
    measurement: failure === null ? { ...nothingMeasured, ...(measured as Partial<Measurement>) } : null,
    sourceIp: null,
    hosts: [],
    rawFile: null,
  });
}

function failed(
  failureClass: NonNullable<CaseResult["failure"]>["class"],
  message = "why",
): CaseResult["failure"] {
  return { class: failureClass, message, stderrTail: "" };
}

function results(topologies: Record<string, string>, cases: CaseResult[], notes: string[] = []): Results {
  return resultsSchema.parse({
    schemaVersion: 1,
    stack: "s",
    cloud: "local",
    runId: "1",
    egressBenchVersion: "0",
    startedAt: null,
    finishedAt: null,
    plan: { name: "p", order: "interleaved", cases: [] },
    server: null,
    topologies: Object.entries(topologies).map(([name, topology]) => ({
      name,
      topology,
      expectedSourceIps: [],
      path: { status: "proved", sourceIps: [], message: null },
      hosts: [],
    })),
    cases,
    notes,
  });
}

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
    confidence95: { low: 0.75e9, high: 1.25e9 },
    withinPercent: converged === null ? null : 5,
    converged,
  },
});

describe("repetitions", () => {
  const of = (one: CaseResult) => summarize(results({ direct: "direct" }, [one]));

  it("show how sure the figure is", () => {
    expect(of(repeated(null)).rows).toEqual([{ case: "tcp-egress", direct: "1.00 Gbit/s \u00b125.0 %" }]);
  });

  it("that did not converge are told", () => {
    expect(of(repeated(true)).notes.join()).not.toContain("not converged");
    expect(of(repeated(false)).notes).toContain(
      "direct tcp-egress: not converged: the 95 % interval is wider than 5 % either way after 3 repetitions",
    );
  });
});

/** The figures published as azure-nat-2025-11, as this program would have them. */
const published = results(
  { "nat-instance": "nat-instance", direct: "direct", "nat-gateway": "nat-gateway" },
  [
    result("nat-instance", "tcp-egress", tcp(6.86)),
    result("direct", "tcp-egress", tcp(11.5)),
    result("nat-gateway", "tcp-egress", tcp(10.7)),
    result("nat-instance", "udp-egress", udp(1.6, 87.66)),
    result("direct", "udp-egress", udp(3.65, 52.7)),
    result("nat-gateway", "udp-egress", udp(3.55, 0.02)),
    result("nat-instance", "udp-ingress-64B", udp(0.129, 89.2)),
    result("direct", "udp-ingress-64B", udp(0.195, 50.4)),
    result("nat-gateway", "udp-ingress-64B", failed("timeout", "iperf3 was still running")),
    result("nat-instance", "tcp-connect", latency(1070, 2330)),
    result("direct", "tcp-connect", latency(570, 620)),
    result("nat-gateway", "tcp-connect", failed("not-run")),
  ],
);

describe("summarize", () => {
  it("puts cases in rows and topologies in columns, with the ratio to the direct one", () => {
    expect(summarize(published)).toEqual({
      columns: ["case", "nat-instance", "direct", "nat-gateway"],
      rows: [
        {
          case: "tcp-egress",
          "nat-instance": "6.86 Gbit/s (0.60x)",
          direct: "11.5 Gbit/s",
          "nat-gateway": "10.7 Gbit/s (0.93x)",
        },
        {
          case: "udp-egress",
          "nat-instance": "1.60 Gbit/s (0.44x), 87.7 % lost",
          direct: "3.65 Gbit/s, 52.7 % lost",
          "nat-gateway": "3.55 Gbit/s (0.97x), 0.02 % lost",
        },
        {
          case: "udp-ingress-64B",
          "nat-instance": "129 Mbit/s (0.66x), 89.2 % lost",
          direct: "195 Mbit/s, 50.4 % lost",
          "nat-gateway": "failed: timeout",
        },
        {
          case: "tcp-connect",
          "nat-instance": "p50 1.07 ms (1.88x), p99 2.33 ms",
          direct: "p50 570 µs, p99 620 µs",
          "nat-gateway": "not run",
        },
      ],
      notes: [
        "(x): divided by direct's figure; for latency (p50), less is better.",
        "nat-gateway udp-ingress-64B: timeout: iperf3 was still running",
      ],
    });
  });

  it("is text that JSON holds as it is", () => {
    expect(JSON.parse(JSON.stringify(summarize(published)))).toEqual(summarize(published));
  });

  const cells = (topologies: Record<string, string>, cases: CaseResult[]) => {
    const { columns, rows } = summarize(results(topologies, cases));
    return rows.map((row) => columns.slice(1).map((name) => row[name]));
  };

  it.each<[string, Record<string, string>, CaseResult[], string[]]>([
    ["one topology has no ratios", { nat: "nat-instance" }, [result("nat", "a", tcp(1))], ["1.00 Gbit/s"]],
    [
      "without a direct topology the first is the base",
      { one: "nat-instance", two: "nat-gateway" },
      [result("two", "a", tcp(2)), result("one", "a", tcp(1))],
      ["1.00 Gbit/s", "2.00 Gbit/s (2.00x)"],
    ],
    [
      "a failed base gives no ratios",
      { direct: "direct", nat: "nat-instance" },
      [result("direct", "a", failed("server-busy")), result("nat", "a", tcp(1))],
      ["failed: server-busy", "1.00 Gbit/s"],
    ],
    [
      "a base of 0 gives no ratios",
      { direct: "direct", nat: "nat-instance" },
      [result("direct", "a", tcp(0)), result("nat", "a", tcp(1))],
      ["0 bit/s", "1.00 Gbit/s"],
    ],
    [
      "a case that is nowhere did not run",
      { direct: "direct", nat: "nat-instance" },
      [result("direct", "a", tcp(1))],
      ["1.00 Gbit/s", "not run"],
    ],
    ["unknown is ?, not 0", { nat: "nat-instance" }, [result("nat", "a", {})], ["?"]],
    [
      "unknown loss is ?",
      { nat: "nat-instance" },
      [result("nat", "a", udp(1, null))],
      ["1.00 Gbit/s, ? lost"],
    ],
    ["no loss is 0 %", { nat: "nat-instance" }, [result("nat", "a", udp(1, 0))], ["1.00 Gbit/s, 0 % lost"]],
    [
      "unknown percentiles are ?",
      { nat: "nat-instance" },
      [result("nat", "a", latency(1, null))],
      ["p50 1.00 µs, p99 ?"],
    ],
    [
      "failed connections are counted",
      { nat: "nat-instance" },
      [result("nat", "a", { ...latency(10, 20), connections: { attempted: 9, failed: 2, perSecond: 1 } })],
      ["p50 10.0 µs, p99 20.0 µs, 2 failed"],
    ],
    [
      "a search for a rate is told by that rate",
      { direct: "direct", nat: "nat-instance" },
      [result("direct", "a", searched("ndr", 191.2e6)), result("nat", "a", searched("ndr", 95.6e6))],
      ["NDR 191 Mbit/s (2 trials, confirmed)", "NDR 95.6 Mbit/s (0.50x), 2 trials, confirmed"],
    ],
    [
      "what a search says for sure",
      { nat: "nat-instance" },
      [result("nat", "a", searched("pdr", 1e9, { confirmed: false, limitedBy: "sender" }))],
      ["PDR 1.00 Gbit/s (2 trials, not confirmed, the sender's limit)"],
    ],
    [
      "a search that found no rate",
      { direct: "direct", nat: "nat-instance" },
      [result("direct", "a", searched("ndr", 1e9)), result("nat", "a", searched("ndr", null))],
      ["NDR 1.00 Gbit/s (2 trials, confirmed)", "NDR not found (2 trials)"],
    ],
    [
      "a search for streams is told by what they carry",
      { direct: "direct", nat: "nat-instance" },
      [
        result("direct", "a", { ...searched("peak", 32), bitsPerSecond: 9.4e9 }),
        result("nat", "a", { ...searched("peak", 1, { limitedBy: "trials" }), bitsPerSecond: 4.7e9 }),
      ],
      ["peak 9.40 Gbit/s at 32 streams", "peak 4.70 Gbit/s (0.50x), at 1 stream, ended early"],
    ],
    [
      "a search that found no streams",
      { nat: "nat-instance" },
      [result("nat", "a", searched("peak", null, { confirmed: false }))],
      ["peak not found"],
    ],
  ])("%s", (_, topologies, cases, expected) => {
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

describe("renderSummary", () => {
  it("aligns columns and keeps three topologies within 110", () => {
    const text = renderSummary(summarize(published));
    expect(`\n${text}\n`).toMatchInlineSnapshot(`
      "
      case             nat-instance                      direct                    nat-gateway
      ---------------  --------------------------------  ------------------------  --------------------------------
      tcp-egress       6.86 Gbit/s (0.60x)               11.5 Gbit/s               10.7 Gbit/s (0.93x)
      udp-egress       1.60 Gbit/s (0.44x), 87.7 % lost  3.65 Gbit/s, 52.7 % lost  3.55 Gbit/s (0.97x), 0.02 % lost
      udp-ingress-64B  129 Mbit/s (0.66x), 89.2 % lost   195 Mbit/s, 50.4 % lost   failed: timeout
      tcp-connect      p50 1.07 ms (1.88x), p99 2.33 ms  p50 570 µs, p99 620 µs    not run

      (x): divided by direct's figure; for latency (p50), less is better.
      nat-gateway udp-ingress-64B: timeout: iperf3 was still running
      "
    `);
    const table = text.split("\n\n")[0] ?? "";
    expect(Math.max(...table.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  });

  it("breaks cells at their commas where the table would be wider", () => {
    const id = "udp-egress-64B-p100-unlimited";
    const wide = results({ direct: "direct", "nat-instance": "nat-instance", "nat-gateway": "nat-gateway" }, [
      result("direct", id, udp(3.65, 52.7)),
      result("nat-instance", id, udp(1.6, 87.66)),
      result("nat-gateway", id, udp(3.55, 100)),
    ]);
    expect(`\n${renderSummary(summarize(wide))}\n`).toMatchInlineSnapshot(`
      "
      case                           direct        nat-instance          nat-gateway
      -----------------------------  ------------  --------------------  --------------------
      udp-egress-64B-p100-unlimited  3.65 Gbit/s,  1.60 Gbit/s (0.44x),  3.55 Gbit/s (0.97x),
                                     52.7 % lost   87.7 % lost           100 % lost

      (x): divided by direct's figure; for latency (p50), less is better.
      "
    `);
  });

  it("shows every cell's words, whatever was measured", () => {
    const measured = fc.oneof(
      fc.double({ min: 0, max: 1e12, noNaN: true }).map((rate) => ({ bitsPerSecond: rate })),
      fc
        .tuple(fc.double({ min: 0, max: 400, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true }))
        .map(([g, p]) => udp(g, p)),
      fc.double({ min: 0, max: 1e7, noNaN: true }).map((time) => latency(time, time * 2)),
      fc.constant(failed("no-route")),
      fc.constant(failed("not-run")),
    );
    const ids = ["tcp-egress", "udp-ingress-64B", "tcp-connect"];
    fc.assert(
      fc.property(fc.array(measured, { minLength: 9, maxLength: 9 }), (all) => {
        const names = ["direct", "nat-instance", "nat-gateway"];
        const cases = ids.flatMap((id, row) =>
          names.map((name, at) => result(name, id, all[row * 3 + at] ?? null)),
        );
        const summary = summarize(results(Object.fromEntries(names.map((name) => [name, name])), cases));
        const text = renderSummary(summary);
        const table = text.split("\n\n")[0]?.split("\n") ?? [];
        expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(110);
        for (const word of summary.rows
          .flatMap((row) => Object.values(row))
          .flatMap((cell) => cell.split(/, /))) {
          expect(text).toContain(word);
        }
      }),
    );
  });
});

describe("a case at a limit", () => {
  const limited = (at: "client" | "server" | "path" | null) => {
    const one = { ...result("nat", "tcp", tcp(1)), saturated: { at, explanation: `why ${at}` } };
    return summarize(results({ nat: "nat-instance" }, [one]));
  };

  it.each(["client", "server", "path"] as const)("is marked: %s", (at) => {
    expect(limited(at).rows[0]?.nat).toBe(`1.00 Gbit/s, limited by ${at}`);
  });

  it("has a note where the figure is not the path's", () => {
    expect(limited("client").notes).toContain("nat tcp: not the path's limit: why client");
    expect(limited("server").notes).toContain("nat tcp: not the path's limit: why server");
    expect(limited("path").notes.join()).not.toMatch(/why/);
  });

  it("is not marked where none was found", () => {
    expect(limited(null).rows[0]?.nat).toBe("1.00 Gbit/s");
    expect(limited(null).notes.join()).not.toMatch(/why/);
  });
});
