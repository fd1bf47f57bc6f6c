/**
 * Advice as Markdown (GitHub flavour).
 *
 * @module
 */
import type { ReportTable } from "../report/tables/table.ts";
import { escapeMarkdown } from "../report/text/escape.ts";
import type { Advice } from "./advice.ts";
import { sectionsOf } from "./sections.ts";
import { moment } from "./words.ts";

/** The whole text. */
export function toMarkdown(advice: Advice): string {
  const sections = sectionsOf(advice).flatMap(({ heading, sentences, tables }) => [
    `## ${escapeMarkdown(heading)}`,
    sentences.map((one) => `- ${escapeMarkdown(one)}`).join("\n"),
    ...tables.map(({ caption, long, ...content }) =>
      long
        ? `<details><summary>${escapeMarkdown(caption)}</summary>\n\n${table(content)}\n</details>`
        : `${escapeMarkdown(caption)}:\n\n${table(content)}`,
    ),
  ]);
  const lines = [
    "# Which way out, by your own traffic",
    `**${escapeMarkdown(advice.recommendation.sentence)}**`,
    ...advice.warnings.map((warning) => `**Warning:** ${escapeMarkdown(warning)}`),
    ...sections,
    `Made ${moment(advice.madeAt)} by egress-bench.`,
  ];
  return `${lines.map((one) => one.trimEnd()).join("\n\n")}\n`;
}

function table({ head, rows }: ReportTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const body = rows.map((row) => line(row.map(({ text }) => escapeMarkdown(text) || " ")));
  return line(head.map(({ text }) => escapeMarkdown(text))) + line(head.map(() => "---")) + body.join("");
}
