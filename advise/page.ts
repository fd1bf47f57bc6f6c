/**
 * Advice as one HTML file in the report's style: no request leaves it, and it has no script.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { list, table } from "../report/page/parts.ts";
import { styleSheet } from "../report/page/style.ts";
import { escapeHtml } from "../report/text/escape.ts";
import type { Advice } from "./advice.ts";
import type { Section } from "./section.ts";
import { sectionsOf } from "./sections.ts";
import { moment } from "./words.ts";

/** The whole page. */
export function toPage(advice: Advice): string {
  const style = styleSheet(0);
  const hash = createHash("sha256").update(style).digest("base64");
  // Nothing may be loaded or run but this very style sheet, whatever logs hold.
  const policy = `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Which way out, by your own traffic</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><h1>Which way out, by your own traffic</h1>
<p class="sub">${escapeHtml(subtitle(advice))}</p></header>
<main><div class="read-first"><p><strong>${escapeHtml(advice.recommendation.sentence)}</strong></p>${warnings(advice)}</div>
${sectionsOf(advice).map(section).join("")}${next(advice)}</main>
</body>
</html>
`;
}

function subtitle({ cloud, region, traffic, madeAt }: Advice): string {
  return `${cloud}, ${region}, ${traffic.source} from ${moment(traffic.from)} to ${moment(traffic.to)}. Made ${moment(madeAt)} by egress-bench.`;
}

function warnings({ warnings: found }: Advice): string {
  return found.map((warning) => `<p><strong>Warning:</strong> ${escapeHtml(warning)}</p>`).join("");
}

function section({ id, heading, sentences, tables }: Section): string {
  const content = tables.map(({ caption, long, ...rows }) =>
    long
      ? `<details><summary>${escapeHtml(caption)}</summary>${table(rows, caption, "cards")}</details>`
      : table(rows, caption, "cards"),
  );
  return `<section id="${id}"><h2>${escapeHtml(heading)}</h2>${list(sentences)}${content.join("")}</section>`;
}

/** The report with the reader's own needs. */
function next({ month }: Advice): string {
  const command = `npm run report -- --gb-in ${Math.round(month.all.gbIn)} --gb-out ${Math.round(month.all.gbOut)}`;
  return `<section id="next"><h2>The report with this traffic</h2><p>Measured figures priced with these volumes:</p><pre>${escapeHtml(command)}</pre></section>`;
}
