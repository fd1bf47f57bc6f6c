/**
 * The gate's verdict in Markdown, for the summary of a CI job.
 *
 * @module
 */
import type { BaselineVerdict } from "../comparison/baseline.ts";
import { gateTable } from "../tables/gate-table.ts";
import { list, table } from "./markdown-parts.ts";

/** Sentences and a table of every figure that was compared. */
export function gateMarkdown(baseline: BaselineVerdict): string {
  return `${list(baseline.sentences)}\n\n${table(gateTable(baseline))}`;
}
