/** `npm run advise -- --sql ENGINE`: a query that reduces flow logs where they are stored. */
import { textOf } from "../../../cli/options.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { counted } from "../../../report/text/format.ts";
import { type AwsField, defaultTableFields } from "../src/fields.ts";
import { shippedRanges } from "../src/ranges/shipped.ts";
import { dialects } from "../src/reduction/dialects.ts";
import { daysOf, listedBytes, prunedTo } from "../src/reduction/partitions.ts";
import { reductionTables, statementsOf } from "../src/reduction/records.ts";
import type { AdviseArguments, SqlArguments } from "./arguments.ts";

/** USD for each TB that Athena scans in us-east-1: https://aws.amazon.com/athena/pricing/ */
const USD_A_TB = 5;

/** How to run the statements, and where their rows are then. */
const steps = {
  athena: (_: string) => [
    "Run the statements one after another in Athena (engine version 3).",
    "Athena keeps the last statement's rows as a CSV file: download it to DIR (the query's OutputLocation)",
  ],
  spark: (directory: string) => [
    "Run the file with spark-sql (3.5 or later).",
    `The rows are CSV files in ${directory}: copy them to DIR`,
  ],
} as const;

/** The script, preceded by the amount of data it scans. @throws {UsageError} */
export function reductionText(
  { fields = defaultTableFields, nats }: Pick<AdviseArguments, "fields" | "nats">,
  sql: SqlArguments,
  directory: string,
): string {
  assertReducible(fields);
  const days = daysOf(sql.from, sql.to);
  const statements = statementsOf({
    ...{
      engine: sql.engine,
      table: sql.table,
      fields,
      nats,
      ranges: shippedRanges("aws").entries,
      directory: sql.directory,
    },
    where: prunedTo(sql.partition, dialects[sql.engine], days),
  });
  const [run, next] = steps[sql.engine](sql.directory);
  const comments = [
    `Flow logs of ${sql.table}, ${sql.from} to ${sql.to}, reduced to what npm run advise reads.`,
    run,
    scanText(sql, days, directory),
    "Only the first statement reads the logs, and only these days; the others read the tables that it makes.",
    `${next}, and run: npm run advise -- DIR`,
    `Afterwards, drop these tables and delete their files: ${reductionTables.join(", ")}.`,
  ];
  return `${comments.map((line) => `-- ${line}\n`).join("")}\n${statements.map((one) => `${one};\n`).join("\n")}`;
}

/** Fields that distinguish equal records from one record logged twice. */
const identifying = [
  "interface-id",
  "srcport",
  "dstport",
  "protocol",
  "packets",
] as const satisfies AwsField[];

function assertReducible(fields: readonly AwsField[]): void {
  const missing = identifying.filter((name) => !fields.includes(name));
  if (missing.length > 0) {
    throw new UsageError(
      `--format: the table lacks ${missing.join(", ")}, without which records cannot be distinguished`,
    );
  }
}

function scanText(
  { engine, listing, partition }: SqlArguments,
  days: readonly string[],
  directory: string,
): string {
  if (listing === undefined) {
    return "Bytes to scan: not known without --listing FILE (aws s3 ls --recursive s3://BUCKET/PREFIX > FILE).";
  }
  const found = listedBytes(textOf("--listing", listing, directory), partition === "none" ? null : days);
  if (found === null) {
    throw new UsageError(
      `--listing: expected the output of aws s3 ls --recursive, with flow logs by day; got ${listing}`,
    );
  }
  const price =
    engine === "athena"
      ? `, ${((USD_A_TB * found.bytes) / 1e12).toFixed(2)} USD at ${USD_A_TB} USD a TB`
      : "";
  return `Bytes to scan: ${(found.bytes / 1e9).toFixed(3)} GB in ${counted(found.objects, "object")}${price}. Parquet needs less: its other columns are not read.`;
}
