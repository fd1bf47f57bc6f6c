/** Cells of the engine's rows as what they are. */
import type { Volume } from "../../advise/traffic.ts";
import type { Row } from "../database.ts";

/** 0: it is not there. */
export function number(value: unknown): number {
  return Number(value ?? 0);
}

/** A column's text; null where it has none. */
export function text(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** Bytes out and in, of the columns `out_bytes` and `in_bytes`. */
export function volume(row: Row): Volume {
  return { outBytes: number(row.out_bytes), inBytes: number(row.in_bytes) };
}
