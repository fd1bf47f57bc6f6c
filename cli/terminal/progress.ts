/**
 * What a run tells a person: a line for each step that is done and, on a terminal, one for that under way.
 *
 * @module
 */
export const TICK_MS = 250;

/** How long a step takes when all goes well. */
export interface Expected {
  readonly seconds: number;
  /** Of all that comes after the step. */
  readonly afterSeconds: number;
}

/** What a run tells a person. */
export interface Reporter {
  /** A line for good. */
  line(text: string): void;
  /** What goes on until the next call. */
  step(text: string, expected?: Expected): void;
  /** Ends the step under way without a word. */
  stop(): void;
}
