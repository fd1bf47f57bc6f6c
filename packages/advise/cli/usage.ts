/** Reads exported metrics and bills: a NAT gateway's own counters. Only Parquet needs the database engine. */
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { groupBy } from "../../../bench/group-by.ts";
import { openDatabase, text } from "../../../cli/database.ts";
import { isRegion } from "../../../cli/known-names.ts";
import { counted } from "../../../report/text/format.ts";
import { FormatError } from "../src/fields.ts";
import { quoted } from "../src/reduction/raw.ts";
import type { Traffic } from "../src/traffic.ts";
import { billLines } from "../src/usage/bills.ts";
import { costExplorerCsv, costExplorerJson } from "../src/usage/cost-explorer.ts";
import { cellsOf, isOpen, separatorOf } from "../src/usage/csv.ts";
import { metricsCsv, readMetrics } from "../src/usage/metrics.ts";
import type { FileUsage } from "../src/usage/row.ts";
import { trafficsOf } from "../src/usage/table.ts";
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
  const { values, read } = await fromUsable(files, (file) => {
    signal.throwIfAborted();
    return usageOf(file, periodSeconds);
  });
  return trafficsOf(values, read);
}

async function usageOf(file: LogFile, periodSeconds: number | undefined): Promise<FileUsage> {
  const { kind, gzip, text: head } = plainHeadOf(file.path);
  if (kind === "parquet") {
    return billOf(parquetRows(file.path));
  }
  if (!/^\s*[[{]/.test(head)) {
    const [line = ""] = head.split(/\r?\n/);
    const cells = (text: string) => text.split(/\r?\n/).map((row) => cellsOf(row));
    if (costExplorerCsv.isHeader(cellsOf(line))) {
      return costExplorerCsv.read(cells(head), isRegion);
    }
    const about = { file: file.name, periodSeconds };
    return metricsCsv(cells(head).slice(0, -1), about) !== null
      ? (metricsCsv(cells(readFileSync(file.path, "utf8")), about) as FileUsage)
      : billOf(csvRows(file.path, gzip));
  }
  if (gzip || file.bytes > MOST_JSON_BYTES) {
    throw new FormatError("expected JSON of metrics, unpacked and of at most 256 MB");
  }
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(file.path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new FormatError(
      `expected whole JSON, got what ends or breaks off (${(error as Error).message}): export it again`,
    );
  }
  return costExplorerJson(document, isRegion) ?? readMetrics(document, { file: file.name, periodSeconds });
}

const mayCount = /nat[ -]?gateway|nat-/i;

/** Rows of a CSV file: the header, those that may be a NAT gateway's, and an empty one if the last line is cut off. */
async function* csvRows(path: string, gzip: boolean): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path);
  const input = gzip ? file.pipe(createGunzip()) : file;
  let row = "";
  let last = "";
  let columns: number | null = null;
  let separator: ReturnType<typeof separatorOf> = ",";
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      row = row === "" ? line : `${row}\n${line}`;
      if (row === "" || isOpen(row)) {
        continue;
      }
      if (columns === null) {
        row = row.replace(/^\uFEFF/, "");
        separator = separatorOf(row);
        const header = cellsOf(row, separator);
        columns = header.length;
        yield header;
      } else if (mayCount.test(row)) {
        yield cellsOf(row, separator);
      }
      [last, row] = [row, ""];
    }
  } catch (error) {
    throw new FormatError(`the file ends in the middle (${(error as Error).message}): export it again`);
  }
  if (row !== "" || cellsOf(last, separator).length < (columns ?? 0)) {
    yield [];
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
  const all: (readonly string[])[] = [];
  for await (const cells of rows) all.push(cells);
  const [header = [], ...others] = all;
  const read = billLines(header, isRegion);
  if (read === null) {
    throw new FormatError(
      `expected a Cost and Usage Report of AWS (lineItem/UsageType and others), a cost export of Azure (MeterCategory and others), a FOCUS export (ChargePeriodStart and others) or Cost Explorer's CSV, grouped by usage type; all with English column names; got the columns ${header.slice(0, 6).join(", ")}`,
    );
  }
  const isCut = others.at(-1)?.length === 0;
  const lines = read(isCut ? others.filter(({ length }) => length >= header.length) : others);
  const [{ cloud } = { cloud: null }] = lines;
  if (cloud === null) {
    const cut = isCut ? ", and ends in the middle of a line" : "";
    throw new FormatError(
      `the bill has no line of a NAT gateway${cut}: export all of it again, or type a month with --cloud and --gb`,
    );
  }
  if (lines.some((line) => line.cloud !== cloud)) {
    throw new FormatError("the bill has lines of two clouds: export each provider's alone");
  }
  const unread = lines.filter(({ isRead }) => !isRead);
  const sums = [...groupBy(unread, ({ money }) => money?.currency ?? "")].flatMap(([currency, own]) => {
    const amount = own.reduce((sum, { money }) => sum + (money?.amount ?? 0), 0);
    return amount === 0 ? [] : [`, ${amount.toFixed(2)} ${currency || "(currency not named)"}`];
  });
  return {
    ...{ cloud, source: "bill", series: [lines.flatMap(({ row }) => row ?? [])], isCut },
    assumed: isCut
      ? [
          "A bill ends in the middle of a line and is used up to there: its other hours, GB and money are missing. Export it again.",
        ]
      : [],
    skipped:
      unread.length === 0
        ? []
        : [
            `${counted(unread.length, "line")} of NAT gateways in a unit or time that is not known, or with an impossible amount${sums.join("")}`,
          ],
  };
}
