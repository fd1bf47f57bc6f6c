/**
 * `sample.ts [--read]`: makes the documents' pictures from runs on this machine: `npm run local` as `docs/local.svg`, a sample's report,
 * a matrix of labs, and a history that is invented from the sample. Takes eight minutes on an idle machine; needs what `npm run local`
 * needs, and Debian's package chromium. `--read`: takes the pages of the last runs.
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

const [columns, rows] = ["132", "30"];

if (!process.argv.includes("--read")) {
  const [output, timing] = [path("../../out/local.out"), path("../../out/local.timing")];
  run("mkdir", "-p", path("../../out"));
  const record = ["-qe", "--log-out", output, "--log-timing", timing];
  run("script", ...record, "-c", `stty cols ${columns} rows ${rows}; npm run local`);
  run("node", path("terminal.ts"), output, timing, columns, rows);
  run("npm", "run", "local", "--", "--plan", path("sample.yaml"), "--out", "out/results.json", "--yes");
  run("npm", "run", "compare", "--", "--matrix", path("matrix.yaml"), "--out", "out/matrix", "--yes");
  run("rm", "-rf", "out/invented", "out/store");
  run("node", path("invented-runs.ts"), "out/results.json", "out/invented");
  run("npm", "run", "report", "--", "out/invented", "--store", "out/store", "--out", "out/invented");
  run("npm", "run", "history", "--", "--store", "out/store");
  run("npm", "run", "choose");
}
run("node", path("picture.ts"));
