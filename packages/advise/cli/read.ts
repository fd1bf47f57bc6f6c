/** Reads flow log files into the engine's `raw` table, and counts unusable lines. */

import type { PricedCloud } from "../../../bench/topologies/clouds.ts";
import type { Database } from "../../../cli/database.ts";
import { counted } from "../../../report/text/format.ts";
import { type AwsField, checkFields, FormatError, fieldName } from "../src/fields.ts";
import {
  BUFFER_BYTES,
  columnsSource,
  exampleLines,
  insertAws,
  MAX_UNREADABLE,
  messageSource,
  type Source,
  textSource,
} from "../src/reduction/aws.ts";
import {
  exampleTuples,
  insertAzureNatGateway,
  insertAzureTuples,
  tupleTable,
} from "../src/reduction/azure.ts";
import { harmlessReasons, type LineReason, lineReasons, quoted, rawTable } from "../src/reduction/raw.ts";
import type { BadLines, LogCounts } from "../src/traffic.ts";
import { azureKinds, type Content, contentOf, type LogFile } from "./files.ts";
import { JsonStrings } from "./json-strings.ts";
import { endsEarly, natGatewayColumns, textOf, tupleColumns } from "./pieces.ts";
import { countedLines, fromUsable } from "./unusable.ts";

const EXAMPLES = 3;
const TICK_MS = 500;

/** Facts found while reading, besides the rows. */
export interface ReadLogs {
  readonly cloud: PricedCloud;
  readonly counts: LogCounts;
  /** Whether all files identify records, so that two equal ones are duplicates. */
  readonly whole: boolean;
  /** Whether all files have ports and protocol. */
  readonly hasPorts: boolean;
}

export interface ReadOptions {
  readonly fields: readonly AwsField[] | undefined;
  /** Called before each file and while it is read, with the bytes done, including earlier files. */
  readonly progress: (file: LogFile, doneBytes: number) => void;
  readonly signal: AbortSignal;
}

/** Reads all files that can be used. @throws {FormatError} where none can, or they are of two clouds */
export async function readLogs(
  database: Database,
  files: readonly LogFile[],
  { fields, progress, signal }: ReadOptions,
): Promise<ReadLogs> {
  await database.run(rawTable);
  await database.run(tupleTable);
  const reader = new LogReader(database, fields);
  let done = 0;
  const { read } = await fromUsable(files, async (file) => {
    signal.throwIfAborted();
    const before = done;
    // Counting after reading has its own progress, which starts at 0 again.
    let furthest = 0;
    reader.fraction = () => 0;
    const report = () => {
      furthest = Math.max(furthest, reader.fraction());
      progress(file, before + file.bytes * furthest);
    };
    report();
    const timer = setInterval(report, TICK_MS);
    await reader.file(file).finally(() => {
      clearInterval(timer);
      done += file.bytes;
    });
  });
  const result = reader.result(read);
  await database.expectRows(result.counts.lines);
  return result;
}

/** AWS delivers logs as `vpcflowlogs/REGION/2026/11/01/ACCOUNT_vpcflowlogs_REGION_ID_TIME_HASH.log.gz`. */
const deliveredFrom = /(?:^|[_/])vpcflowlogs[_/]([a-z]{2}(?:-[a-z]+){1,2}-\d)[_/]/;

class LogReader {
  readonly #database: Database;
  readonly #fields: readonly AwsField[] | undefined;
  readonly #cut = new Set<string>();
  readonly #lines = new Map<string, Omit<BadLines, "reason">>();
  readonly #clouds = new Set<PricedCloud>();
  #rows = 0;
  #whole = true;
  #hasPorts = true;
  /** Share of the current file that has been read, 0 to 1. */
  fraction: () => number = () => 0;

  constructor(database: Database, fields: readonly AwsField[] | undefined) {
    this.#database = database;
    this.#fields = fields;
  }

  async file(file: LogFile): Promise<void> {
    const content = contentOf(file.path, this.#fields);
    this.#clouds.add(azureKinds.includes(content.kind) ? "azure" : "aws");
    await this.#read(file, content);
  }

  result(read: Pick<LogCounts, "files" | "bytes" | "unusable">): ReadLogs {
    const [cloud = "aws", other] = [...this.#clouds];
    const { isEmpty, ...counts } = countedLines(
      [...this.#lines].map(([reason, found]) => ({ reason, ...found })),
    );
    if (other !== undefined) {
      throw new FormatError("the files are of AWS and of Azure; ask about one cloud at a time");
    }
    if (isEmpty) {
      const reasons = counts.bad.map(({ reason, count, examples: [first] }) => {
        const such = first === undefined ? "" : `, such as ${JSON.stringify(first)}`;
        return `\n  ${count}: ${reason}${such}`;
      });
      throw new FormatError(
        `expected records of a flow log; got none in ${counted(read.files, "file")} (${counted(counts.lines, "line")})${reasons.join("")}`,
      );
    }
    return {
      cloud,
      whole: this.#whole,
      hasPorts: this.#hasPorts,
      counts: { ...read, ...counts, cut: [...this.#cut] },
    };
  }

  async #read(file: LogFile, content: Content): Promise<void> {
    const path = this.#database.literalPath(file.path);
    const { gzip } = content;
    // For compressed text the engine reports buffered bytes, far ahead of the bytes read.
    this.fraction = gzip ? () => 0 : () => this.#database.progress();
    const csv = `read_csv(${quoted(path)}, header=true, all_varchar=true, delim=',', quote='"', escape='"', strict_mode=false, buffer_size=${BUFFER_BYTES})`;
    if (gzip && (await endsEarly(file.path))) this.#cut.add(file.name);
    switch (content.kind) {
      case "text": {
        await this.#readAws(file, textSource(path, content.format, gzip), content.format.fields);
        break;
      }
      case "parquet":
      case "csv": {
        const from = content.kind === "csv" ? csv : `read_parquet(${quoted(path)})`;
        const columns = await this.#columns(from);
        await this.#readAws(file, columnsSource(from, columns), [...columns.keys()]);
        break;
      }
      case "json messages":
      case "csv messages": {
        const { fields } = content.format;
        const isCsv = content.kind === "csv messages";
        const from = isCsv
          ? `(select "@message" as message from ${csv})`
          : "(select tuple as message from tuple)";
        if (!isCsv) await this.#readStrings(file, gzip);
        await this.#readAws(file, messageSource(from, content.format), fields);
        break;
      }
      case "tuples":
        await this.#readStrings(file, gzip);
        await this.#database.run(insertAzureTuples);
        await this.#count((reason) => exampleTuples(reason, EXAMPLES));
        break;
      case "nat gateway csv":
      case "nat gateway json": {
        const isCsv = content.kind === "nat gateway csv";
        const rows = isCsv
          ? `(select to_json(t) as json from ${csv} as t)`
          : "(select tuple as json from tuple)";
        if (!isCsv) await this.#readStrings(file, gzip, natGatewayColumns);
        this.#notice([]);
        await this.#database.run(insertAzureNatGateway(rows));
        await this.#count(() => null);
      }
    }
    await this.#database.run("truncate tuple");
  }

  async #readAws(file: LogFile, source: Source, fields: readonly AwsField[]): Promise<void> {
    this.#notice(fields);
    await this.#database.run(insertAws(source, deliveredFrom.exec(file.name)?.[1] ?? null));
    if (source.rejects) await this.#countUnreadable();
    await this.#count((reason) => exampleLines(source, reason, EXAMPLES));
  }

  #notice(fields: readonly AwsField[]): void {
    const has = (...names: AwsField[]) => names.every((name) => fields.includes(name));
    const ports = has("srcport", "dstport", "protocol");
    this.#hasPorts &&= ports;
    this.#whole &&=
      ports &&
      has("packets") &&
      (["interface-id", "tgw-attachment-id", "resource-id"] as const).some((name) => has(name));
  }

  /** A table's columns by field; those that are no field are left out. */
  async #columns(from: string): Promise<Map<AwsField, string>> {
    const columns = new Map<AwsField, string>();
    for (const { column_name } of await this.#database.rows(`describe select * from ${from}`)) {
      const field = fieldName(String(column_name));
      if (field !== undefined) {
        columns.set(field, String(column_name));
      }
    }
    checkFields([...columns.keys()]);
    return columns;
  }

  async #readStrings(file: LogFile, gzip: boolean, columnsOf = tupleColumns): Promise<void> {
    const reader = new JsonStrings();
    let bytes = 0;
    this.fraction = () => bytes / file.bytes;
    const text = textOf(file.path, gzip, (read) => {
      bytes = read;
    });
    await this.#database.append("tuple", columnsOf(reader, text));
    if (reader.cut) {
      this.#cut.add(file.name);
    }
  }

  /** Counts the file's rows by reason: those after the rows of earlier files, since a log may have thousands of files. */
  async #count(examples: (reason: LineReason) => string | null): Promise<void> {
    const rows = await this.#database.rows(
      `select reason, count(*)::double as n from raw where rowid >= ${this.#rows} group by reason`,
    );
    for (const { reason: index, n } of rows) {
      const reason = lineReasons[Number(index)] ?? "ok";
      this.#rows += Number(n);
      const sql = harmlessReasons.has(reason) ? null : examples(reason);
      const lines = sql === null ? [] : await this.#database.rows(sql);
      this.#add(
        reason,
        Number(n),
        false,
        lines.map(({ line }) => String(line ?? "")),
      );
    }
  }

  /** Counts lines that the engine could not take at all: invalid UTF-8, or no end. */
  async #countUnreadable(): Promise<void> {
    const rows = await this.#database.rows(
      "select error_type::varchar as kind, count(*)::double as n from reject_errors group by error_type",
    );
    await this.#database.run("drop table reject_errors");
    await this.#database.run("drop table reject_scans");
    for (const { kind, n } of rows) {
      const reason = kind === "INVALID ENCODING" ? "not UTF-8" : "longer than 64 KB";
      this.#add(reason, Number(n), Number(n) >= MAX_UNREADABLE, []);
    }
  }

  #add(reason: string, count: number, atLeast: boolean, examples: readonly string[]): void {
    const known = this.#lines.get(reason) ?? { count: 0, atLeast: false, examples: [] };
    this.#lines.set(reason, {
      count: known.count + count,
      atLeast: known.atLeast || atLeast,
      examples: [...known.examples, ...examples].slice(0, EXAMPLES),
    });
  }
}
