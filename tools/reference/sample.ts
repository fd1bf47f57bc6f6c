/**
 * `sample.ts [--read]`: measures a sample and takes the pictures of its report, `docs/report*.png`. Takes five minutes on an
 * idle machine; needs what `npm run local` needs, and Debian's package chromium. `--read`: uses the last run's report.
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
  run("npm", "run", "local", "--", "--plan", path("sample.yaml"), "--out", "out/results.json", "--yes");
}
run("node", path("picture.ts"), "out/report.html");
