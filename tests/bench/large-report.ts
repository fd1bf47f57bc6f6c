/** `large-report.ts RESULTS`: makes a report of a file and prints what that took. */
import { readFileSync } from "node:fs";
import { makeReport, readInput, toCsv, toHtml, toMarkdown } from "../../report/index.ts";
import { inputsOf, moved } from "../../report/page/live.ts";

const [file = ""] = process.argv.slice(2);
const before = performance.now();
const report = makeReport(readInput(file, readFileSync(file, "utf8")), { madeAt: "2026-11-22T09:00:00Z" });
const html = toHtml(report);
const texts = [toMarkdown(report), toCsv(report)];
const seconds = (performance.now() - before) / 1000;
const megabytes = (text: string) => (Buffer.byteLength(text) / 1e6).toFixed(2);
const { columns, rows } = report.comparison;
console.log(
  `${columns.length} topologies of ${rows.length} cases: ${megabytes(html)} MB of HTML, ${texts.map(megabytes).join(" and ")} MB of Markdown and CSV`,
);
console.log(
  `made in ${seconds.toFixed(1)} s, with ${((process.resourceUsage().maxRSS * 1024) / 1e6).toFixed(0)} MB of memory at most`,
);
const parts = html.matchAll(/<section id="([^"]+)">([\s\S]*?)(?=<section id=|<\/main>)/g);
console.log(`of it ${[...parts].map(([, id, text = ""]) => `${id} ${megabytes(text)}`).join(", ")}`);
const data = { made: report.needs, answers: report.answerData };
const times = Array.from({ length: 20 }, (_, at) => {
  const start = performance.now();
  moved(data, { ...inputsOf(data, ""), "gb-in": String(100 + at * 500) });
  return performance.now() - start;
}).toSorted((a, b) => a - b);
console.log(`moving an input: ${times[10]?.toFixed(1)} ms, ${times.at(-1)?.toFixed(1)} ms at most`);
