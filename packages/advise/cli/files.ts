/** Finds the flow log files that a person names, their kind, and duplicates. */
import { createHash } from "node:crypto";
import {
  constants as access,
  accessSync,
  closeSync,
  createReadStream,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { groupBy } from "../../../bench/group-by.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { assertRegular, reasonOf } from "../../../components/shared/files.ts";
import { type AwsField, FormatError, fieldName, type TextFormat, textFormat } from "../src/fields.ts";
import { cellsOf } from "../src/usage/csv.ts";

export type Content = { readonly gzip: boolean } & (
  | { readonly kind: "text" | "csv messages" | "json messages"; readonly format: TextFormat }
  | { readonly kind: "parquet" | "csv" | "tuples" | "nat gateway csv" | "nat gateway json" }
);

export const azureKinds: readonly Content["kind"][] = ["tuples", "nat gateway csv", "nat gateway json"];

export interface LogFile {
  readonly path: string;
  /** Name as the person gave it. */
  readonly name: string;
  readonly bytes: number;
}

/** Names of files that may lie next to logs and are not logs. */
const noLog = /^\.|\.(html|md|csv|tmp|crc|sha256|metadata)$|^_(SUCCESS|metadata)/i;
/** Names of files that an engine or a bill's export wrote, which count in a directory without other files that tell what they are. */
const csv = /^[^._].*\.csv$/i;

/**
 * All files of some paths, searching directories, each once.
 *
 * @param tells Whether a file's content tells what it is
 * @throws {UsageError} where there is none
 */
export async function findFiles(
  paths: readonly string[],
  directory: string,
  tells: (path: string) => boolean = () => true,
) {
  const found = new Map<string, LogFile>();
  const skipped: string[] = [];
  const nameOf = (file: string) => relative(directory, file) || file;
  for (const path of paths) {
    const all = filesOf(resolve(directory, path), path, (entry) => skipped.push(nameOf(entry)));
    const logs = all.filter((file) => !noLog.test(basename(file)));
    for (const file of logs.some(tells) ? logs : all) {
      const real = realpathSync(file);
      found.set(real, { path: real, name: nameOf(file), bytes: statSync(real).size });
    }
  }
  if (found.size === 0) {
    const others = skipped.length === 0 ? "" : ` but broken links and special files: ${skipped.join(", ")}`;
    throw new UsageError(`expected files or directories with them; ${paths.join(", ")} has none${others}`);
  }
  const files = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    ...(await withoutCopies(files)),
    /** Directory entries that are not read, by name: dangling links, sockets, unreadable directories. */
    skipped,
  };
}

/** @param skip Called for entries that are neither file nor directory, and for dangling links */
function filesOf(path: string, named: string, skip: (path: string) => void): string[] {
  try {
    if (statSync(path).isDirectory()) {
      return [...filesUnder(path, skip, new Set())];
    }
    assertRegular(path);
    return [path];
  } catch (error) {
    throw new UsageError(`${named} cannot be read: ${reasonOf(error)}`);
  }
}

/** Links are followed, and each directory is searched once. */
function* filesUnder(directory: string, skip: (path: string) => void, seen: Set<string>): Generator<string> {
  const real = realpathSync(directory);
  if (seen.has(real)) {
    return;
  }
  seen.add(real);
  for (const name of readdirSync(directory).filter((one) => !noLog.test(one) || csv.test(one))) {
    const path = join(directory, name);
    const stat = targetOf(path);
    if (stat?.isDirectory() === true && isOpen(path)) {
      yield* filesUnder(path, skip, seen);
    } else if (stat?.isFile() === true) {
      yield path;
    } else {
      skip(path);
    }
  }
}

/** Whether this account may list a directory and enter it. */
function isOpen(directory: string): boolean {
  try {
    accessSync(directory, access.R_OK | access.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Null: a dangling or circular link. */
function targetOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Files without copies. Only files of equal size are read for this. An unreadable file is reported where it is used. */
async function withoutCopies(files: readonly LogFile[]) {
  const bySize = groupBy(files, ({ bytes }) => bytes);
  const seen = new Map<string, LogFile>();
  const kept: LogFile[] = [];
  /** One sentence per file whose content equals another's. */
  const duplicates: string[] = [];
  for (const file of files) {
    const alone = file.bytes === 0 || bySize.get(file.bytes)?.length === 1;
    const key = alone ? file.path : await digest(file.path).catch(() => file.path);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, file);
      kept.push(file);
    } else {
      duplicates.push(`${file.name} has the content of ${first.name}: read once`);
    }
  }
  return { files: kept, duplicates };
}

async function digest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
  }
  return hash.digest("hex");
}

/** Bytes that hold a header with all fields, after decompression. */
export const HEAD_BYTES = 65_536;

/**
 * Detects the kind of a file's content by its first bytes.
 *
 * @param given Fields named with --format.
 * @throws {FormatError} when it is no flow log.
 */
export function contentOf(path: string, given?: readonly AwsField[]): Content {
  const { kind, gzip, text } = plainHeadOf(path);
  if (kind === "parquet") {
    return { kind, gzip };
  }
  if (/^\s*[[{]/.test(text)) {
    if (/"NetworkSecurityGroupFlowEvent"/i.test(text)) {
      throw new FormatError(
        "an Azure NSG flow log, which is not read: Azure retires them in September 2027. Set up a virtual network flow log and give its files",
      );
    }
    if (/"NatGatewayFlowlogs|"NatGatewayIP"/i.test(text)) {
      return { kind: "nat gateway json", gzip };
    }
    const message = /"message"\s*:\s*"([^"\\]*)/.exec(text)?.[1];
    if (message === undefined && !/"(records|flow\w+)"/i.test(text)) {
      const fields = [...text.matchAll(/"(\w+)"\s*:/g)].slice(0, 6).map(([, name]) => name);
      throw new FormatError(
        `expected JSON of a flow log (records, or message), of metrics (MetricDataResults, Datapoints, timeseries) or of Cost Explorer (ResultsByTime); got ${fields.length === 0 ? "no field" : `the fields ${fields.join(", ")}`}${fields.includes("schemaVersion") ? "; results of egress-bench belong to --results" : ""}`,
      );
    }
    return message === undefined
      ? { kind: "tuples", gzip }
      : { kind: "json messages", format: textFormat(message, given), gzip };
  }
  const line = text.split(/\r?\n/).find((one) => one.trim() !== "");
  if (line === undefined || line.includes("\u0000")) {
    throw new FormatError("expected text, gzip, Parquet or Azure's JSON; the file begins with none of them");
  }
  if (line.includes(",")) {
    const names = cellsOf(line);
    if (names.some((name) => /^NatGatewayIP$/i.test(name))) {
      return { kind: "nat gateway csv", gzip };
    }
    const at = names.indexOf("@message");
    if (at >= 0) {
      const [, first = ""] = text.split(/\r?\n/);
      return { kind: "csv messages", format: textFormat(cellsOf(first)[at] ?? "", given), gzip };
    }
    if (names.some((name) => fieldName(name) !== undefined)) {
      return { kind: "csv", gzip };
    }
  }
  return { kind: "text", format: textFormat(line, given), gzip };
}

/** The uncompressed start of a file. @throws {FormatError} for an empty file and for broken gzip */
export function plainHeadOf(path: string): {
  readonly kind: "parquet" | "text";
  readonly gzip: boolean;
  readonly text: string;
} {
  const head = bytesOf(path);
  if (head.length === 0) {
    throw new FormatError("the file is empty");
  }
  if (head.subarray(0, 4).toString("latin1") === "PAR1") {
    return { kind: "parquet", gzip: false, text: "" };
  }
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    throw new FormatError("UTF-16: save it as UTF-8");
  }
  const gzip = head[0] === 0x1f && head[1] === 0x8b;
  const plain = gzip ? gunzipHead(head) : head;
  return { kind: "text", gzip, text: plain.toString("utf8").replace(/^\uFEFF/, "") };
}

/** The bytes at a place in a file, as many as a head has. */
export function bytesOf(path: string, at = 0): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.subarray(0, readSync(file, buffer, 0, HEAD_BYTES, at));
  } finally {
    closeSync(file);
  }
}

function gunzipHead(head: Buffer): Buffer {
  try {
    // The bytes read may end in the middle of a block.
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 * 1024 * 1024 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new FormatError(
      code === "ERR_BUFFER_TOO_LARGE"
        ? "its first 64 KB unpack to more than 64 MB, which is far too much for a log or bill"
        : `the file begins like a gzip file, but is not one: ${message}`,
    );
  }
}
