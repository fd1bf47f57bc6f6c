/**
 * The report as one HTML file: no request leaves it, and it is complete without script.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Comparison } from "../comparison/comparison.ts";
import type { Report } from "../report.ts";
import { escapeHtml } from "../text/escape.ts";
import { liveScript } from "./live.generated.ts";
import type { PageData } from "./live.ts";
import { list } from "./parts.ts";
import { type Section, sectionsOf } from "./sections.ts";
import { styleSheet } from "./style.ts";
import { pageScript } from "./texts.generated.ts";

/** The whole page. */
export function toHtml(report: Report): string {
  const { comparison, problems, answerData, needs, madeAt } = report;
  const parts =
    comparison.columns.length === 0 ? [] : sectionsOf(report).filter(({ content }) => content !== "");
  return pageOf({
    title: title(comparison),
    madeAt,
    columns: comparison.columns.length,
    parts,
    before:
      problemBox(problems) +
      (parts.length === 0 ? "<p>There is nothing to show: no usable results.</p>" : ""),
    data: { made: needs, answers: answerData },
  });
}

/** Data of a page with an answer. */
export interface PageParts {
  readonly title: string;
  readonly madeAt: string;
  /** Measured columns, each of which can be hidden. */
  readonly columns: number;
  readonly parts: readonly Section[];
  /** HTML before the sections. */
  readonly before: string;
  readonly data: PageData;
}

/** A page whose answer moves with its inputs. */
export function pageOf({ title: name, madeAt, columns, parts, before, data }: PageParts): string {
  const style = styleSheet(columns);
  const scripts = [liveScript, pageScript];
  // Nothing may be loaded or run but this very style sheet and these scripts, whatever results hold.
  const policy = `default-src 'none'; img-src data:; style-src '${hash(style)}'; script-src ${scripts.map((one) => `'${hash(one)}'`).join(" ")}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><h1>Which way out of a private subnet?</h1>
<p class="sub">${escapeHtml(name)}. Made ${escapeHtml(madeAt)} by egress-bench.</p></header>
${contents(parts)}<main>${before}${parts.map(section).join("")}</main>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>
${scripts.map((one) => `<script>${one}</script>`).join("\n")}
</body>
</html>
`;
}

function contents(parts: readonly Section[]): string {
  const links = parts.map(({ id, heading }) => `<li><a href="#${id}">${escapeHtml(heading)}</a></li>`);
  return parts.length === 0 ? "" : `<nav aria-label="Contents"><ul>${links.join("")}</ul></nav>\n`;
}

function section({ id, heading, content }: Section): string {
  return `<section id="${id}"><h2>${escapeHtml(heading)}</h2>${content}</section>`;
}

function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function title({ columns }: Comparison): string {
  const stacks = [...new Set(columns.map(({ results }) => `${results.stack} (${results.cloud})`))];
  return stacks.length === 0 ? "Egress comparison" : `Egress comparison: ${stacks.join(", ")}`;
}

function problemBox(problems: readonly string[]): string {
  return problems.length === 0
    ? ""
    : `<section class="problems" aria-label="Problems"><h2>Could not be used or compared</h2>${list(problems)}</section>`;
}
