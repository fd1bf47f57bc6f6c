/** Time and peak memory of `npm run advise` for a log of a given size. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { writeMadeUpLog } from "./made-up-log.ts";
import { writeMadeUpParquet } from "./made-up-parquet.ts";
import { measured } from "./measured.ts";

/** Makes a log, has a separate process give advice, and reports its cost. */
export async function adviseOnLog(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-advise-bench-"));
  try {
    const { path, what } = await makeLog(directory);
    const loadBefore = load();
    const { seconds, cpuSeconds, peakBytes } = await measured("advise", [
      "--flow-logs",
      path,
      "--out",
      join(directory, "out"),
    ]);
    const size = `${(statSync(path).size / 1e9).toFixed(2)} GB of ${what}`;
    return [
      `${size}: ${seconds.toFixed(1)} s (CPU ${cpuSeconds.toFixed(1)} s, load ${loadBefore} to ${load()}), peak memory ${Math.round(peakBytes / 1e6)} MB`,
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Makes 1 GB of text, or `EGRESS_BENCH_ADVISE_GB`; with `EGRESS_BENCH_ADVISE_MILLIONS` that many million rows of Parquet.
 */
async function makeLog(directory: string): Promise<{ path: string; what: string }> {
  const { EGRESS_BENCH_ADVISE_GB: gb = "1", EGRESS_BENCH_ADVISE_MILLIONS: millions } = process.env;
  if (millions !== undefined) {
    const path = join(directory, "made-up.parquet");
    await writeMadeUpParquet(path, Number(millions) * 1e6);
    return { path, what: `Parquet, ${millions} million records` };
  }
  const path = join(directory, "made-up.log");
  const lines = writeMadeUpLog(path, Number(gb) * 1e9);
  return { path, what: `text, ${lines.toLocaleString("en-US")} records` };
}

/** Load average of the last minute. */
function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
