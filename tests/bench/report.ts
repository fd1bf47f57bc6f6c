/** Cost of large reports: 20 topologies of 60 cases, 500 of 14, and 500 cells of a matrix; read by a separate process. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inCheckout } from "../../cli/pulumi/workspace.ts";
import { largeResults } from "../fixtures/results/large.ts";
import { matrixResults } from "../fixtures/results/matrix.ts";

const SHAPES = [
  () => [largeResults(20, 60)],
  () => [largeResults(500, 14)],
  () => matrixResults(500),
] as const;

/** Size, time and memory, the bytes by part, and the time of the page's script. */
export function largeReport(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-large-"));
  try {
    const lines = SHAPES.flatMap((shape) => {
      const files = shape().map((results, at) => {
        const file = join(directory, `${at}.json`);
        writeFileSync(file, JSON.stringify(results));
        return file;
      });
      const program = fileURLToPath(new URL("large-report.ts", import.meta.url));
      const printed = execFileSync(process.execPath, [...nodeOptions(), program, ...files], {
        encoding: "utf8",
      });
      return printed.trim().split("\n");
    });
    return Promise.resolve(lines);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Node's options in `npm run report`. */
function nodeOptions(): string[] {
  const script = readFileSync(inCheckout("setup/run.sh"), "utf8");
  return /^report\) node\+=\((.*)\) ;;$/m.exec(script)?.[1]?.split(" ") ?? [];
}
