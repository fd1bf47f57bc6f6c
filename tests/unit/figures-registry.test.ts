/** A figure is defined once: everything built on the registry includes an added figure, and nothing is left out. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { FigureEntry } from "../../bench/figures/figure.ts";
import { comparedIds, type FigureId, figures, hasAnswer, keptFigures } from "../../bench/figures/index.ts";
import { type CaseResult, measurementSchema, type Results } from "../../bench/results/index.ts";
import { toolOf } from "../../bench/tools/index.ts";
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
  };
}

const whole = handMadeResults();

type Program = Awaited<ReturnType<typeof withEntry>>;

/** Results of one case on `direct`, three repetitions whose added figure has these values. */
function resultsWith(program: Program, ...values: (number | null)[]): Results {
  const template = whole.cases.find((one) => one.id === "tcp-egress" && one.topology === "direct");
  const runs = values.map(
    (tcpRttUs): CaseResult => ({ ...template!, measurement: { ...template!.measurement!, tcpRttUs } }),
  );
  const merged = program.mergeRepetitions(runs, { least: 3, most: 3, withinPercent: null });
  return { ...whole, topologies: whole.topologies.slice(0, 1), cases: [merged] };
}

function markdownOf(program: Program, results: Results): string {
  const read = { inputs: [{ source: "now.json", results }], problems: [] };
  return program.toMarkdown(program.makeReport(read, { madeAt: "2026-11-23T00:00:00Z" }));
}

function forgetEntry() {
  vi.doUnmock("../../bench/figures/registry.ts");
  vi.resetModules(); // files of one process share their modules
}

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
