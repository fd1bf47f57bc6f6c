/** Reads exported metrics and bills: a NAT gateway's own counters. */
import { readFileSync } from "node:fs";
import { type Database, number, type Row, text } from "../../../cli/database.ts";
import { isRegion } from "../../../cli/known-names.ts";
import { readMetrics } from "../src/counters/json.ts";
import { type Counter, type Counters, type Series, trafficOfCounters } from "../src/counters/traffic.ts";
import { FormatError } from "../src/fields.ts";
import { billColumns, billFile, billLines } from "../src/sql/bill.ts";
import type { Traffic } from "../src/traffic.ts";
import { type LogFile, plainHeadOf } from "./files.ts";
import { noneUsable, reasonOf } from "./unusable.ts";

/** Largest JSON file. A year of a gateway's minutes takes 20 MB per metric. */
const MOST_JSON_BYTES = 256 * 1024 * 1024;

/** The traffic in the files. @throws {FormatError} where none can be used */
export async function readCounters(
  database: Database,
  files: readonly LogFile[],
  signal: AbortSignal,
): Promise<Traffic> {
  const read: Counters[] = [];
  const unusable: { file: string; reason: string }[] = [];
  let bytes = 0;
  for (const file of files) {
    signal.throwIfAborted();
    try {
      read.push(await countersOf(database, file));
      bytes += file.bytes;
    } catch (error) {
      unusable.push({ file: file.name, reason: reasonOf(error) });
    }
  }
  if (read.length === 0) {
    throw noneUsable(unusable);
  }
  return trafficOfCounters(read, { files: read.length, bytes, unusable });
}

async function countersOf(database: Database, file: LogFile): Promise<Counters> {
  const { kind, gzip, text: head } = plainHeadOf(file.path);
  if (kind === "parquet") {
    return billOf(database, billFile(database.literalPath(file.path), "parquet"));
  }
  if (!/^\s*[[{]/.test(head)) {
    return billOf(database, billFile(database.literalPath(file.path), "csv", gzip ? "gzip" : "none"));
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
  return readMetrics(document, file.name);
}

async function billOf(database: Database, from: string): Promise<Counters> {
  const described = await database.rows(`describe select * from ${from}`);
  const found = billColumns(described.map(({ column_name }) => String(column_name)));
  if (found === null) {
    throw new FormatError(
      "expected a Cost and Usage Report of AWS (lineItem/UsageType and others) or a cost export of Azure (MeterCategory and others)",
    );
  }
  const rows = await database.rows(billLines(from, found));
  if (rows.length === 0) {
    throw new FormatError("the bill has no line of a NAT gateway");
  }
  // Older exports of Azure write "US East".
  const regions = rows.flatMap(({ region }) => text(region)?.toLowerCase().replaceAll(" ", "") ?? []);
  const lines = rows.filter(({ what }) => what === null).reduce((sum, row) => sum + number(row.lines), 0);
  return {
    ...{ cloud: found.cloud, source: "bill" },
    region: regions.find(isRegion) ?? null,
    series: rows.filter(({ what }) => what !== null).flatMap(seriesOf),
    skipped:
      lines === 0
        ? []
        : [
            `${lines} ${lines === 1 ? "line" : "lines"} of NAT gateways in a unit or time that is not known, or with an impossible amount`,
          ],
    currencies: rows.flatMap(({ currency }) => text(currency) ?? []),
  };
}

/** Bytes per GB on a bill, as in the price lists. */
const BYTES_A_GB = 1e9;

function seriesOf({ what, s, e, resource, amount, cost }: Row): Series[] {
  const id = text(resource);
  const gateway = id === null ? null : (id.split("/").at(-1) ?? id);
  const series = (counter: Counter, value: number): Series => ({
    ...{ counter, gateway, periodSeconds: (number(e) - number(s)) / 1000 },
    points: [{ t: number(s), value }],
  });
  const scale = what === "hours" ? 1 : BYTES_A_GB;
  return [
    series(String(what) as Counter, number(amount) * scale),
    ...(cost === null ? [] : [series("charged", number(cost))]),
  ];
}
