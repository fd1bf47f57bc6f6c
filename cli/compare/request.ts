/** The request for a comparison, whichever command makes it. */
import type { Results } from "../../bench/index.ts";
import type { StackWorkspace } from "../run/workspace.ts";
import type { ProgressStream } from "../terminal/progress-board.ts";
import type { ComparedCloud } from "./comparisons.ts";

/** The process that a command runs in. */
export interface CommandIo {
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
  /** Asks a person; null: there is none. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
  /** Tells when the person wants to stop; `tell` says so. */
  readonly onInterrupt: (tell: () => void) => AbortSignal;
  readonly workspaces: Readonly<Record<ComparedCloud, StackWorkspace>>;
}

/** The stacks to run and the options. */
export interface ComparisonRequest {
  /** As it stands before a message, such as `npm run compare`. */
  readonly command: string;
  readonly cloud: ComparedCloud;
  readonly stacks: readonly string[];
  readonly plan: string | undefined;
  readonly duration: string | undefined;
  readonly rateScale: string | undefined;
  /** Stacks at a time. */
  readonly parallel: number;
  readonly yes: boolean;
  readonly keep: boolean;
  readonly resume: boolean;
  readonly down: boolean;
  /** File that a stack's results go to. */
  readonly resultsFile: (stack: string) => string;
  readonly reportDirectory: string;
  /** Directory to keep whole runs in for `npm run history`. Undefined: they are not kept. */
  readonly store: string | undefined;
  /** Whether an interrupted stack is taken down. @default it is left for `--resume` */
  readonly endInterrupted?: boolean;
  /** The results as they are written. @default as they were measured */
  readonly annotate?: (results: Results) => Results;
  /** The command line that does something more to a stack. */
  readonly again: (stack: string, option: "--resume" | "--down") => string;
  /** Text for stdout as soon as a stack is measured; null: none. */
  readonly render: ((results: Results, stdout: ProgressStream) => string) | null;
}
