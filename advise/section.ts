/**
 * Parts of a section of advice.
 *
 * @module
 */
import { cell, type ReportTable } from "../report/tables/table.ts";
import { money } from "./words.ts";

/** A table of the advice, with the words above it. */
export interface CaptionedTable extends ReportTable {
  readonly caption: string;
  /** Folded away: many rows. */
  readonly long: boolean;
}

/** A part of the advice: sentences, then tables. */
export interface Section {
  readonly id: string;
  readonly heading: string;
  readonly sentences: readonly string[];
  readonly tables: readonly CaptionedTable[];
}

/** A table of texts. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  long = false,
): CaptionedTable {
  const cells = (texts: readonly string[]) => texts.map((text) => cell(text));
  return { caption, long, head: cells(head), rows: rows.map(cells) };
}

/** @param value Null: a price is not known */
export function costText(value: number | null, currency: string): string {
  return value === null ? "not known" : money(value, currency);
}
