/** Streams files as text to the engine where it cannot read them itself. */
import { createReadStream } from "node:fs";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import type { Columns } from "../../../cli/database.ts";
import { FormatError } from "../src/fields.ts";
import { natGatewayKeys } from "../src/reduction/azure.ts";
import type { JsonStrings } from "./json-strings.ts";

const CHUNK = 2048;
const PIECE_BYTES = 256 * 1024;

/** zlib's code for a truncated file. */
function isCut(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "Z_BUF_ERROR";
}

/**
 * A file's text in pieces. A truncated gzip file yields its readable part.
 *
 * @param onRead Called with the number of bytes read so far from the file on disk.
 * @throws {FormatError}
 */
export async function* textOf(
  path: string,
  gzip: boolean,
  onRead: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES });
  const bytes = gzip ? file.pipe(createGunzip({ chunkSize: PIECE_BYTES })) : file;
  try {
    for await (const chunk of bytes) {
      onRead(file.bytesRead);
      yield decoder.write(chunk);
    }
  } catch (error) {
    if (!isCut(error)) {
      throw new FormatError(`the file cannot be decompressed: ${(error as Error).message}`);
    }
  }
}

/**
 * Whether a gzip file is truncated: the engine silently reads the existing part, and compares no checksum.
 *
 * @throws {FormatError} for damaged data
 */
export async function endsEarly(path: string): Promise<boolean> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  try {
    await pipeline(createReadStream(path, { highWaterMark: PIECE_BYTES }), gunzip, nowhere);
    return false;
  } catch (error) {
    if (isCut(error)) return true;
    if (!(error as NodeJS.ErrnoException).code?.startsWith("Z_")) return false;
    throw new FormatError(`the file cannot be decompressed: ${(error as Error).message}`);
  }
}

/** The network watchers that Azure makes contain their region's name. */
const watcherRegion = /\/networkWatchers\/NetworkWatcher_([a-z][a-z0-9]{1,39})\//i;
const subscription = /^\/subscriptions\/([^/]+)\//i;
const virtualNetwork = /\/resourceGroups\/([^/]+\/)providers\/Microsoft\.Network\/virtualNetworks\/([^/]+)/i;

/** The tuples and messages of a text, as columns of the engine's table `tuple`. */
export async function* tupleColumns(
  reader: JsonStrings,
  pieces: AsyncIterable<string>,
): AsyncGenerator<Columns> {
  const [empty, home] = [() => [[], [], []] as [string[], string[], string[]], ["", "", ""]];
  let [mac, rows] = ["-", empty()];
  for await (const piece of pieces) {
    for (const [key, value] of reader.read(piece)) {
      if (key === "flowTuples" || key === "message") {
        rows[0].push(mac);
        rows[1].push(home.join("|"));
        rows[2].push(value.includes("\\") ? JSON.parse(`"${value}"`) : value);
        if (rows[0].length === CHUNK) {
          yield rows;
          rows = empty();
        }
      } else if (key === "macAddress") {
        mac = value;
      } else if (key === "flowLogResourceID") {
        home[0] = subscription.exec(value)?.[1]?.toLowerCase() ?? "";
        home[1] = watcherRegion.exec(value)?.[1]?.toLowerCase() ?? "";
      } else if (key === "targetResourceID") {
        home[2] = virtualNetwork.exec(value)?.slice(1).join("").toLowerCase() ?? "";
      }
    }
  }
  if (rows[0].length > 0) {
    yield rows;
  }
}

/** The records of NAT gateways' flow logs, flat: a key that comes again begins the next one. */
export async function* natGatewayColumns(
  reader: JsonStrings,
  pieces: AsyncIterable<string>,
): AsyncGenerator<Columns> {
  const known = new Set(natGatewayKeys);
  let [record, records] = [new Map<string, string>(), [] as string[]];
  const columns = (): Columns => [records.map(() => ""), records.map(() => ""), records];
  const keep = () => {
    records.push(
      `{${[...record].map(([key, value]) => `"${key}":${value === "null" ? value : `"${value}"`}`)}}`,
    );
    record = new Map();
  };
  for await (const piece of pieces) {
    for (const [name, value] of reader.read(piece)) {
      const key = name.toLowerCase();
      if (record.has(key)) keep();
      if (known.has(key)) record.set(key, value);
      if (records.length === CHUNK) {
        yield columns();
        records = [];
      }
    }
  }
  if (record.size > 0) keep();
  if (records.length > 0) yield columns();
}
