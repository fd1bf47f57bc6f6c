/**
 * Lists and tables in Markdown.
 *
 * @module
 */
import type { ReportTable } from "../tables/table.ts";
import { escapeMarkdown } from "./escape.ts";

/** Sentences below each other, with a heading where there are some. */
export function list(items: readonly string[], heading?: string): string {
  if (items.length === 0) {
    return "";
  }
  const lines = items.map((item) => `- ${escapeMarkdown(item)}`).join("\n");
  return heading === undefined ? lines : `${heading}\n\n${lines}`;
}

/** A table, with what a cell notes below it. */
export function table({ head, rows }: ReportTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const cells = rows.map((row) =>
    line(row.map(({ text, notes }) => [text, ...notes].map(escapeMarkdown).join("<br>") || " ")),
  );
  return line(head.map(({ text }) => escapeMarkdown(text))) + line(head.map(() => "---")) + cells.join("");
}
