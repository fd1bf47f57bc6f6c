/** Prints table, verdict and the results' path at the end of an update: as stack outputs they would appear in quotes. */
import { join, relative } from "node:path";
import type { Results } from "../../bench/index.ts";
import { compare } from "../../report/comparison/comparison.ts";
import { verdictSentences } from "../../report/comparison/verdict.ts";
import { OWN_RESULTS, writeResults } from "../terminal/result-files.ts";

/**
 * Writes the results to `out/<stack>.json` of the program's directory, and prints the end of the update.
 *
 * @param summary The table
 */
export function endOfUpdate(
  stack: string,
  results: Results,
  summary: string,
  directory: string = process.cwd(),
): string {
  const { [OWN_RESULTS]: own } = process.env;
  const parts = [
    summary,
    verdictSentences(compare([{ source: results.stack, results }])).join("\n"),
    [
      ...(own === undefined ? [written(stack, results, directory)] : []),
      `Report: npm run report -- --stack ${stack}`,
    ].join("\n"),
  ];
  return `\n${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Writes the file, if possible: the state has the measurements anyway. */
function written(stack: string, results: Results, directory: string): string {
  try {
    return `Results: ${relative(directory, writeResults(results, join(directory, "out", `${stack}.json`), true))}`;
  } catch (error) {
    return `Results: pulumi stack output results --json (no file: ${(error as Error).message})`;
  }
}
