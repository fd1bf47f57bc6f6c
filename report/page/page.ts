/** Builds one HTML file from a document: it makes no requests, and is complete without script. */
import { createHash } from "node:crypto";
import { seriesStyles } from "../charts/palette.ts";
import type { Document, Section } from "../document/document.ts";
import { htmlOf } from "../document/html.ts";
import { toMarkdownText } from "../document/markdown.ts";
import type { Report } from "../report.ts";
import { escapeHtml } from "../text/escape.ts";
import { type PageData, packData } from "./live.ts";
import { documentOf } from "./sections.ts";
import { pageTexts } from "./texts/texts.ts";

export function toHtml(report: Report): string {
  const { comparison, answerData, needs } = report;
  return pageOf(documentOf(report), {
    columns: comparison.columns.length,
    data: { made: needs, answers: answerData },
  });
}

export function toMarkdown(report: Report): string {
  return toMarkdownText(documentOf(report));
}

export interface PageOptions {
  /** Measured columns, each of which can be hidden. */
  readonly columns: number;
  /** The data behind the inputs. Null: no inputs, and no script. */
  readonly data: PageData | null;
}

export function pageOf(
  { title, heading, origin, opening, sections }: Document,
  { columns, data }: PageOptions,
): string {
  const { liveScript, pageScript, pageStyle } = pageTexts();
  const style = [pageStyle, ...seriesStyles(columns)].join("\n");
  const scripts = data === null ? [] : [liveScript, pageScript];
  const shown = sections
    .map(({ blocks, ...section }) => ({ ...section, html: htmlOf(blocks) }))
    .filter(({ html }) => html !== "")
    .map(sectionHtml);
  // Only this style sheet and these scripts may load or run, whatever results contain.
  const policy = [
    `default-src 'none'; img-src data:; style-src '${hash(style)}'`,
    ...(data === null ? [] : [`script-src ${scripts.map((one) => `'${hash(one)}'`).join(" ")}`]),
    "base-uri 'none'; form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><h1>${escapeHtml(heading)}</h1>
<p class="sub">${escapeHtml(origin)}</p></header>
<main>${htmlOf(opening)}${shown.join("")}</main>
${data === null ? "" : `<script type="application/json" id="data">${packData(data).replaceAll("<", "\\u003c")}</script>\n`}${scripts.map((one) => `<script>${one}</script>`).join("\n")}
</body>
</html>
`;
}

/** A browser opens a folded section for a link to what is inside, hence the section's place. */
function sectionHtml({
  id,
  heading,
  folded = false,
  html,
}: Omit<Section, "blocks"> & { html: string }): string {
  const head = `<h2>${escapeHtml(heading)}</h2>`;
  return folded
    ? `<details class="folded"><summary>${head}</summary><section id="${id}">${html}</section></details>`
    : `<section id="${id}">${head}${html}</section>`;
}

function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
