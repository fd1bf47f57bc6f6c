/** Reads exported metrics and bills: a NAT gateway's own counters. Only Parquet needs the database engine. */
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { openDatabase, text } from "../../../cli/database.ts";
import { isRegion } from "../../../cli/known-names.ts";
import { FormatError } from "../src/fields.ts";
import { quoted } from "../src/reduction/raw.ts";
import type { Traffic } from "../src/traffic.ts";
import { billLines } from "../src/usage/bills.ts";
import { costExplorerCsv, costExplorerJson } from "../src/usage/cost-explorer.ts";
import { cellsOf, isOpen } from "../src/usage/csv.ts";
import { readMetrics } from "../src/usage/metrics.ts";
import { type FileUsage, trafficsOf, type UsageRow } from "../src/usage/table.ts";
import { type LogFile, plainHeadOf } from "./files.ts";
import { fromUsable } from "./unusable.ts";

/** Largest JSON file. A year of a gateway's minutes takes 20 MB per metric. */
const MOST_JSON_BYTES = 256 * 1024 * 1024;

/** The traffic of each place in the files. @throws {FormatError} where none can be used */
export async function readUsage(
  files: readonly LogFile[],
  periodSeconds: number | undefined,
  signal: AbortSignal,
): Promise<Traffic[]> {
  const { found, unusable } = await fromUsable(files, (file) => {
    signal.throwIfAborted();
    return usageOf(file, periodSeconds);
  });
  const read = found.map(({ value }) => value);
  const bytes = found.reduce((sum, { file }) => sum + file.bytes, 0);
  return trafficsOf(read, { files: read.length, bytes, unusable });
}

async function usageOf(file: LogFile, periodSeconds: number | undefined): Promise<FileUsage> {
  const { kind, gzip, text: head } = plainHeadOf(file.path);
  if (kind === "parquet") {
    return billOf(parquetRows(file.path));
  }
  if (!/^\s*[[{]/.test(head)) {
    const [line = ""] = head.split(/\r?\n/);
    return costExplorerCsv.isHeader(cellsOf(line))
      ? costExplorerCsv.read(head.split(/\r?\n/).map(cellsOf), isRegion)
      : billOf(csvRows(file.path, gzip));
  }
  if (gzip || file.bytes > MOST_JSON_BYTES) {
    throw new FormatError("expected JSON of metrics, unpacked and of at most 256 MB");
  }
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(file.path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new FormatError(`is not JSON: ${(error as Error).message}`);
  }
  return costExplorerJson(document, isRegion) ?? readMetrics(document, { file: file.name, periodSeconds });
}

const mayCount = /nat[ -]?gateway|nat-/i;

/** Rows of a CSV file: the header, and those that may be a NAT gateway's. */
async function* csvRows(path: string, gzip: boolean): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path);
  const input = gzip ? file.pipe(createGunzip()) : file;
  let row = "";
  let isFirst = true;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      row = row === "" ? line : `${row}\n${line}`;
      if (isOpen(row)) {
        continue;
      }
      if (isFirst || mayCount.test(row)) {
        yield cellsOf(isFirst ? row.replace(/^\uFEFF/, "") : row);
      }
      isFirst &&= row === "";
      row = "";
    }
  } catch (error) {
    throw new FormatError(`the file cannot be read: ${(error as Error).message}`);
  }
}

async function* parquetRows(path: string): AsyncGenerator<readonly string[]> {
  const database = await openDatabase();
  try {
    const from = `read_parquet(${quoted(database.literalPath(path))})`;
    await database.run("set timezone = 'UTC'");
    const described = await database.rows(`describe select * from ${from}`);
    yield described.map(({ column_name }) => String(column_name));
    const cells = "columns(*)::varchar";
    const pieces = await database.pieces(
      `select ${cells} from ${from} as bill where regexp_matches(bill::varchar, '${mayCount.source}', 'i')`,
    );
    for (const rows of pieces) {
      yield* rows.map((row) => row.map((cell) => text(cell) ?? ""));
    }
  } finally {
    database.close();
  }
}

async function billOf(rows: AsyncIterable<readonly string[]>): Promise<FileUsage> {
  let read: ReturnType<typeof billLines> = null;
  let header: readonly string[] | null = null;
  const found: UsageRow[] = [];
  const bad = { lines: 0, money: new Map<string, number>() };
  let cloud: FileUsage["cloud"] | null = null;
  for await (const cells of rows) {
    if (header === null) {
      header = cells;
      read = billLines(header, isRegion);
      continue;
    }
    const line = read?.(cells) ?? "other";
    if (line === "other") {
      continue;
    }
    cloud ??= line.cloud;
    if (line.row !== null) {
      found.push(line.row);
    } else {
      bad.lines += 1;
      const { amount = 0, currency } = line.money ?? {};
      bad.money.set(currency ?? "", (bad.money.get(currency ?? "") ?? 0) + amount);
    }
  }
  if (read === null) {
    throw new FormatError(
      `expected a Cost and Usage Report of AWS (lineItem/UsageType and others), a cost export of Azure (MeterCategory and others), a FOCUS export (ChargePeriodStart and others) or Cost Explorer's CSV by usage type; got the columns ${header?.slice(0, 6).join(", ")}. Export it with English column names`,
    );
  }
  if (cloud === null) {
    throw new FormatError("the bill has no line of a NAT gateway");
  }
  const money = [...bad.money].filter(([, amount]) => amount !== 0);
  const sums = money.map(
    ([currency, amount]) => `, ${amount.toFixed(2)} ${currency || "(currency not named)"}`,
  );
  return {
    ...{ cloud, source: "bill", series: [found] },
    skipped:
      bad.lines === 0
        ? []
        : [
            `${bad.lines} ${bad.lines === 1 ? "line" : "lines"} of NAT gateways in a unit or time that is not known, or with an impossible amount${sums.join("")}`,
          ],
  };
}
