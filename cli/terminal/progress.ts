/** Progress of a run: a line for each finished step and, on a terminal, one for the current step. */

/** Milliseconds between two looks at the clock of the current step. */
export const TICK_MS = 250;

/** How long a step takes when all goes well. */
export interface Expected {
  readonly seconds: number;
  /** Expected seconds of all later steps. */
  readonly afterSeconds: number;
}

/** Progress of a run. */
export interface Reporter {
  /** A line for good. */
  line(text: string): void;
  /** The step that runs until the next call. */
  step(text: string, expected?: Expected): void;
  /** Ends the step under way without a word. */
  stop(): void;
}
