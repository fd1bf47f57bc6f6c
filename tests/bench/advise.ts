/** CPU time and peak memory of `npm run advise` for logs of three shapes. */
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { azureLog } from "../helpers/flow-logs.ts";
import { writeMadeUpLog } from "./made-up-log.ts";
import { writeMadeUpParquet } from "./made-up-parquet.ts";
import { measured } from "./measured.ts";

/** Lines of each file where there are many: as AWS delivers every five minutes. */
const LINES_A_FILE = 5000;

/**
 * Makes logs, has separate processes give advice, and reports their cost: 1 GB of text, or `EGRESS_BENCH_ADVISE_GB`, as one file, as
 * many, and as Azure's JSON; with `EGRESS_BENCH_ADVISE_MILLIONS` that many million rows of Parquet.
 */
export async function adviseOnLog(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-advise-bench-"));
  const { EGRESS_BENCH_ADVISE_GB: gb = "1", EGRESS_BENCH_ADVISE_MILLIONS: millions } = process.env;
  try {
    const path = join(directory, "made-up");
    if (millions !== undefined) {
      await writeMadeUpParquet(path, Number(millions) * 1e6);
      return [await costOf("Parquet", path, Number(millions) * 1e6, directory)];
    }
    const records = writeMadeUpLog(path, Number(gb) * 1e9);
    const [many, azure] = [join(directory, "many"), join(directory, "azure")];
    await inPieces(path, many, ".log", (lines) => `${lines.join("\n")}\n`);
    await inPieces(path, azure, ".json", (lines) => azureLog({ A: lines.map(tupleOf) }));
    return [
      await costOf("one text file", path, records, directory),
      await costOf(`text files of ${LINES_A_FILE} lines`, many, records, directory),
      await costOf(`Azure's files of ${LINES_A_FILE} tuples`, azure, records, directory),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function costOf(shape: string, path: string, records: number, directory: string): Promise<string> {
  const args = [path, "--out", join(directory, "out")];
  const { seconds, cpuSeconds, peakBytes } = await measured("advise", args);
  const rate = Math.round(records / cpuSeconds).toLocaleString("en-US");
  return `${shape}, ${records.toLocaleString("en-US")} records: ${rate} a CPU second (${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, load ${loadavg()[0]?.toFixed(1)}), peak memory ${Math.round(peakBytes / 1e6)} MB`;
}

/** Writes a log's lines, without its header, as files. */
async function inPieces(
  log: string,
  directory: string,
  ending: string,
  textOf: (lines: readonly string[]) => string,
): Promise<void> {
  mkdirSync(directory);
  let [lines, number] = [[] as string[], 0];
  const write = () => {
    writeFileSync(join(directory, `${number}${ending}`), textOf(lines));
    [lines, number] = [[], number + 1];
  };
  for await (const line of createInterface({ input: createReadStream(log) })) {
    if (!line.startsWith("version")) lines.push(line);
    if (lines.length === LINES_A_FILE) write();
  }
  if (lines.length > 0) write();
}

function tupleOf(line: string): string {
  const [, , , source, destination, from, to, protocol, packets, bytes, , end] = line.split(" ");
  return `${end}000,${source},${destination},${from},${to},${protocol},O,C,NX,${packets},${bytes},0,0`;
}
