/** The request for a comparison, common to all commands. */
import type { Results } from "../../bench/index.ts";
import type { StackWorkspace } from "../run/workspace.ts";
import type { ProgressStream } from "../terminal/progress-board.ts";
import type { ComparedCloud } from "./comparisons.ts";

/** The process that a command runs in. */
export interface CommandIo {
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
  /** Asks a person; null: nobody can be asked. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
  /** Signals an interrupt; `tell` reports it. */
  readonly onInterrupt: (tell: () => void) => AbortSignal;
  readonly workspaces: Readonly<Record<ComparedCloud, StackWorkspace>>;
}

/** The stacks to run and the options. */
export interface ComparisonRequest {
  /** Prefix of messages, such as `npm run compare`. */
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
  /** File for a stack's results. */
  readonly resultsFile: (stack: string) => string;
  readonly reportDirectory: string;
  /** Directory in which whole runs are stored for `npm run history`. Undefined: not stored. */
  readonly store: string | undefined;
  /** Whether an interrupted stack is taken down. @default it stays for `--resume` */
  readonly endInterrupted?: boolean;
  /** Changes results before they are written. @default none */
  readonly annotate?: (results: Results) => Results;
  /** The command line that continues or takes down a stack. */
  readonly again: (stack: string, option: "--resume" | "--down") => string;
  /** Text for stdout as soon as a stack is measured; null: none. */
  readonly render: ((results: Results, stdout: ProgressStream) => string) | null;
}
