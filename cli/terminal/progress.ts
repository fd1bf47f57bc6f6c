/** Progress of a run: a line for each finished step and, on a terminal, one for the current step. */

/** Interval in milliseconds at which the current step's time is updated. */
export const TICK_MS = 250;

/** Normal duration of a step. */
export interface Expected {
  readonly seconds: number;
  /** Expected seconds of all later steps. */
  readonly afterSeconds: number;
}

/** Progress of a run. */
export interface Reporter {
  /** Writes a permanent line. */
  line(text: string): void;
  /** Starts a step, which runs until the next call. */
  step(text: string, expected?: Expected): void;
  /** Ends the current step silently. */
  stop(): void;
}
