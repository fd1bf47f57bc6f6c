/** The frame that commands run in: help, errors and exit status. */
import { errorOf } from "./thrown.ts";
import { usageOf } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

/** Exit statuses that mean the same for every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** A command: its name, how it reads its command line, and what it does then. */
interface Command<Arguments, Status> {
  /** A directory of cli/. */
  readonly name: string;
  /** @throws {UsageError} */
  readonly parse: () => Arguments;
  /** @returns the exit status */
  readonly run: (args: Arguments) => Status;
  /** Error that the command line causes, beside {@link UsageError}. @default none */
  readonly refusal?: new (
    message: string,
  ) => Error;
}

/** Runs a command: shows its help where that is asked for, and says why it failed. @returns the exit status */
export function runCommand<
  Arguments extends { readonly help: boolean },
  Status extends number | Promise<number>,
>(
  { name, parse, run, refusal = UsageError }: Command<Arguments, Status>,
  { stdout, stderr }: Readonly<Record<"stdout" | "stderr", { write(text: string): unknown }>>,
): Status | number {
  const failed = (error: unknown) => {
    stderr.write(`npm run ${name}: ${errorOf(error).message}\n`);
    return error instanceof UsageError || error instanceof refusal ? EXIT.usage : EXIT.failed;
  };
  try {
    const args = parse();
    if (!args.help) {
      const status = run(args);
      return (status instanceof Promise ? status.catch(failed) : status) as Status;
    }
    stdout.write(usageOf(name));
    return EXIT.ok;
  } catch (error) {
    return failed(error);
  }
}
