/**
 * Reads a server's own output about a test that it received, in every version: its JSON client learns neither the order of
 * datagrams nor, up to 3.10, the receiver's time, and up to 3.12 a loss without the warm-up's. The patterns' parts are bounded, so
 * no text takes long to search.
 */

import { totalOfKnown } from "../../statistics/sample.ts";

/** The last line, over all streams: `0.00-2.02   sec  1.88 MBytes ...  880/8633 (10%)  receiver`. Duplicates can make the loss negative. */
export const RECEIVERS_COUNT =
  "(?:(\\d{1,7}\\.\\d\\d) {1,4}sec [^\\n]{1,60} )?(-?\\d{1,12})/(\\d{1,12}) \\([^)\\n]{0,12}\\)\\s{1,9}receiver";
/** A line for each stream that has any. */
export const OUT_OF_ORDER = "(\\d{1,12}) datagrams received out";
/** A line of the warm-up, of each stream and, where there are several, of their sum. */
export const OMITTED = "(-?\\d{1,12})/\\d{1,12} \\([^)\\n]{0,12}\\)\\s{1,9}\\(omitted\\)";
/** Lines of the warm-up that are kept; the losses of a longer one are unknown. */
export const MOST_OMITTED = 120;

/** Datagrams that the receiver counted, without the warm-up's. */
export interface ServerOutput {
  readonly lost: number;
  readonly packets: number;
  /** Came behind a later one, or twice: a receiver cannot tell these apart. */
  readonly outOfOrder: number;
  /** Lost in the warm-up, a figure for each of its lines. */
  readonly omitted: readonly number[];
}

/** Null: the text has no count of a receiver. */
export function readServerOutput(text: string | null | undefined): ServerOutput | null {
  const all = [...(text ?? "").matchAll(new RegExp(RECEIVERS_COUNT, "g"))].at(-1);
  if (text == null || all === undefined) {
    return null;
  }
  const [lost, packets] = all.slice(2).map(Number) as [number, number];
  const figures = (pattern: string) =>
    [...text.matchAll(new RegExp(pattern, "g"))].map(([, one]) => Number(one));
  return { lost, packets, outOfOrder: totalOfKnown(figures(OUT_OF_ORDER)) ?? 0, omitted: figures(OMITTED) };
}
