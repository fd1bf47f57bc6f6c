/** The agent's reduction of tools' output and samples, by direct calls of its functions. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { MAX_REPORT_BYTES, type RunReport, runReportSchema } from "../../bench/agent/protocol.ts";
import { iperf3OutputSchema, MAX_INTERVALS, MAX_REDUCED_BYTES } from "../../bench/tools/iperf3/output.ts";
import { evaluate } from "../helpers/agent-host.ts";
import { silentReport } from "../unit/bench/fixture.ts";

const fixtures = fileURLToPath(new URL("../fixtures/iperf3", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-reduce-"));
afterAll(() => rmSync(directory, { recursive: true }));

interface Reduced {
  readonly text: string;
  readonly problem: string | null;
}

/** The agent's reduction of iperf3 documents, or of other texts. */
function reduceAll(texts: readonly string[]): Reduced[] {
  const files = texts.map((text, index) => {
    const file = join(directory, `stdout-${index}`);
    writeFileSync(file, text);
    return file;
  });
  const outcomes = evaluate("[reducing.reduce_output(file, 'iperf3') for file in data]", files);
  return (outcomes as [string, string | null][]).map(([text, problem]) => ({ text, problem }));
}

const reduce = (document: unknown): Reduced => reduceAll([JSON.stringify(document)])[0] as Reduced;

describe("the iperf3 reducer", () => {
  const documents = readdirSync(fixtures).filter((name) => name.endsWith(".json"));

  const raws = documents.map((name) => readFileSync(join(fixtures, name), "utf8"));
  const outcomes = reduceAll(raws);

  it.each(documents.map((name, index) => [name, index] as const))("keeps the figures of %s", (_, index) => {
    const raw = raws[index] as string;
    const { text, problem } = outcomes[index] as Reduced;
    expect(problem).toBeNull();
    const whole = iperf3OutputSchema.parse(JSON.parse(raw.slice(raw.indexOf("{"))));
    const reduced = iperf3OutputSchema.parse(JSON.parse(text));
    expect(reduced.error).toBe(whole.error);
    expect(reduced.end?.streams?.length).toBe(whole.end?.streams?.length);
    expect(reduced.intervals?.length).toBe(
      whole.intervals?.filter((entry) => entry.sum?.omitted !== true).length,
    );
    for (const sum of ["sum", "sum_sent", "sum_received"] as const) {
      const [before, after] = [whole.end?.[sum], reduced.end?.[sum]];
      expect(Object.keys(after ?? {})).toEqual(Object.keys(before ?? {}));
      for (const [key, value] of Object.entries(before ?? {})) {
        const decimals = { seconds: 3, jitter_ms: 4, lost_percent: 4 }[key] ?? 0;
        expect(after?.[key as keyof typeof after]).toBeCloseTo(value as number, decimals);
      }
    }
  });

  const oddities: [string, string, string | null][] = [
    [
      "terminal noise around it",
      '\u001b[0m warning\n{"error":"x"}\niperf3: error - no error\n',
      '{"error":"x"}',
    ],
    ["not-a-number", '{"end":{"sum":{"jitter_ms":NaN,"bytes":-Infinity,"packets":-nan}}}', null],
    [
      "NaN",
      '{"end":{"sum":{"jitter_ms":NaN,"bytes":-Infinity}}}',
      '{"end":{"sum":{"bytes":null,"jitter_ms":null}}}',
    ],
    ["unknown keys", '{"a":1,"end":{"b":{},"sum":{"bytes":1.6,"c":[]}}}', '{"end":{"sum":{"bytes":2}}}'],
    ["another shape", '{"end":[],"intervals":[1,{"sum":2}],"start":"s"}', '{"intervals":[{}]}'],
    [
      "omitted intervals",
      '{"intervals":[{"sum":{"omitted":true,"lost_packets":3}},{"sum":{"omitted":true,"lost_packets":4}},{"sum":{"end":1.0000001}}]}',
      '{"intervals":[{"sum":{"end":1.0}}],"omitted_lost_packets":7}',
    ],
    [
      "an omitted interval without losses",
      '{"intervals":[{"sum":{"omitted":true}},{"sum":{"end":1.0000001}}]}',
      '{"intervals":[{"sum":{"end":1.0}}]}',
    ],
    ["a document cut short", '{"start":{', null],
    [
      "huge integers",
      '{"end":{"sum":{"retransmits":18446744073709551615}}}',
      '{"end":{"sum":{"retransmits":18446744073709551615}}}',
    ],
  ];
  const taken = reduceAll(oddities.map(([, raw]) => raw));

  it.each(oddities.map((oddity, index) => [...oddity, index] as const))(
    "takes %s",
    (_, raw, expected, index) => {
      expect(taken[index]).toEqual({ text: expected ?? raw, problem: null });
    },
  );

  it("brings 128 streams and the longest series under the limit", () => {
    const sum = {
      start: 299.000123,
      end: 300.000456,
      seconds: 1.000333,
      bytes: 12345678901,
      bits_per_second: 98765432109.87654,
      retransmits: 1234,
      omitted: false,
      sender: true,
    };
    const stream = { socket: 5, snd_cwnd: 1234567, rtt: 12345, ...sum };
    const result = { sender: { ...stream, mean_rtt: 12345, max_rtt: 1 }, receiver: stream };
    const document = {
      start: {
        version: "iperf 3.12",
        system_info: "x".repeat(500),
        test_start: { protocol: "TCP", num_streams: 128 },
      },
      intervals: Array.from({ length: MAX_INTERVALS }, () => ({ streams: Array(128).fill(stream), sum })),
      end: { streams: Array(128).fill(result), sum_sent: sum, sum_received: sum },
    };
    const { text, problem } = reduce(document);
    expect(problem).toBeNull();
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_REDUCED_BYTES);
    const reduced = iperf3OutputSchema.parse(JSON.parse(text));
    expect(reduced.end?.streams).toHaveLength(128);
    expect(reduced.intervals).toHaveLength(MAX_INTERVALS);
    expect(Buffer.byteLength(inReport(report({ stdout: text })))).toBeLessThanOrEqual(MAX_REPORT_BYTES);
  });

  it("calls a document bad if it cannot be brought under the limit", () => {
    const entry = { sum: { end: 1, bits_per_second: 1 } };
    const { text, problem } = reduce({ intervals: Array(5000).fill(entry) });
    expect(problem).toMatch(/reduced to \d+ bytes, 49152 are allowed/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_REDUCED_BYTES);
  });
});

function report(changes: Partial<RunReport>): RunReport {
  return {
    ...silentReport,
    sourceIp: "192.0.2.1",
    rawFile: "/home/user/raw",
    ...changes,
  };
}

const inReport = (whole: RunReport) => evaluate("reducing.fit(data).decode()", whole) as string;

it("a report never drops a failure for another", () => {
  const failure = { class: "timeout" as const, message: "too long" };
  const text = inReport(report({ failure, stdout: "\u0000".repeat(20_000) }));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_REPORT_BYTES);
  expect(runReportSchema.parse(JSON.parse(text)).failure).toEqual(failure);
});

describe("CPU figures", () => {
  const load = { busyPercent: 46, userPercent: 12, systemPercent: 22, softirqPercent: 8, stealPercent: 4 };
  const usage = (...samples: [number, object][]) =>
    evaluate(
      "cpu_usage.cpu_usage(data)",
      samples.map(([seconds, cpu], index) => ({ end: index, seconds, cpu, perCpu: { 0: cpu } })),
    );

  it("are means weighted by interval", () => {
    const quiet = { ...load, busyPercent: 6, userPercent: 2, softirqPercent: 0 };
    expect(usage([1, load], [3, quiet])).toEqual({
      busyPercent: 16, // (46 + 3 x 6) / 4
      userPercent: 4.5,
      systemPercent: 22,
      softirqPercent: 2,
      stealPercent: 4,
      perCpu: [{ cpu: 0, busyPercent: 46, softirqPercent: 8 }],
      series: [
        { at: "1970-01-01T00:00:00Z", busyPercent: 46, softirqPercent: 8, stealPercent: 4 },
        { at: "1970-01-01T00:00:01Z", busyPercent: 6, softirqPercent: 0, stealPercent: 4 },
      ],
    });
  });

  it("do not exist without a sample", () => {
    expect(usage()).toBeNull();
  });
});
