/** Differences in the SQL of three engines, as far as the reduction of flow logs needs them. */

/** An engine that reduces logs: Athena is Trino. DuckDB is what the other two are compared with. */
export type Engine = "athena" | "spark" | "duckdb";

/** An engine's own words. */
export interface Dialect {
  /** Type of a text. */
  readonly text: string;
  /** A column's name, which may be a word of the language. */
  readonly name: (column: string) => string;
  /** Whole division of numbers from 0 on. */
  readonly divided: (number: string, by: number | string) => string;
  /** Whether a text has a pattern in it. Patterns have no backslashes, which Spark's texts take away. */
  readonly matches: (text: string, pattern: string) => string;
  /** A join that repeats each row for the whole numbers between two, as `name`. */
  readonly eachNumber: (from: string, to: string, name: string) => string;
  readonly makeTable: (table: string, select: string) => string;
  /** The last statement: rows that go into CSV files with a header. */
  readonly writeCsv: (select: string, directory: string) => string;
}

const ansi = (column: string) => `"${column}"`;

/** Each engine's own. */
export const dialects: Readonly<Record<Engine, Dialect>> = {
  athena: {
    text: "varchar",
    name: ansi,
    divided: (number, by) => `((${number}) / ${by})`,
    matches: (text, pattern) => `regexp_like(${text}, '${pattern}')`,
    eachNumber: (from, to, name) => `cross join unnest(sequence(${from}, ${to})) as each_of (${name})`,
    makeTable: (table, select) => `create table ${table} as\n${select}`,
    // Athena keeps the rows of each query as a CSV file.
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
