/** A figure is defined once: everything built on the registry includes an added figure, and nothing is left out. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { counts } from "../../bench/figures/counted-by.ts";
import type { FigureEntry } from "../../bench/figures/figure.ts";
import { comparedIds, type FigureId, figures, hasAnswer, keptFigures } from "../../bench/figures/index.ts";
import { type CaseResult, measurementSchema, type Results } from "../../bench/results/index.ts";
import { toolOf, tools } from "../../bench/tools/index.ts";
import { nothingMeasured } from "../../bench/tools/shared/measurement.ts";
import { handMadeResults } from "../fixtures/results/hand-made.ts";

const id = "added" as FigureId;
/** The entry for TCP's round trip if it were compared. */
const added = {
  path: "tcpRttUs",
  unit: "us",
  better: "lower",
  label: "Queue of the path",
  shortName: "queue",
  format: (value: number) => `${value} queued`,
  overPairs: "sum",
  beside: ["throughput"],
  inSummary: (text: string) => text,
} satisfies FigureEntry;

/** The modules built on the registry, loaded again with the entry. */
async function withEntry(name = "added", entry: FigureEntry = added) {
  vi.resetModules();
  vi.doMock("../../bench/figures/registry.ts", async (original) => {
    const { entries } = await original<typeof import("../../bench/figures/registry.ts")>();
    const { tcpRtt: _, ...others } = entries;
    return { entries: { ...others, [name]: entry } };
  });
  return {
    ...(await import("../../bench/assemble/repetitions.ts")),
    ...(await import("../../bench/assemble/sum-measurements.ts")),
    ...(await import("../../bench/summary/summary.ts")),
    ...(await import("../../report/index.ts")),
    ...(await import("../../report/comparison/verdict.ts")),
  };
}

const whole = handMadeResults();

type Program = Awaited<ReturnType<typeof withEntry>>;

/** The case `tcp-egress` on a topology, repetitions whose added figure has these values. */
function caseWith(program: Program, topology: string, values: readonly (number | null)[]): CaseResult {
  const template = whole.cases.find((one) => one.id === "tcp-egress" && one.topology === topology);
  const runs = values.map(
    (tcpRttUs): CaseResult => ({ ...template!, measurement: { ...template!.measurement!, tcpRttUs } }),
  );
  const { length } = values;
  return program.mergeRepetitions(runs, { least: length, most: length, withinPercent: null });
}

/** Results of that case on `direct` alone. */
function resultsWith(program: Program, ...values: (number | null)[]): Results {
  return { ...whole, topologies: whole.topologies.slice(0, 1), cases: [caseWith(program, "direct", values)] };
}

function markdownOf(program: Program, results: Results): string {
  const read = { inputs: [{ source: "now.json", results }], problems: [] };
  return program.toMarkdown(program.makeReport(read, { madeAt: "2026-11-23T00:00:00Z" }));
}

function forgetEntry() {
  vi.doUnmock("../../bench/figures/registry.ts");
  vi.resetModules(); // files of one process share their modules
}

it("each figure has an end that counts it, for a tool that exists", () => {
  const all = new Set(counts.flatMap((one) => one.figures ?? []));
  expect(Object.keys(figures).filter((one) => !all.has(one as FigureId))).toEqual([]);
  const roots = [
    ...Object.values(figures),
    ...counts.flatMap(({ fields = [] }) => fields.map((path) => ({ path }))),
  ];
  const known = new Set(roots.map(({ path }) => path.split(".")[0]));
  // No counts: which end counted, and how long the case measures.
  const uncounted = Object.keys(measurementSchema.shape).filter((field) => !known.has(field));
  expect(uncounted).toEqual(["durationSeconds", "countedBy"]);
  const named = new Set(counts.map(({ tool }) => tool.split(",")[0]));
  expect([...named].filter((tool) => !Object.hasOwn(tools, tool ?? ""))).toEqual([]);
});

describe("a figure that is added to the registry", () => {
  let program: Program;
  let results: Results;

  beforeAll(async () => {
    program = await withEntry();
    results = resultsWith(program, 40, 41, 42);
  });
  afterAll(forgetEntry);

  it("is kept for every repetition", () => {
    expect(results.cases[0]?.repetitions?.metrics.tcpRttUs?.values).toEqual([40, 41, 42]);
  });

  it("is in the summary", () => {
    expect(program.summarize(results).rows[0]?.direct).toMatch(/, 4\d queued$/);
  });

  it("is in the report's tables, on its page and in its CSV", () => {
    const read = { inputs: [{ source: "now.json", results }], problems: [] };
    const report = program.makeReport(read, { madeAt: "2026-11-23T00:00:00Z" });
    const markdown = program.toMarkdown(report);
    expect([/Queue of the path/, /queue 41 queued/].map((words) => words.test(markdown))).toEqual([
      true,
      true,
    ]);
    const page = program.toHtml(report);
    expect([/Queue of the path/, /41\squeued/].map((words) => words.test(page))).toEqual([true, true]);
    expect(program.toCsv(report)).toMatch(/,added,us,41,/);
  });

  it("is judged by the gate", () => {
    const [before, after] = [results, resultsWith(program, 80, 81, 82)].map((one) =>
      program.compare([{ source: "", results: one }]),
    );
    const rows = program.judge(before!, after!, 5).filter(({ verdict }) => verdict === "worse");
    expect(rows).toMatchObject([{ metric: id, before: "41 queued", after: "81 queued" }]);
  });

  it("is added up over pairs", () => {
    const parts = [10, 20].map((tcpRttUs) => ({ measurement: { ...nothingMeasured, tcpRttUs }, skewMs: 0 }));
    expect(program.sumMeasurements(parts).tcpRttUs).toBe(30);
  });
});

describe("a further figure", () => {
  afterAll(forgetEntry);

  it("that answers for throughput is in the summary and has a column in the verdict", async () => {
    const { beside: _, ...others } = added;
    const program = await withEntry("added", { ...others, heading: ": queue", answers: ["throughput"] });
    const results = resultsWith(program, 40, 41, 42);
    expect(program.summarize(results).rows[0]?.direct).toMatch(/bit\/s.*, 4\d queued$/);
    const head = markdownOf(program, results)
      .split("\n")
      .find((line) => line.startsWith("| Topology"));
    expect(head).toContain("TCP egress: queue");
  });

  it.each([["replyFound"], ["failoverReply"]])("named %s says how often it has no value", async (name) => {
    const entry = { ...added, absentMeans: "found no reply", applies: () => true };
    const program = await withEntry(name, entry);
    expect(markdownOf(program, resultsWith(program, 40, null, 42))).toContain(
      "1 of 3 found no reply, 41 queued",
    );
  });
});

describe("the registry's words about a figure", () => {
  afterAll(forgetEntry);
  const sayOf = (program: Program, results: Results) =>
    program.verdictSentences(program.compare([{ source: "", results }])).join("\n");
  const columnsOf = (program: Program, results: Results) =>
    program
      .verdictFigures(program.compare([{ source: "", results }]))
      .flatMap(({ heading, row }) => (row.info.id === "tcp-egress" ? [heading] : []));

  it.each([
    [true, null],
    [false, 500],
  ])("countsFailures %s: a change is not a change of size", async (countsFailures, percent) => {
    const program = await withEntry("added", { ...added, byRanks: true, countsFailures });
    const [before, after] = [
      [0, 0, 0, 0, 0, 1],
      [1, 1, 1, 1, 1, 1],
    ].map((values) => program.compare([{ source: "", results: resultsWith(program, ...values) }]));
    const row = program.judge(before!, after!, 5).find(({ metric }) => metric === id);
    expect(row).toMatchObject({ verdict: "worse" });
    expect(row?.worsePercent).toEqual(percent === null ? null : expect.closeTo(percent));
  });

  it.each([
    [0, false],
    [1, true],
  ])("rankedColumns %i: the verdict ranks topologies by it: %s", async (rankedColumns, isRanked) => {
    const entry = {
      ...added,
      heading: ": queue",
      answers: ["throughput"],
      rankedColumns,
    } satisfies FigureEntry;
    const program = await withEntry("added", entry);
    const cases = ["direct", "nat-gateway"].map((name, at) =>
      caseWith(program, name, [40 + at, 41 + at, 42]),
    );
    const said = sayOf(program, { ...whole, cases });
    expect(/TCP egress: queue, best first/.test(said)).toBe(isRanked);
  });

  it.each([
    [false, ["TCP egress", "TCP egress: queue"]],
    [true, ["TCP egress: queue"]],
  ])("isSearched %s: its cases have a column of their own", async (isSearched, columns) => {
    const entry = { ...added, heading: ": queue", answers: ["throughput"], isSearched } satisfies FigureEntry;
    const program = await withEntry("added", entry);
    expect(columnsOf(program, resultsWith(program, 40, 41, 42)).toSorted()).toEqual(columns);
  });

  it.each([
    [false, /41 queued/],
    [true, /^((?!queued).)*$/],
  ])("isOfLoad %s: a probe's summary leaves the load's figure out", async (isOfLoad, words) => {
    const program = await withEntry("added", { ...added, beside: ["round-trips"], isOfLoad });
    const results = resultsWith(program, 41, 41, 41);
    const latencyUs = { min: 1, mean: 2, p50: 2, p90: 3, p99: 3, p999: 3, max: 4, samples: 5000 };
    const [one] = results.cases;
    const measurement = { ...nothingMeasured, bitsPerSecond: 1e9, tcpRttUs: 41, latencyUs };
    const loaded = { ...one!, repetitions: null, measurement: measurement as never };
    expect(program.summarize({ ...results, cases: [loaded] }).rows[0]?.direct).toMatch(words);
  });

  it("a run without a value says so, with the registry's detail, and is a failure of the topology", async () => {
    const entry = {
      ...added,
      absentMeans: "found no reply",
      absentDetail: () => "after 3 s",
      applies: () => true,
      answers: ["throughput"],
    } satisfies FigureEntry;
    const program = await withEntry("added", entry);
    const results = resultsWith(program, 1);
    const [one] = results.cases;
    const cases = [{ ...one!, repetitions: null, measurement: { ...one!.measurement!, tcpRttUs: null } }];
    const { rows, columns } = program.compare([{ source: "", results: { ...results, cases } }]);
    const row = rows.find(({ info }) => info.id === "tcp-egress")!;
    expect(program.showFigure(row, columns[0]!, id)).toMatchObject({
      text: "found no reply, after 3 s",
      state: "failed",
    });
  });
});

describe("the registry", () => {
  it("has every number of a measurement except its duration, each path once", () => {
    const numbers = Object.entries(measurementSchema.shape)
      .filter(([name, field]) => name !== "durationSeconds" && field.safeParse(1.5).success)
      .map(([name]) => name);
    const paths = Object.values(figures).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(numbers));
    const kept = keptFigures.map(({ path }) => path);
    expect(new Set(kept).size).toBe(kept.length);
  });

  it("answers the question of every case that was measured", () => {
    const asked = new Map(whole.plan.cases.map((one) => [one.id, toolOf(one).question]));
    for (const { id: caseId, measurement } of whole.cases) {
      expect(measurement === null || hasAnswer(measurement, asked.get(caseId)!), caseId).toBe(true);
    }
    expect(hasAnswer(nothingMeasured, "throughput")).toBe(false);
  });

  it("compares the probe of concurrent flows, which decides its repetitions", () => {
    expect(comparedIds).toEqual(expect.arrayContaining(["concurrentFlows", "idleTimeout"]));
    expect(comparedIds.every((one) => figures[one].better !== null)).toBe(true);
  });
});
