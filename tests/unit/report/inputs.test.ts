/** Bad input: each problem names source and field, and what is good is kept. */
import { describe, expect, it } from "vitest";
import { readInput } from "../../../report/index.ts";
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

  it("reads a file that an editor began with a byte-order mark", () => {
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
      "field schemaVersion: expected 1, got 2; written by another version",
    ],
    [
      "something else",
      '{"name":"egress-bench"}',
      "field schemaVersion: expected 1, got nothing; this is not a results file",
    ],
    ["an unknown cloud", json({ cloud: "moon" }), "out/a.json: field cloud:"],
    ["no topologies", json({ topologies: undefined }), "out/a.json: field topologies:"],
  ])("%s: refused, naming file and field", (_, text, message) => {
    const { inputs, problems } = readInput("out/a.json", text);
    expect(inputs).toEqual([]);
    expect(problems.join("\n")).toContain(message);
  });

  it("leaves out a bad case, naming its field, and keeps the others", () => {
    const [first, ...rest] = whole.cases;
    const bad = { ...first, measurement: { ...first?.measurement, bitsPerSecond: "fast" } };
    const { inputs, problems } = readInput("out/a.json", json({ cases: [bad, ...rest] }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^out\/a\.json: field cases\.0\.measurement\.bitsPerSecond: .*; left out$/);
    expect(inputs[0]?.results.cases).toHaveLength(rest.length);
  });

  it("leaves out a case of the plan that it does not know, and keeps its result", () => {
    const [first, ...rest] = whole.plan.cases;
    const plan = { ...whole.plan, cases: [{ ...first, tool: "unheard-of" }, ...rest] };
    const { inputs, problems } = readInput("out/a.json", json({ plan }));
    expect(problems).toEqual([
      expect.stringMatching(/^out\/a\.json: field plan\.cases\.0\.tool: .*; left out$/),
    ]);
    expect(inputs[0]?.results.cases).toHaveLength(whole.cases.length);
  });

  it("reads fields of a later results writer without a complaint", () => {
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
  ])("shows the newest of two runs of one name: %s", (_, inputs) => {
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
