/** Typed access to cells of the engine's rows. */
import type { Volume } from "../../advise/traffic.ts";
import type { Row } from "../database.ts";

/** The number in a cell; 0 if it is empty. */
export function number(value: unknown): number {
  return Number(value ?? 0);
}

/** The text in a cell; null if it is empty. */
export function text(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** Bytes out and in, of the columns `out_bytes` and `in_bytes`. */
export function volume(row: Row): Volume {
  return { outBytes: number(row.out_bytes), inBytes: number(row.in_bytes) };
}
