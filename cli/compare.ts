/**
 * `npm run compare`: all stacks of a cloud's comparison, from up to down.
 *
 * @module
 */
import { createInterface } from "node:readline/promises";
import { compare } from "./compare/command.ts";
import { cloudPlace, labPlace } from "./run/workspace.ts";
import { onInterrupt } from "./terminal/interrupt.ts";

async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

process.exitCode = await compare(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  ask: process.stdin.isTTY ? ask : null,
  onInterrupt,
  places: { azure: cloudPlace, aws: cloudPlace, local: labPlace },
});
