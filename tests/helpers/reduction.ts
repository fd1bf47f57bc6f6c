/** Flow logs as a table of DuckDB, reduced as an engine would, and read back. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseFormat } from "../../advise/fields.ts";
import type { Ranges } from "../../advise/ranges.ts";
import { statementsOf } from "../../advise/reduction/script.ts";
import type { Traffic } from "../../advise/traffic.ts";
import { readReduced } from "../../cli/advise/aggregates.ts";
import { findFiles } from "../../cli/advise/files.ts";
import { openDatabase } from "../../cli/database.ts";
import { withFiles } from "./flow-logs.ts";

/** Names of whole numbers in the documented table of Athena; all else is text. */
const wholeNumbers = /^(version|srcport|dstport|protocol|packets|bytes|start|end|tcp-flags|traffic-path)$/;

/** Reduces a text log with a header by DuckDB. @returns the CSV's text, and the traffic that it tells of */
export function reduced(
  log: string,
  ranges: Ranges,
  nats: readonly string[] = [],
): Promise<{ csv: string; traffic: Traffic }> {
  const [header = "", ...lines] = log.trimEnd().split("\n");
  const fields = parseFormat(header);
  return withFiles({ "log.txt": lines.map((line) => `${line}\n`).join("") }, async (directory) => {
    const out = join(directory, "aggregates");
    mkdirSync(out);
    const database = await openDatabase();
    const columns = fields.map(
      (name) => `'${name.replaceAll("-", "_")}': '${wholeNumbers.test(name) ? "BIGINT" : "VARCHAR"}'`,
    );
    try {
      await database.run(`create table logs as select * from read_csv('${directory}/log.txt', auto_detect=false, header=false, delim=' ',
        quote='', escape='', nullstr='-', columns={${columns.join(", ")}})`);
      for (const statement of statementsOf({
        engine: "duckdb",
        table: "logs",
        fields,
        where: "true",
        nats,
        directory: out,
      })) {
        writeFileSync(join(directory, "last.sql"), statement);
        await database.run(statement);
      }
    } finally {
      database.close();
    }
    const reader = await openDatabase();
    try {
      const { files } = await findFiles([out], directory, "--aggregates");
      const traffic = await readReduced(reader, files, ranges);
      const { readFileSync } = await import("node:fs");
      return { csv: readFileSync(join(out, "aggregates.csv"), "utf8"), traffic };
    } finally {
      reader.close();
    }
  });
}
