/** What large reports take: 20 topologies of 60 cases, and 500 of 14, each read from a file by a process of its own. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { largeResults } from "../fixtures/results/large.ts";

const SHAPES = [
  { topologies: 20, cases: 60 },
  { topologies: 500, cases: 14 },
] as const;

/** Size, time and memory, where the bytes are, and how long the page's script takes. */
export function largeReport(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-large-"));
  try {
    const lines = SHAPES.flatMap(({ topologies, cases }) => {
      const file = join(directory, "results.json");
      writeFileSync(file, JSON.stringify(largeResults(topologies, cases)));
      const program = fileURLToPath(new URL("large-report.ts", import.meta.url));
      // As `npm run report` starts it (setup/run.sh).
      const printed = execFileSync(process.execPath, ["--max-semi-space-size=8", program, file], {
        encoding: "utf8",
      });
      return printed.trim().split("\n");
    });
    return Promise.resolve(lines);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
