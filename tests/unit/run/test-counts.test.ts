import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  addCounts,
  countTests,
  formatCounts,
  type VitestReport,
  withSelection,
  withVerdicts,
} from "../../helpers/test-counts.ts";

/** A report with one file, whose tests ended like this. */
const report = (file: string, ...statuses: string[]): VitestReport => ({
  testResults: [
    {
      name: `/clone/tests/${file}.test.ts`,
      status: statuses.includes("failed") ? "failed" : "passed",
      assertionResults: statuses.map((status, at) => ({ fullName: `test ${at}`, status })),
    },
  ],
});

const counts = (passed: number, failed: number, skipped: number) =>
  expect.objectContaining({ passed, failed, skipped });

describe("countTests", () => {
  it.each([
    [
      "each outcome",
      report("unit/a", "passed", "failed", "skipped", "pending", "todo", "passed"),
      1,
      counts(2, 1, 3),
    ],
    ["no tests at all", { testResults: [] }, 0, counts(0, 0, 0)],
    ["an error outside any test", report("unit/a", "passed"), 1, counts(1, 1, 0)],
    [
      "a file that could not be loaded, beside a failed test",
      {
        testResults: [
          { name: "/clone/tests/unit/b.test.ts", status: "failed", assertionResults: [] },
          ...report("unit/a", "failed").testResults,
        ],
      },
      1,
      counts(0, 2, 0),
    ],
    ["no report", undefined, 139, counts(0, 1, 0)],
  ])("counts %s", (_, given, exitCode, expected) => {
    expect(countTests(given, exitCode, false)).toEqual(expected);
  });

  it.each([
    ["lab/a/b", true, counts(1, 1, 0)],
    ["engine/a", true, counts(1, 1, 0)],
    ["unit/a", true, counts(1, 1, 0)],
    ["lab/a/b", false, counts(1, 0, 1)],
  ])("a skipped test of %s where skipping fails is %s", (file, skippingFails, expected) => {
    const counted = countTests(report(file, "passed", "skipped"), 0, skippingFails);
    expect(counted).toEqual(expected);
    expect(counted.complaints).toEqual(
      skippingFails ? [`skipped, which CI does not allow: /clone/tests/${file}.test.ts: test 1`] : [],
    );
  });
});

it("names the failed test and the start of its reason, without its stack", () => {
  const failed = (message: string) => ({
    testResults: [
      {
        name: "/clone/tests/unit/a.test.ts",
        status: "failed",
        assertionResults: [{ fullName: "a sum adds", status: "failed", failureMessages: [message] }],
      },
    ],
  });
  const [short] = countTests(
    failed("Error: expected 1\nto be 2\n    at add (a.ts:1:2)\n    at b"),
    1,
    false,
  ).complaints;
  expect(short).toBe("failed: /clone/tests/unit/a.test.ts: a sum adds\n  Error: expected 1\n  to be 2");
  const [long] = countTests(failed(`Error: ${"x".repeat(5000)}`), 1, false).complaints;
  expect(long?.length).toBeLessThan(700);
});

it.each([
  ["could not be loaded", "boom", [], 1, "boom"],
  [
    "has a failed hook, so that its tests did not run",
    "",
    ["skipped", "skipped", "passed"],
    3,
    "a hook, see above",
  ],
])("reports a file that %s", (_, message, statuses, failed, why) => {
  const { testResults } = report("unit/b", ...statuses);
  const [whole] = testResults.map((file) => ({ ...file, status: "failed", message }));
  const counted = countTests({ testResults: [whole!] }, 1, false);
  expect(counted.failed).toBe(failed);
  expect(counted.complaints).toEqual([`failed: /clone/tests/unit/b.test.ts: outside its tests: ${why}`]);
});

describe("measurements", () => {
  const ran = (verdicts: readonly (string | null)[]) => {
    const assertionResults = verdicts.map((notJudged, at) => ({
      ...{ fullName: `test ${at}`, status: notJudged === null ? "passed" : "skipped" },
      meta: { notJudged },
    }));
    const file = { name: "/clone/tests/lab/a.test.ts", status: "passed", assertionResults };
    return withVerdicts(countTests({ testResults: [file] }, 0, true));
  };
  const of = (judged: number, notJudged: number) =>
    ran([...Array(judged).fill(null), ...Array(notJudged).fill("starved")]);

  it("without a verdict are neither passed nor skipped, also in CI, and are named", () => {
    expect(of(1, 1)).toMatchObject({ passed: 1, failed: 0, skipped: 0, notJudged: 1, measurements: 2 });
    expect(of(1, 1).complaints).toEqual(["not judged: /clone/tests/lab/a.test.ts: test 1: starved"]);
    expect(formatCounts(of(1, 1))).toBe("1 passed, 0 failed, 0 skipped, 1 not judged");
  });

  it.each([
    [19, 1, 0],
    [18, 2, 1],
    [38, 2, 0],
    [37, 3, 1],
  ])("%d judged and %d not judged: %d failures", (judged, notJudged, failed) => {
    expect(of(judged, notJudged).failed).toBe(failed);
  });

  it("alone and not judged, are no test that was run", () => {
    expect(withSelection(of(0, 1), ["tests/lab"]).failed).toBe(1);
  });
});

it("fails an empty selection of tests, although vitest accepts it", () => {
  const skipped = countTests(report("unit/a", "skipped", "skipped"), 0, false);
  expect(withSelection(skipped, ["-t", "no such"])).toMatchObject({
    failed: 1,
    complaints: ["no test was run: none is selected by -t no such"],
  });
  const one = countTests(report("unit/a", "passed", "skipped"), 0, false);
  expect(withSelection(one, ["-t", "such"])).toBe(one);
});

it("adds up and prints the one line that ends a run", () => {
  const one = countTests(report("unit/a", "passed", "failed"), 1, false);
  const other = countTests(report("unit/b", "passed", "skipped"), 0, false);
  expect(formatCounts(addCounts([one, other]))).toBe("2 passed, 1 failed, 1 skipped");
});

it("npm test -- --help says how to run a part", () => {
  const run = fileURLToPath(new URL("../../run.ts", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [run, "--help"], { encoding: "utf8" });
  expect(status).toBe(0);
  expect(stdout).toContain("npm test -- tests/unit");
});
