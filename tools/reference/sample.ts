/**
 * `sample.ts [--read]`: measures README's sample again, and writes its table and the pictures of the report. Takes five minutes on
 * an idle machine; needs what `npm run local` needs, and Debian's package chromium. `--read`: uses the last run's
 * measurements.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderSummary, resultsSchema, summarize } from "../../bench/index.ts";

/** Rows of the table; the picture of the measurements has all. */
const SHOWN = ["tcp-egress", "tcp-ingress", "tcp-ping-pong"];
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const [out, report] = ["out/results.json", "out/report.html"];

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: path("../.."), stdio: "inherit" });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
  }
}

if (!process.argv.includes("--read")) {
  run("npm", "run", "local", "--", "--plan", path("sample.yaml"), "--out", out, "--yes");
}
const { columns, rows, notes } = summarize(
  resultsSchema.parse(JSON.parse(readFileSync(path(`../../${out}`), "utf8"))),
);
const [ratios = ""] = notes;
const shown = rows.filter((row) => SHOWN.includes(row.case ?? ""));
const table = renderSummary({ columns, rows: shown, notes: [] }, 110);
const readme = readFileSync(path("../../README.md"), "utf8");
const written = readme.replace(/```text\ncase .*?```/s, () => `\`\`\`text\n${table}\n\n${ratios}\n\`\`\``);
if (written === readme) {
  throw new Error("README.md has no table of cases, or the same");
}
writeFileSync(path("../../README.md"), written);
run("node", path("picture.ts"), report);
process.stdout.write(`\n${table}\n\n${ratios}\n`);
