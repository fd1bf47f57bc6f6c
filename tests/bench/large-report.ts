/** `large-report.ts RESULTS...`: makes a report from files and prints its cost. */
import { median } from "../../bench/statistics/sample.ts";
import { readFiles } from "../../cli/report/inputs.ts";
import { makeReport, toCsv, toHtml, toMarkdown } from "../../report/index.ts";
import { dataOf, inputsOf, moved, packData } from "../../report/page/live.ts";

const files = process.argv.slice(2);
/** Seconds of CPU so far, garbage collection included: other programs' load does not count. */
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const before = performance.now();
const read = readFiles(files, "");
const report = makeReport(read, { madeAt: "2026-11-22T09:00:00Z" });
const html = toHtml(report);
const texts = [toMarkdown(report), toCsv(report)];
const seconds = (performance.now() - before) / 1000;
const cpuSeconds = cpu();
const megabytes = (text: string) => (Buffer.byteLength(text) / 1e6).toFixed(2);
const { columns, rows } = report.comparison;
console.log(
  `${columns.length} topologies of ${rows.length} cases: ${megabytes(html)} MB of HTML, ${texts.map(megabytes).join(" and ")} MB of Markdown and CSV`,
);
console.log(
  `made in ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU with the program's start, with ${((process.resourceUsage().maxRSS * 1024) / 1e6).toFixed(0)} MB of memory at most`,
);
const parts = html.matchAll(/<section id="([^"]+)">([\s\S]*?)(?=<section id=|<\/main>)/g);
console.log(`of it ${[...parts].map(([, id, text = ""]) => `${id} ${megabytes(text)}`).join(", ")}`);
const data = dataOf(packData({ made: report.needs, answers: report.answerData }));
// Whether a section is open on load, as in the browser's script: folds are closed.
const isShown = (id: string) => !id.startsWith("others-");
const times = Array.from({ length: 40 }, (_, at) => {
  const start = cpu();
  moved(data, { ...inputsOf(data, ""), "gb-in": String(100 + at * 500) }, isShown);
  return (cpu() - start) * 1000;
});
const [first = 0] = times;
console.log(
  `moving an input: ${median(times).toFixed(1)} ms of CPU (median of ${times.length}), ${first.toFixed(1)} ms the first time`,
);
