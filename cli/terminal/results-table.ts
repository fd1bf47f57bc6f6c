/** Formats results as a table that fits the terminal. */
import { plainOutput, type Results, renderSummary, summarize } from "../../bench/index.ts";
import { type ProgressStream, paint } from "./progress-board.ts";

/** @param stream Destination; without a terminal the table may have any width. */
export function renderResults(results: Results, stream: ProgressStream): string {
  const text = renderSummary(summarize(results), stream.isTTY ? stream.columns : undefined);
  return plainOutput(text).replace(/failed: [\w-]+/g, (failure) => paint(stream, "red", failure));
}
