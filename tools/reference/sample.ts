/**
 * `sample.ts [--read]`: records `npm run local` as `docs/local.svg`, then measures a sample and takes the pictures of its report,
 * `docs/report*.png`. Takes eight minutes on an idle machine; needs what `npm run local` needs, and Debian's package chromium.
 * `--read`: uses the last run's report.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: path("../.."), stdio: "inherit" });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
  }
}

if (!process.argv.includes("--read")) {
  const [output, timing] = [path("../../out/local.out"), path("../../out/local.timing")];
  run("mkdir", "-p", path("../../out"));
  const record = ["-qe", "--log-out", output, "--log-timing", timing];
  run("script", ...record, "-c", "stty cols 100 rows 30; npm run local");
  run("node", path("terminal.ts"), output, timing);
  run("npm", "run", "local", "--", "--plan", path("sample.yaml"), "--out", "out/results.json", "--yes");
}
run("node", path("picture.ts"), "out/report.html");
