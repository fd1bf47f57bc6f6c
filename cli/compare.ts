/**
 * `npm run compare`: all stacks of a cloud's comparison, from up to down.
 *
 * @module
 */
import { createInterface } from "node:readline/promises";
import { compare } from "./compare-command.ts";
import { onInterrupt } from "./interrupt.ts";
import { cloudPlace, labPlace } from "./workspace.ts";

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
