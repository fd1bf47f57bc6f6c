/** Bad input: each problem names source and field, and usable parts are kept. */
import { describe, expect, it } from "vitest";
import { checkInput, contributionOf, readInput } from "../../../report/index.ts";
import { withoutDuplicates } from "../../../report/inputs.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();
const json = (change: object) => JSON.stringify({ ...whole, ...change });

describe("readInput", () => {
  it("reads whole results without a problem", () => {
    const { inputs, problems } = readInput("out/a.json", JSON.stringify(whole));
    expect(problems).toEqual([]);
    expect(inputs).toEqual([{ source: "out/a.json", results: whole }]);
  });

  it("does not change a checked document", () => {
    const document = structuredClone(whole);
    expect(checkInput("deployed", document).inputs).toEqual([{ source: "deployed", results: whole }]);
    expect(document).toEqual(whole);
  });

  it("reads a file that begins with a byte-order mark", () => {
    expect(readInput("out/a.json", `\ufeff${JSON.stringify(whole)}`).problems).toEqual([]);
  });

  it.each([
    ["empty", "", "out/a.json: the file is empty"],
    ["half-written", JSON.stringify(whole).slice(0, 5000), "out/a.json: the file is not whole JSON"],
    ["a list", "[]", "expected a results object, got a list"],
    ["null", "null", "expected a results object, got null"],
    [
      "another version",
      json({ schemaVersion: 2 }),
      ": schemaVersion: expected 1, got 2; written by another version",
    ],
    [
      "something else",
      '{"name":"egress-bench"}',
      ": schemaVersion: expected 1, got nothing; this is not a results file",
    ],
    ["an unknown cloud", json({ cloud: "moon" }), "out/a.json: cloud:"],
    ["no topologies", json({ topologies: undefined }), "out/a.json: topologies:"],
    [
      "not one topology",
      json({ topologies: [] }),
      "out/a.json: topologies: expected at least one; the list is empty",
    ],
    ["no case", json({ cases: [] }), "out/a.json: cases: expected at least one; got none that can be used"],
    [
      "no usable case",
      json({ cases: whole.cases.map((one) => ({ ...one, status: "ok", measurement: null })) }),
      "out/a.json: cases: expected at least one; got none that can be used",
    ],
    [
      "nested without end",
      `${"[".repeat(2e5)}${"]".repeat(2e5)}`,
      "the file is not a results file (lists and",
    ],
  ])("%s: refused, naming file and field", (_, text, message) => {
    const { inputs, problems } = readInput("out/a.json", text);
    expect(inputs).toEqual([]);
    expect(problems.join("\n")).toContain(message);
  });

  it("names an entry of the results library in one line, with the way to show it", () => {
    for (const network of [true, false]) {
      const entry = { ...contributionOf(whole, []), network };
      expect(readInput("results/lab/a.json", JSON.stringify(entry))).toEqual({
        inputs: [],
        problems: [
          "results/lab/a.json: expected results of a run, got an entry of the results library; the report shows it by itself beside a run of the same cloud, topology and case: give that run's file, such as out/results.json",
        ],
      });
    }
  });

  it("leaves out a bad case, naming its field, and keeps the others", () => {
    const [first, ...rest] = whole.cases;
    const bad = { ...first, measurement: { ...first?.measurement, bitsPerSecond: "fast" } };
    const { inputs, problems } = readInput("out/a.json", json({ cases: [bad, ...rest] }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^out\/a\.json: cases\[0\]\.measurement\.bitsPerSecond: .*; left out$/);
    expect(inputs[0]?.results.cases).toHaveLength(rest.length);
  });

  it("takes topologies of a program's own, which have no record", () => {
    const topologies = whole.topologies.map((one) => ({ ...one, topology: "our-proxy" }));
    expect(readInput("out/a.json", json({ topologies }))).toMatchObject({ problems: [], inputs: [{}] });
  });

  it("leaves out a case that is ok without a measurement", () => {
    const [first, ...rest] = whole.cases;
    const bad = { ...first, status: "ok", measurement: null };
    expect(readInput("out/a.json", json({ cases: [bad, ...rest] }))).toEqual({
      inputs: [{ source: "out/a.json", results: { ...whole, cases: rest } }],
      problems: [
        `out/a.json: case ${first?.id} of ${first?.topology}: expected figures, since its status is ok; got none; left out`,
      ],
    });
  });

  it("counts a copied measurement once, whatever its figures", () => {
    const [first] = whole.cases;
    const copy = { ...first, measurement: { ...first?.measurement, bitsPerSecond: 1 } };
    const { inputs, problems } = readInput("out/a.json", json({ cases: [...whole.cases, first, copy] }));
    expect(inputs).toEqual([{ source: "out/a.json", results: whole }]);
    expect(problems).toEqual(
      Array(2).fill(expect.stringMatching(/: expected one case .* that began at .*; got another; left out$/)),
    );
  });

  it.each<[string, string, number, string?]>([
    ["a rate of 1e308", "measurement.bitsPerSecond", 1e308],
    ["a rate that no card has", "measurement.bitsPerSecond", 2e15],
    ["a rate below 0", "measurement.bitsPerSecond", -5],
    ["a size below 0", "measurement.bytes", -1],
    ["a loss of more than all", "measurement.lostPercent", 101],
    ["a busy time below 0", "hosts.0.cpu.busyPercent", -50],
    ["a figure too small to divide by", "measurement.jitterMs", 5e-324],
    ["a mean of 1e308", "repetitions.mean", 1e308],
    ["a mean below its least value", "repetitions.mean", 0.5, "min, 1, or more"],
    ["more losses than packets", "measurement.series.0.packets", 9, "lostPackets, 10, or more"],
    ["a median above its 99th percentile", "measurement.latencyUs.p99", 4, "p50, 9, or more"],
  ])("leaves out a case with %s, naming its field", (_, path, figure, expected = "a possible figure") => {
    const changed = structuredClone(whole);
    const one = changed.cases.findIndex(({ hosts, measurement }) => hosts[0]?.cpu && measurement);
    changed.cases[one]!.repetitions = {
      ...{
        metric: "bitsPerSecond",
        values: [1],
        failed: 0,
        withinPercent: null,
        converged: null,
        rounds: [1],
        metrics: {},
      },
      ...{ median: 1, mean: 1, min: 1, max: 1, stddev: 0, confidence95: { low: -1, high: 2 } },
    };
    expect(readInput("out/a.json", JSON.stringify(changed)).problems).toEqual([]);
    const { measurement } = changed.cases[one]!;
    Object.assign(measurement!.series[0]!, { lostPackets: 10, packets: 10 });
    const summary = {
      samples: 100,
      mean: 9,
      min: 9,
      max: 9,
      stddev: 0,
      p50: 9,
      p90: null,
      p99: 9,
      p999: null,
    };
    measurement!.latencyUs = { kind: "connect", ...summary };
    const keys = path.split(".");
    const parent = keys
      .slice(0, -1)
      .reduce((at: never, key) => at[key as never], changed.cases[one] as never);
    Object.assign(parent, { [keys.at(-1) ?? ""]: figure });
    const { inputs, problems } = readInput("out/a.json", JSON.stringify(changed));
    const shown = `cases[${one}].${path.replaceAll(/\.(\d+)/g, "[$1]")}`;
    expect(problems).toEqual([`out/a.json: ${shown}: expected ${expected}; got ${figure}; left out`]);
    expect(inputs[0]?.results.cases).toHaveLength(whole.cases.length - 1);
  });

  it("refuses a server with an implausible amount of memory, naming the field", () => {
    const server = { ...whole.topologies[0]!.hosts[0]!, memoryBytes: -1 };
    const { inputs, problems } = readInput("out/a.json", json({ server }));
    expect({ inputs, problems }).toEqual({
      inputs: [],
      problems: ["out/a.json: server.memoryBytes: expected a possible figure; got -1"],
    });
  });

  it("leaves out an unknown case of the plan, and keeps its result", () => {
    const [first, ...rest] = whole.plan.cases;
    const plan = { ...whole.plan, cases: [{ ...first, tool: "unheard-of" }, ...rest] };
    const { inputs, problems } = readInput("out/a.json", json({ plan }));
    expect(problems).toEqual([expect.stringMatching(/^out\/a\.json: plan\.cases\[0\]\.tool: .*; left out$/)]);
    expect(inputs[0]?.results.cases).toHaveLength(whole.cases.length);
  });

  it("accepts fields of later releases", () => {
    const { problems } = readInput("a", json({ seed: 7, plan: { ...whole.plan, seed: 7 } }));
    expect(problems).toEqual([]);
  });
});

describe("withoutDuplicates", () => {
  const old = { source: "old.json", results: { ...whole, finishedAt: "2026-01-01T00:00:00.000Z" } };
  const newer = { source: "new.json", results: { ...whole, finishedAt: "2026-01-02T00:00:00.000Z" } };

  it.each([
    ["newest last", [old, newer]],
    ["newest first", [newer, old]],
  ])("shows the newest of two runs with one name: %s", (_, inputs) => {
    const read = withoutDuplicates(inputs);
    expect(read.inputs.map(({ source }) => source)).toEqual(["new.json"]);
    expect(read.problems[0]).toContain(
      'old.json: fields stack and runId: "compare" run "1" is also in new.json',
    );
  });

  it("keeps runs of different names", () => {
    const other = { source: "other.json", results: { ...whole, runId: "2" } };
    expect(withoutDuplicates([old, other])).toEqual({ inputs: [old, other], problems: [] });
  });
});
