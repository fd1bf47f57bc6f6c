/** Reads the aggregates of flow logs that an engine wrote. */
import { readFileSync } from "node:fs";
import { regionOfZone } from "../../../cli/known-names.ts";
import { FormatError } from "../src/fields.ts";
import type { Ranges } from "../src/ranges.ts";
import { AGGREGATES_VERSION, type Aggregate, aggregateColumns } from "../src/reduction/aggregates.ts";
import { lineReasons } from "../src/reduction/raw.ts";
import type { LogCounts, Traffic } from "../src/traffic.ts";
import { cellsOf } from "../src/usage/csv.ts";
import { trafficsOfLog } from "../src/usage/flow-logs.ts";
import type { LogFile } from "./files.ts";
import { countedLines, fromUsable } from "./unusable.ts";

const { texts, numbers, places } = aggregateColumns;
const header = [...texts, ...numbers, ...places];
export const aggregatesHeader = header.join(",");

interface Row extends Aggregate {
  readonly nth: number;
  readonly total: number;
  readonly file: string;
}

/** The traffic in aggregates. @throws {FormatError} where they are of no reduction, or of several */
export async function readReduced(files: readonly LogFile[], ranges: Ranges): Promise<Traffic[]> {
  const { values, read } = await fromUsable(files, rowsOf);
  const rows = values.flat();
  assertWhole(rows, read.unusable);
  const lines = rows.filter(({ part }) => part === "lines");
  return trafficsOfLog(rows, {
    ...{ cloud: "aws", hasPorts: true, ranges, regionOfZone },
    logs: countsFrom(lines, read),
    duplicateRecords: lines.reduce((sum, { v2 }) => sum + v2, 0),
  });
}

function rowsOf({ path, name: file }: LogFile): Row[] {
  const [first = "", ...lines] = readFileSync(path, "utf8").split(/\r?\n/);
  if (cellsOf(first).join(",") !== aggregatesHeader) {
    throw new FormatError(
      `expected a CSV file whose first line is ${aggregatesHeader}, as this release's --sql writes it`,
    );
  }
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const cells = cellsOf(line);
      const entries = header.map((name, at) => [
        name,
        at < texts.length ? cells[at] || null : Number(cells[at] || 0),
      ]);
      return { ...(Object.fromEntries(entries) as Omit<Row, "file">), file };
    });
}

/** @throws {FormatError} where rows are missing, come twice, or are of another reduction */
function assertWhole(rows: readonly Row[], unusable: LogCounts["unusable"]): void {
  const sorted = rows.toSorted((a, b) => a.nth - b.nth);
  const total = sorted[0]?.total ?? 0;
  const wrong = sorted.findIndex((row, at) => row.total !== total || row.nth !== at + 1);
  const [before, row] = [sorted[wrong - 1], sorted[wrong]];
  const found =
    row === undefined
      ? sorted.length !== total &&
        `rows ${sorted.length + 1} to ${total} of ${total} are missing, after ${sorted.at(-1)?.file}`
      : row.total !== total
        ? `${sorted[0]?.file} says that it has ${total} rows, ${row.file} says ${row.total}`
        : before?.nth === row.nth
          ? `row ${row.nth} of ${total} is in ${before.file} and in ${row.file}`
          : `rows ${wrong + 1} to ${row.nth - 1} of ${total} are missing, before ${row.file}`;
  if (found !== false) {
    throw new FormatError(
      `expected the files of one reduction; ${found}: copy all files of the reduction, and those alone${unusable.map(({ file, reason }) => `\n  ${file}: ${reason}`).join("")}`,
    );
  }
  const version = rows.find(({ part }) => part === "version")?.v1 ?? 0;
  if (version !== AGGREGATES_VERSION) {
    throw new FormatError(
      `expected aggregates of version ${AGGREGATES_VERSION}; got ${version}; reduce the logs again with this release's --sql`,
    );
  }
}

function countsFrom(
  rows: readonly Aggregate[],
  read: Pick<LogCounts, "files" | "bytes" | "unusable">,
): LogCounts {
  const found = rows.map(({ i, v1: count }) => ({
    ...{ reason: lineReasons[i] ?? "ok", count },
    ...{ atLeast: false, examples: [] },
  }));
  const { isEmpty, ...counts } = countedLines(found);
  if (isEmpty) {
    throw new FormatError(
      `expected records of a flow log; the engine found none${counts.bad.map(({ reason, count }) => `\n  ${count}: ${reason}`).join("")}`,
    );
  }
  return { ...read, ...counts, cut: [] };
}
