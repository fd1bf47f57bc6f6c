/**
 * The database engine of `npm run advise` and `npm run history`: DuckDB, in a temporary directory that is removed when it is
 * closed.
 */
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { makeTemporary } from "../components/shared/files.ts";

/** Minimum memory for the engine's tables; beyond it, it writes to disk. The process needs 500 MB more. */
const LEAST_MEMORY_MB = 80;
/** Bytes of memory per row that sorting and grouping need, up to a bound: ordering 8.8 million tuples of Azure takes 120 to 160 MB. */
const MEMORY_BYTES_A_ROW = 24;
/** Maximum, for operations that cannot spill to disk, such as medians of many groups. */
export const MOST_MEMORY_MB = 1000;

function memoryFor(rows: number): number {
  return Math.min(MOST_MEMORY_MB, Math.max(LEAST_MEMORY_MB, Math.ceil((rows * MEMORY_BYTES_A_ROW) / 1e6)));
}

export type Row = Readonly<Record<string, unknown>>;

/** The number in a cell; 0 if it is empty. */
export function number(value: unknown): number {
  return Number(value ?? 0);
}

/** The text in a cell; null if it is empty. */
export function text(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** The values of up to 2048 rows, one array per column. */
export type Columns = readonly (readonly (string | number | null)[])[];

type AppendedTable = "kind" | "tuple";

/**
 * Opens an empty database. Nothing is downloaded: all it needs is built in.
 *
 * @param memoryMb Memory limit of its tables, in megabytes. @default 80
 */
export async function openDatabase(memoryMb = LEAST_MEMORY_MB) {
  // Imported here, since the other commands do not need it.
  const duckdb = await import("@duckdb/node-api");
  const directory = makeTemporary("egress-bench-database-");
  const instance = await duckdb.DuckDBInstance.create(
    join(directory, "logs.duckdb"),
    settings(directory, memoryMb),
  );
  const connection: DuckDBConnection = await instance.connect();
  for (const setting of progressSettings) {
    await connection.run(`set ${setting}`);
  }
  return {
    run: async (sql: string) => {
      await connection.run(sql);
    },
    rows: async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS() as Row[],
    /** One array per column: much faster for many rows. */
    columns: async (sql: string): Promise<Readonly<Record<string, readonly unknown[]>>> =>
      (await connection.runAndReadAll(sql)).getColumnsObjectJS(),
    /** Rows in batches of some thousand, all held at once: the engine cannot take rows while it returns some. */
    pieces: async (sql: string): Promise<readonly (readonly (readonly unknown[])[])[]> => {
      const pieces: (readonly (readonly unknown[])[])[] = [];
      for await (const rows of (await connection.stream(sql)).yieldRowsJs()) {
        pieces.push(rows);
      }
      return pieces;
    },
    append: (table: AppendedTable, chunks: AsyncIterable<Columns> | Iterable<Columns>) =>
      append(duckdb, connection, table, chunks),
    /** Announces the number of rows to work on, which sets the memory limit. */
    expectRows: async (rows: number) => {
      await connection.run(`set memory_limit = '${memoryFor(rows)}MB'`);
    },
    /** A path to the same file without special characters: the engine reads `*`, `[` and `key=value` as patterns. */
    literalPath: (path: string) => {
      const link = join(directory, "log");
      rmSync(link, { force: true });
      symlinkSync(path, link);
      return link;
    },
    /** Progress of the running statement, 0 to 1, as far as the engine knows. */
    progress: () => Math.min(1, Math.max(0, connection.progress.percentage / 100)),
    interrupt: () => connection.interrupt(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function settings(directory: string, memoryMb: number): Record<string, string> {
  return {
    memory_limit: `${memoryMb}MB`,
    threads: "2",
    temp_directory: join(directory, "spill"),
    preserve_insertion_order: "false",
    // Returns memory as soon as a query is done with it.
    allocator_flush_threshold: "16MB",
    allocator_bulk_deallocation_flush_threshold: "16MB",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  };
}

/** Progress is queried, and never printed by the engine. */
const progressSettings = [
  "enable_progress_bar = true",
  "enable_progress_bar_print = false",
  "progress_bar_time = 0",
];

async function append(
  { DuckDBDataChunk, INTEGER, UTINYINT, VARCHAR }: typeof import("@duckdb/node-api"),
  connection: DuckDBConnection,
  table: AppendedTable,
  chunks: AsyncIterable<Columns> | Iterable<Columns>,
): Promise<void> {
  const types = {
    kind: [INTEGER, UTINYINT],
    tuple: [VARCHAR, VARCHAR, VARCHAR],
  }[table];
  const appender = await connection.createAppender(table);
  for await (const columns of chunks) {
    const chunk = DuckDBDataChunk.create(types);
    chunk.setColumns(columns as (string | number | null)[][]);
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}
