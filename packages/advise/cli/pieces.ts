/** Streams files as text to the engine where it cannot read them itself. */
import { createReadStream } from "node:fs";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import type { Columns } from "../../../cli/database.ts";
import { FormatError } from "../src/fields.ts";
import type { TupleReader } from "./azure-tuples.ts";

/** Rows per chunk for the engine. */
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

/** Whether a gzip file is truncated: the engine silently reads the existing part. */
export async function endsEarly(path: string): Promise<boolean> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  try {
    await pipeline(createReadStream(path, { highWaterMark: PIECE_BYTES }), gunzip, nowhere);
    return false;
  } catch (error) {
    return isCut(error);
  }
}

/** The tuples of a text, as columns of the engine's table. */
export async function* tupleColumns(
  reader: TupleReader,
  pieces: AsyncIterable<string>,
): AsyncGenerator<Columns> {
  let macs: string[] = [];
  let tuples: string[] = [];
  for await (const piece of pieces) {
    for (const { mac, tuple } of reader.read(piece)) {
      macs.push(mac);
      tuples.push(tuple);
      if (tuples.length === CHUNK) {
        yield [macs, tuples];
        [macs, tuples] = [[], []];
      }
    }
  }
  if (tuples.length > 0) {
    yield [macs, tuples];
  }
}
