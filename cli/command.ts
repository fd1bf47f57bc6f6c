/** Runs a command: help, errors and exit status. */
import { readFileSync } from "node:fs";
import { errorOf } from "./thrown.ts";
import { UsageError } from "./usage-error.ts";

/** Exit statuses that mean the same for every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

interface Command<Arguments, Status> {
  /** A directory of cli/. */
  readonly name: string;
  /** @throws {UsageError} */
  readonly parse: () => Arguments;
  /** @returns the exit status */
  readonly run: (args: Arguments) => Status;
  /** Another error class that means a wrong command line, besides {@link UsageError}. @default none */
  readonly refusal?: new (
    message: string,
  ) => Error;
}

/** Runs a command, or shows its help if requested; reports a failure's reason. @returns the exit status */
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

/** @param command A directory of cli/. */
export function usageOf(command: string): string {
  return readFileSync(new URL(`./${command}/usage.txt`, import.meta.url), "utf8");
}
