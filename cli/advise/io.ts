import type { LiveOptions } from "../report/prices/load.ts";
import type { ProgressStream } from "../terminal/progress-board.ts";

/** The process that the command runs in. */
export interface AdviseIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressStream;
  /** Base directory of relative paths. */
  readonly directory: string;
  /** Directory of the stack files. */
  readonly stackFiles: string;
  readonly signal: AbortSignal;
  readonly now: Date;
  /** @default the clouds' own price services */
  readonly live?: LiveOptions;
}
