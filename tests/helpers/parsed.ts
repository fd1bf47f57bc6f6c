/** The values of a command line, as its command gets them. */
import type { commands } from "../../cli/commands.ts";
import { parseCommand, type Values } from "../../cli/program.ts";

const ignored = { write: () => true };

/** @throws {UsageError} */
export function parsed<D extends (typeof commands)[keyof typeof commands]>(
  command: D,
  argv: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Values<D> {
  const values = parseCommand<D>(command, argv, { stdout: ignored, stderr: ignored }, environment);
  if (values === null) throw new Error("help was asked for");
  return values;
}
