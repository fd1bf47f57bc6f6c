/** The process that `local` and `compare` run in. */
import { createInterface } from "node:readline/promises";
import { plainText } from "../../bench/plain-text.ts";
import { cloudWorkspace, labWorkspace } from "../pulumi/workspace.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { processOutput } from "../terminal/process-output.ts";
import type { CommandIo } from "./campaign.ts";

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
