/** The request for a comparison, common to all commands. */
import type { Results } from "../../bench/index.ts";
import type { PlanChoice } from "../pulumi/stack-file.ts";
import type { StackWorkspace } from "../pulumi/workspace.ts";
import type { ProgressStream } from "../terminal/progress-board.ts";
import { UsageError } from "../usage-error.ts";

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
export interface ComparisonRequest extends PlanChoice {
  /** Prefix of messages, such as `npm run compare`. */
  readonly command: string;
  readonly cloud: ComparedCloud;
  readonly stacks: readonly string[];
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
  readonly store?: string | undefined;
  /** Whether an interrupted stack is taken down. @default it stays for `--resume` */
  readonly endInterrupted?: boolean;
  /** Changes results before they are written. @default none */
  readonly annotate?: (results: Results) => Results;
  /** The command line that continues or takes down a stack. */
  readonly again: (stack: string, option: "--resume" | "--down") => string;
  /** Text for stdout as soon as a stack is measured; null: none. */
  readonly render: ((results: Results, stdout: ProgressStream) => string) | null;
}

/** The stacks of each cloud's comparison. */
export const comparisons = {
  azure: ["compare", "compare-rtt", "compare-vpn", "compare-bandwidth"],
  aws: ["aws-compare", "aws-fck-nat-sizes"],
  local: ["local-compare"],
  hosts: ["hosts-existing"],
} as const satisfies Record<string, readonly string[]>;
/** Cloud that has a comparison. */
export type ComparedCloud = keyof typeof comparisons;

/** Asks once per reason. @throws {UsageError} when consent is needed and not given */
export type Agree = (why: string) => Promise<void>;

/** @param ask Null: no person can be asked. */
export function agreement({ yes }: { readonly yes: boolean }, ask: CommandIo["ask"]): Agree {
  return async (why) => {
    if (yes) {
      return;
    }
    if (ask === null) {
      throw new UsageError(`${why}: nothing was changed; agree with --yes`);
    }
    if (!(await ask(`Go on, though ${why}? [y/N] `))) {
      throw new UsageError("not agreed to; nothing was changed");
    }
  };
}
