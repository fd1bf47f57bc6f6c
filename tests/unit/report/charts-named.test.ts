/** The Markdown has no charts, and says where those of its page are: as many as the page has, and nothing without one. */
import { expect, test } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { toHtml, toMarkdown } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";

const whole = handMadeResults();
const failed = whole.cases.map((one) => ({
  ...one,
  status: "failed" as const,
  measurement: null,
  failure: { class: "tool-error" as const, message: "no route", stderrTail: "" },
}));

test.each<[string, Results, RegExp | null]>([
  ["charts", whole, /^The report's HTML page has (\d+) charts /],
  ["no charts", { ...whole, cases: failed.filter(({ id }) => id.startsWith("tcp")) }, null],
])("with %s", (_, results, sentence) => {
  const report = reportOf(results, { madeAt: "2026-11-21T09:00:00Z" });
  const [html, markdown] = [toHtml(report), toMarkdown(report)];
  for (const [id, heading] of [
    ["pictures", "Pictures"],
    ["seconds", "Second by second"],
  ] as const) {
    const [, part = ""] = markdown.split(`## ${heading}\n\n`);
    const [, section = ""] = html.split(`<section id="${id}">`);
    const charts = (section.split("</section>")[0]?.match(/<figure/g) ?? []).length;
    expect(Number(sentence?.exec(part)?.[1] ?? 0), heading).toBe(charts);
    expect(charts > 0).toBe(sentence !== null);
    expect(markdown.includes(`## ${heading}\n`)).toBe(charts > 0);
  }
});
