/**
 * Reads a server's own output about a test that it received, in every version: its JSON client learns neither the order of
 * datagrams nor, up to 3.10, the receiver's time, and up to 3.12 a loss without the warm-up's. The patterns' parts are bounded, so
 * no text takes long to search.
 */

/** The last line, over all streams: `0.00-2.02   sec  1.88 MBytes ...  880/8633 (10%)  receiver`. Duplicates can make the loss negative. */
export const RECEIVERS_COUNT =
  "(?:(\\d{1,7}\\.\\d\\d) {1,4}sec [^\\n]{1,60} )?(-?\\d{1,12})/(\\d{1,12}) \\([^)\\n]{0,12}\\)\\s{1,9}receiver";
/** A line for each stream that has any. */
export const OUT_OF_ORDER = "(\\d{1,12}) datagrams received out";

/** Datagrams that the receiver counted, without the warm-up's. */
export interface ServerOutput {
  readonly lost: number;
  readonly packets: number;
  /** Came behind a later one, or twice: a receiver cannot tell these apart. */
  readonly outOfOrder: number;
}

/** Null: the text has no count of a receiver. */
export function readServerOutput(text: string | null | undefined): ServerOutput | null {
  const all = [...(text ?? "").matchAll(new RegExp(RECEIVERS_COUNT, "g"))].at(-1);
  if (text == null || all === undefined) {
    return null;
  }
  const [lost, packets] = all.slice(2).map(Number) as [number, number];
  const outOfOrder = [...text.matchAll(new RegExp(OUT_OF_ORDER, "g"))].reduce(
    (sum, [, one]) => sum + Number(one),
    0,
  );
  return { lost, packets, outOfOrder };
}
