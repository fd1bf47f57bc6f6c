/**
 * How an agent packs its output: lists of similar objects as columns, compressed (`common/packing.py` is the other side).
 * The state keeps each report and is rewritten with every case.
 */
import { inflateSync } from "node:zlib";

/** First characters of packed text: zlib in base64. */
export const PACKED = "eN";

/** A list of similar objects: their values by key, and the keys. */
interface Columns {
  readonly "": readonly (readonly unknown[])[];
  readonly k: readonly string[];
}

/**
 * The JSON of a printed document, packed or not.
 * @param most Most bytes.
 * @throws {Error} where it cannot be unpacked, or is larger
 */
export function unpackedJson(text: string, most: number): string {
  if (!text.startsWith(PACKED)) {
    return text;
  }
  const packed = inflateSync(Buffer.from(text, "base64"), { maxOutputLength: most }).toString();
  return rowsOf(packed, most);
}

/** The JSON with rows in place of columns. Hosts are not trusted: the keys that rows repeat count as its bytes. */
function rowsOf(packed: string, most: number): string {
  let left = most - packed.length;
  return JSON.stringify(
    JSON.parse(packed, (_, value: unknown) => {
      if (!isColumns(value)) {
        return value;
      }
      const rows = value[""][0]?.length ?? 0;
      left -= rows * JSON.stringify(value.k).length;
      if (left < 0 || value[""].some(({ length }) => length !== rows)) {
        throw new Error("its lists are larger than a report may be, or of unlike lengths");
      }
      return Array.from({ length: rows }, (_, at) =>
        Object.fromEntries(value.k.map((key, column) => [key, value[""][column]?.[at]])),
      );
    }),
  );
}

function isColumns(value: unknown): value is Columns {
  const { "": columns, k } = (value ?? {}) as Partial<Columns>;
  return (
    Array.isArray(columns) &&
    Array.isArray(k) &&
    columns.length === k.length &&
    columns.every(Array.isArray) &&
    k.every((key) => typeof key === "string")
  );
}
