/** Counts the tests of a vitest run, from its json report. */
import { MOST_NOT_JUDGED } from "./starvation.ts";

/** The fields of vitest's json report that are used. */
export interface VitestReport {
  readonly testResults: readonly {
    /** Absolute path of the test file. */
    readonly name: string;
    readonly status: string;
    /** Why the file could not be loaded, or which of its hooks failed; empty for a hook inside `describe`. */
    readonly message?: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[] | null;
  /** `notJudged` is there in a test that uses `judged`: null, or why its measurement was not judged. */
  readonly meta?: { readonly notJudged?: string | null };
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Tests of a measurement, and those of them that a starved machine left without a verdict. */
  readonly measurements: number;
  readonly notJudged: number;
  /** One text per failure: some logs keep only the end of a long run's output. */
  readonly complaints: readonly string[];
}

export const noTests: TestCounts = {
  ...{ passed: 0, failed: 0, skipped: 0, measurements: 0, notJudged: 0 },
  complaints: [],
};

/** Characters; a property's counterexample can be very long, and its seed comes first. */
const LONGEST_MESSAGE = 600;

/**
 * Counts a run's tests. A file that could not be loaded counts as a failed test, as does a run that failed
 * without a failed test (an error outside any test). A test that a failed hook kept from running counts as failed.
 *
 * @param report undefined: vitest wrote none, which counts as a failure.
 * @param exitCode vitest's.
 * @param skippingFails counts a skipped test as failed.
 */
export function countTests(
  report: VitestReport | undefined,
  exitCode: number,
  skippingFails: boolean,
): TestCounts {
  if (report === undefined) {
    return { ...noTests, failed: 1, complaints: [`vitest ended with ${exitCode} and wrote no report`] };
  }
  const { complaints: _, ...none } = noTests;
  const counts = { ...none };
  const complaints: string[] = [];
  for (const file of report.testResults) {
    let failedInFile = 0;
    const isBroken =
      file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed");
    if (isBroken) {
      failedInFile = 1;
      complaints.push(
        `failed: ${file.name}: outside its tests: ${shortened(file.message || "a hook, see above")}`,
      );
    }
    for (const test of file.assertionResults) {
      if (test.meta?.notJudged !== undefined) counts.measurements += 1;
      if (typeof test.meta?.notJudged === "string") {
        counts.notJudged += 1;
        complaints.push(`not judged: ${file.name}: ${test.fullName}: ${shortened(test.meta.notJudged)}`);
      } else if (test.status === "passed") counts.passed += 1;
      else if (test.status === "failed") {
        failedInFile += 1;
        complaints.push(describeFailure(file.name, test));
      } else if (isBroken) failedInFile += 1;
      else if (skippingFails) {
        failedInFile += 1;
        complaints.push(`skipped, which CI does not allow: ${file.name}: ${test.fullName}`);
      } else counts.skipped += 1;
    }
    counts.failed += failedInFile;
  }
  if (exitCode !== 0 && counts.failed === 0) {
    counts.failed = 1;
    complaints.push(`vitest ended with ${exitCode} although no test failed`);
  }
  return { ...counts, complaints };
}

/** File, name and message without its stack, which vitest has shown. */
function describeFailure(file: string, { fullName, failureMessages }: TestResult): string {
  const message = (failureMessages ?? []).join("\n").replace(/\n {4}at .*/gs, "");
  return `failed: ${file}: ${fullName}\n  ${shortened(message)}`;
}

const shortened = (message: string) => message.slice(0, LONGEST_MESSAGE).replaceAll("\n", "\n  ");

/** Counts of a run of chosen tests: an empty selection is a failure. @param args vitest's */
export function withSelection(counts: TestCounts, args: readonly string[]): TestCounts {
  return counts.passed + counts.failed > 0
    ? counts
    : { ...counts, failed: 1, complaints: [`no test was run: none is selected by ${args.join(" ")}`] };
}

/** Adds up the counts of several runs. */
export function addCounts(all: readonly TestCounts[]): TestCounts {
  return all.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
      measurements: sum.measurements + one.measurements,
      notJudged: sum.notJudged + one.notJudged,
      complaints: [...sum.complaints, ...one.complaints],
    }),
    noTests,
  );
}

/** Counts of a whole run: it fails where more than 5 % of its measurements, in whole ones, were not judged. */
export function withVerdicts(counts: TestCounts): TestCounts {
  const { measurements, notJudged } = counts;
  if (notJudged <= Math.ceil(MOST_NOT_JUDGED * measurements)) return counts;
  const complaint = `${notJudged} of ${measurements} measurements were not judged, more than 5 %: run them on a quieter machine`;
  return { ...counts, failed: counts.failed + 1, complaints: [...counts.complaints, complaint] };
}

/** The counts as people and scripts read them. */
export function formatCounts({ passed, failed, skipped, notJudged }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped${notJudged > 0 ? `, ${notJudged} not judged` : ""}`;
}
