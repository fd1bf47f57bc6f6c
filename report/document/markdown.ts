/** Renders a document as Markdown (GitHub flavour), for a pull request or the summary of a CI job. */

import { escapeMarkdown } from "../text/escape.ts";
import type { Block, Document } from "./document.ts";
import type { ReportTable } from "./table.ts";

/** Rows from which a table is folded. */
const LONG = 20;

export function toMarkdownText({ heading, origin, opening, sections }: Document): string {
  const parts = sections.flatMap((section) => {
    const content = markdownOf(section.blocks);
    return content === "" ? [] : [`## ${escapeMarkdown(section.heading)}\n\n${content}`];
  });
  const all = [`# ${escapeMarkdown(heading)}`, markdownOf(opening), ...parts, escapeMarkdown(origin)];
  return `${all.filter((one) => one !== "").join("\n\n")}\n`;
}

/** Blocks as Markdown. Charts and inputs are left out: the tables have their figures. */
export function markdownOf(blocks: readonly Block[]): string {
  return blocks
    .map(blockText)
    .filter((one) => one !== "")
    .join("\n\n");
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "text":
      return paragraph(block);
    case "heading":
      return `### ${escapeMarkdown(block.text)}`;
    case "list":
      return block.items.map((item) => `- ${sentence(item)}`).join("\n");
    case "table":
      return table(block);
    case "code":
      return `<pre>${escapeMarkdown(block.text)}</pre>`;
    case "live":
    case "box":
      return markdownOf(block.blocks);
    case "fold":
      return `<details><summary>${escapeMarkdown(block.summary)}</summary>\n\n${markdownOf(block.blocks)}\n\n</details>`;
    case "page":
      return markdownOf(block.markdown ?? []);
    case "chart":
    case "html":
      return "";
  }
}

/** A sentence whose own commands and options in backquotes stay code. Other backquotes may come from logs and are escaped. */
function sentence(text: string): string {
  return text
    .split(/(`(?:npm |pulumi |--)[\w ./:=-]+`)/)
    .map((part, at) => (at % 2 === 1 ? part : escapeInline(part)))
    .join("")
    .trim();
}

/** Escaped text, whose spaces next to a command stay. */
function escapeInline(text: string): string {
  const space = (found: boolean) => (found ? " " : "");
  return `${space(/^\s/.test(text))}${escapeMarkdown(text)}${space(/\s$/.test(text))}`;
}

function paragraph({ text, look, rest = "" }: Extract<Block, { kind: "text" }>): string {
  const words = sentence(`${text}${rest}`);
  return look === "answer" ? `**${words}**` : look === "warning" ? `**Warning:** ${words}` : words;
}

function table({ caption, table: content, layout }: Extract<Block, { kind: "table" }>): string {
  const name = escapeMarkdown(caption.replace(/\.$/, ""));
  return layout === "folded" || content.rows.length > LONG
    ? `<details><summary>${name}</summary>\n\n${rowsOf(content)}\n\n</details>`
    : `${name}:\n\n${rowsOf(content)}`;
}

function rowsOf({ head, rows }: ReportTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) =>
    line(row.map(({ text, notes }) => [text, ...notes].map(sentence).join("<br>") || " ")),
  );
  return [line(head.map(({ text }) => escapeMarkdown(text))), line(head.map(() => "---")), ...body].join(
    "\n",
  );
}
