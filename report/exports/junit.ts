/** The gate's verdict as JUnit XML, which CI systems show as tests: one test per figure. */
import { type BaselineVerdict, caseKey } from "../comparison/baseline.ts";
import { type GateRow, gateFigure } from "../comparison/gate.ts";
import { escapeHtml } from "../text/escape.ts";

/**
 * A figure that got worse is a failed test. One that was not judged is skipped, or failed if the gate fails because of its
 * case.
 */
export function toJUnit(baseline: BaselineVerdict): string {
  const { rows, source } = baseline;
  const cases = rows.map((row) => ({ row, outcome: outcomeOf(row, baseline) }));
  const count = (name: string) => cases.filter(({ outcome }) => outcome === name).length;
  const totals = `tests="${rows.length}" failures="${count("failure")}" skipped="${count("skipped")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="egress-bench" ${totals}>`,
    `  <testsuite name="${escapeHtml(`since ${source}`)}" ${totals}>`,
    ...cases.map(({ row, outcome }) => testCase(row, outcome)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

type Outcome = "passed" | "failure" | "skipped";

function outcomeOf(row: GateRow, { unjudgedCases, allowNotJudged }: BaselineVerdict): Outcome {
  if (row.verdict === "worse") {
    return "failure";
  }
  const fails = !allowNotJudged && unjudgedCases.includes(caseKey(row));
  return row.verdict === "within tolerance" ? "passed" : fails ? "failure" : "skipped";
}

function testCase(row: GateRow, outcome: Outcome): string {
  const { topology, caseId, before, after, verdict } = row;
  const names = `classname="${escapeHtml(topology)}" name="${escapeHtml(`${caseId} ${gateFigure(row)}`)}"`;
  const message = `message="${escapeHtml(`${verdict}: ${before} before, ${after} now`)}"`;
  return outcome === "passed"
    ? `    <testcase ${names}/>`
    : `    <testcase ${names}><${outcome} ${message}/></testcase>`;
}
