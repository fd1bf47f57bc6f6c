/**
 * docs/examples/matrix.yml: its jobs, their order, and that the command accepts their options. Real run: tests/lab/cli. Not proved:
 * that GitHub runs it so.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { commands } from "../../../cli/commands.ts";
import { compareArguments, type MatrixOptions } from "../../../cli/run/arguments.ts";
import { parsed } from "../../helpers/parsed.ts";

const text = readFileSync("docs/examples/matrix.yml", "utf8");
const { jobs, on } = parse(text);
const steps = (job: string): { run?: string; if?: string; uses?: string }[] => jobs[job].steps;

it("a job lists, a matrix of jobs measures shards, and the last one merges whatever became of them", () => {
  expect(Object.keys(jobs)).toEqual(["list", "measure", "merge"]);
  expect([jobs.measure.needs, jobs.merge.needs, jobs.merge.if]).toEqual(["list", "measure", "always()"]);
  expect(jobs.measure.strategy).toEqual({
    "fail-fast": false,
    matrix: { shard: expect.stringContaining("fromJSON(needs.list.outputs.shards)") },
  });
  expect(on.workflow_call.inputs).toEqual(on.workflow_dispatch.inputs);
});

it("the command accepts its options, and each shard is always destroyed", () => {
  const asked = Object.keys(jobs)
    .flatMap(steps)
    .flatMap(({ run = "", if: when }) => {
      const own = /npm run --silent compare -- (.*?)(?: \||$)/.exec(run)?.[1];
      const words = own?.replaceAll('"$MATRIX"', "m.yaml").replaceAll('"$SHARD"', "2/4").split(" ");
      return words === undefined ? [] : [{ words, when }];
    });
  const read = asked.map(({ words }) => compareArguments(parsed(commands.compare, words)) as MatrixOptions);
  expect(read.map(({ kind, list, shard, down }) => ({ kind, list, shard: shard?.index, down }))).toEqual([
    { kind: "matrix", list: "lines", shard: undefined, down: false },
    { kind: "matrix", list: null, shard: 2, down: false },
    { kind: "matrix", list: null, shard: 2, down: true },
  ]);
  expect(asked[2]?.when).toBe("always()");
});

it("it pins the same actions as the nightly workflow", () => {
  const nightly = readFileSync("docs/examples/nightly.yml", "utf8");
  const pinned = Object.keys(jobs)
    .flatMap(steps)
    .flatMap(({ uses }) => uses ?? []);
  expect(pinned.length).toBeGreaterThan(5);
  expect(pinned.filter((action) => !nightly.includes(action))).toEqual([]);
});

it.each([
  [["--matrix", "m", "--cloud", "aws"], "--matrix and --cloud exclude each other: the matrix's file sets it"],
  [
    ["--matrix", "m", "--parallel", "2"],
    /--matrix and --parallel exclude each other: .*maxParallel; leave one out/,
  ],
  [["--matrix", "m", "--list", "--down"], "--list and --down exclude each other"],
  [["--matrix", "m", "--keep", "--down"], "--down and --keep exclude each other"],
  [["--shard", "1/2", "--cloud", "aws"], "--shard needs --matrix; add it, or leave --shard out"],
  [["--matrix", "m", "--shards", "1/2"], "did you mean --shard"],
])("%j is refused", (argv, message) => {
  expect(() => compareArguments(parsed(commands.compare, argv))).toThrow(message);
});
