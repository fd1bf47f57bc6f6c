/** What a large report takes: 20 topologies of 60 cases, read from a file by a process of its own. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { largeResults } from "../fixtures/results/large.ts";

/** Size, time and memory, where the bytes are, and how long the page's script takes. */
export function largeReport(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-large-"));
  try {
    const file = join(directory, "results.json");
    writeFileSync(file, JSON.stringify(largeResults(20, 60)));
    const program = fileURLToPath(new URL("large-report.ts", import.meta.url));
    // As `npm run report` starts it (setup/run.sh).
    const printed = execFileSync(process.execPath, ["--max-semi-space-size=8", program, file], {
      encoding: "utf8",
    });
    return Promise.resolve(printed.trim().split("\n"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
