/** Differences between the SQL of three engines that matter for reducing flow logs. */

/** An engine that reduces logs: Athena is Trino. DuckDB is the reference for the other two. */
export type Engine = "athena" | "spark" | "duckdb";

export interface Dialect {
  readonly text: string;
  /** Quotes a column's name, which may be a keyword. */
  readonly name: (column: string) => string;
  /** Whole division of non-negative numbers. */
  readonly divided: (number: string, by: number | string) => string;
  /** Whether a text matches a pattern. Patterns have no backslashes, which Spark removes from strings. */
  readonly matches: (text: string, pattern: string) => string;
  /** A join that repeats each row for every whole number in a range, as `name`. */
  readonly eachNumber: (from: string, to: string, name: string) => string;
  readonly makeTable: (table: string, select: string) => string;
  /** The last statement: writes rows to CSV files with a header. */
  readonly writeCsv: (select: string, directory: string) => string;
}

const ansi = (column: string) => `"${column}"`;

export const dialects: Readonly<Record<Engine, Dialect>> = {
  athena: {
    text: "varchar",
    name: ansi,
    divided: (number, by) => `((${number}) / ${by})`,
    matches: (text, pattern) => `regexp_like(${text}, '${pattern}')`,
    eachNumber: (from, to, name) => `cross join unnest(sequence(${from}, ${to})) as each_of (${name})`,
    makeTable: (table, select) => `create table ${table} as\n${select}`,
    // Athena stores the rows of each query as a CSV file.
    writeCsv: (select) => select,
  },
  spark: {
    text: "string",
    name: (column) => `\`${column}\``,
    divided: (number, by) => `((${number}) div ${by})`,
    matches: (text, pattern) => `regexp_like(${text}, '${pattern}')`,
    eachNumber: (from, to, name) => `lateral view explode(sequence(${from}, ${to})) each_of as ${name}`,
    makeTable: (table, select) => `create table ${table} using parquet as\n${select}`,
    writeCsv: (select, directory) =>
      `insert overwrite directory '${directory}' using csv options (header 'true')\n${select}`,
  },
  duckdb: {
    text: "varchar",
    name: ansi,
    divided: (number, by) => `((${number}) // ${by})`,
    matches: (text, pattern) => `regexp_matches(${text}, '${pattern}')`,
    eachNumber: (from, to, name) => `, unnest(generate_series(${from}, ${to})) as each_of (${name})`,
    makeTable: (table, select) => `create table ${table} as\n${select}`,
    writeCsv: (select, directory) => `copy (${select}) to '${directory}/aggregates.csv' (header)`,
  },
};
