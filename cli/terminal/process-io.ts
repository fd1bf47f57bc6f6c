/** The process that `local` and `compare` run in. */
import { createInterface } from "node:readline/promises";
import { plainText } from "../../bench/plain-text.ts";
import type { CommandIo } from "../compare/request.ts";
import { cloudWorkspace, labWorkspace } from "../run/workspace.ts";
import { onInterrupt } from "./interrupt.ts";
import { processOutput } from "./process-output.ts";

/** This process's streams, its terminal for questions, and its Ctrl-C. */
export function processIo(): CommandIo {
  return {
    ...processOutput(true),
    ask: process.stdin.isTTY ? ask : null,
    onInterrupt,
    workspaces: { azure: cloudWorkspace, aws: cloudWorkspace, hosts: cloudWorkspace, local: labWorkspace },
  };
}

/** Asks for a plain yes; the end of input and Ctrl-C mean no. */
async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(plainText(question))).trim());
  } catch {
    process.stderr.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}
