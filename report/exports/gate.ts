/** The gate's verdict for CI systems: as GitHub's workflow commands, and as JUnit XML. */
import { plainText } from "../../bench/plain-text.ts";
import { type BaselineVerdict, caseKey } from "../comparison/baseline.ts";
import { type GateRow, gateFigure } from "../comparison/gate.ts";
import { escapeHtml } from "../text/escape.ts";

/** Most errors and warnings of a step that GitHub shows. */
const MOST = 10;

/** One line per figure that got worse, and one for everything not judged, escaped against other commands. */
export function toAnnotations({ rows, unjudgedCases, allowNotJudged, verdict }: BaselineVerdict): string[] {
  const worse = rows
    .filter((row) => row.verdict === "worse")
    .map((row) => {
      const { topology, caseId, before, after } = row;
      return command(
        "error",
        "egress-bench: worse",
        `${topology} ${caseId} ${gateFigure(row)}: ${before} -> ${after}`,
      );
    });
  const kind = allowNotJudged && verdict !== "worse" ? "warning" : "error";
  const unjudged =
    unjudgedCases.length === 0
      ? []
      : [command(kind, "egress-bench: not judged", `too few repetitions: ${listed(unjudgedCases)}`)];
  return [...worse.slice(0, MOST - unjudged.length), ...unjudged];
}

/** The first of many names: GitHub shows an annotation on one line. */
function listed(names: readonly string[]): string {
  const rest = names.length - MOST;
  return names.slice(0, MOST).join(", ") + (rest > 0 ? `, and ${rest} more in gate.md` : "");
}

function command(kind: "error" | "warning", title: string, message: string): string {
  return `::${kind} title=${escapeData(title).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return plainText(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

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
