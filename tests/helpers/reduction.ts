/** Flow logs as a DuckDB table, reduced like by an engine, and read back. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../cli/database.ts";
import { readReduced } from "../../packages/advise/cli/aggregates.ts";
import { findFiles } from "../../packages/advise/cli/files.ts";
import { type AwsField, parseFormat } from "../../packages/advise/src/fields.ts";
import type { Ranges } from "../../packages/advise/src/ranges.ts";
import { statementsOf } from "../../packages/advise/src/reduction/records.ts";
import type { Traffic } from "../../packages/advise/src/traffic.ts";
import { someRanges, withFiles } from "./flow-logs.ts";

/** Whole numbers in Athena's documented table; other columns are text. */
const wholeNumbers: ReadonlySet<AwsField> = new Set([
  ...(["version", "srcport", "dstport", "protocol", "packets", "bytes", "start", "end"] as const),
  ...(["tcp-flags", "traffic-path"] as const),
]);

/** A log as a table: its columns, and lines without the header. */
export function tableOf(log: string) {
  const [header = "", ...lines] = log.trimEnd().split("\n");
  const fields = parseFormat(header);
  const columns = fields.map((field) => ({
    name: field.replaceAll("-", "_"),
    isNumber: wholeNumbers.has(field),
  }));
  return { fields, columns, lines };
}

/** Reduces a text log with a header by DuckDB. @returns the aggregates' CSV */
export function reduceByDuckDb(
  log: string,
  nats: readonly string[] = [],
  { entries: ranges }: Pick<Ranges, "entries"> = someRanges,
): Promise<string> {
  const { fields, columns, lines } = tableOf(log);
  return withFiles({ "log.txt": lines.map((line) => `${line}\n`).join("") }, async (directory) => {
    const out = join(directory, "aggregates");
    mkdirSync(out);
    const types = columns.map(({ name, isNumber }) => `'${name}': '${isNumber ? "BIGINT" : "VARCHAR"}'`);
    const database = await openDatabase();
    try {
      await database.run(`create table logs as select * from read_csv('${directory}/log.txt', auto_detect=false, header=false, delim=' ',
        quote='', escape='', nullstr='-', columns={${types.join(", ")}})`);
      const log = { table: "logs", fields, where: "true" };
      for (const statement of statementsOf({ ...log, engine: "duckdb", nats, ranges, directory: out })) {
        await database.run(statement);
      }
    } finally {
      database.close();
    }
    return readFileSync(join(out, "aggregates.csv"), "utf8");
  });
}

export function trafficOfAggregates(
  files: Readonly<Record<string, string>>,
  ranges: Ranges,
): Promise<Traffic> {
  return withFiles(files, async (directory) => {
    const { files } = await findFiles(["."], directory);
    const [traffic] = await readReduced(files, ranges);
    return traffic as Traffic;
  });
}
