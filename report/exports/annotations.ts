/** The gate's verdict as GitHub's workflow commands, which show it beside a run. */
import { plainText } from "../../bench/plain-text.ts";
import type { BaselineVerdict } from "../comparison/baseline.ts";
import { gateFigure } from "../comparison/gate.ts";

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
  return `::${kind} title=${escapeProperty(title)}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return plainText(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
