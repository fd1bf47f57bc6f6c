/** The gate's verdict as JUnit XML, which CI systems show as tests: a test per figure. */
import type { BaselineVerdict } from "../comparison/baseline.ts";
import type { GateRow } from "../comparison/gate.ts";
import { escapeHtml } from "../text/escape.ts";

/** A figure that got worse is a failed test; one that was not judged is skipped, or failed where that is not allowed. */
export function toJUnit({ rows, source, allowNotJudged }: BaselineVerdict): string {
  const cases = rows.map((row) => ({ row, outcome: outcomeOf(row, allowNotJudged) }));
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

function outcomeOf({ verdict }: GateRow, allowNotJudged: boolean): Outcome {
  if (verdict === "worse") {
    return "failure";
  }
  return verdict === "within tolerance" ? "passed" : allowNotJudged ? "skipped" : "failure";
}

function testCase({ topology, caseId, metric, before, after, verdict }: GateRow, outcome: Outcome): string {
  const names = `classname="${escapeHtml(topology)}" name="${escapeHtml(`${caseId} ${metric}`)}"`;
  const message = `message="${escapeHtml(`${verdict}: ${before} before, ${after} now`)}"`;
  return outcome === "passed"
    ? `    <testcase ${names}/>`
    : `    <testcase ${names}><${outcome} ${message}/></testcase>`;
}
