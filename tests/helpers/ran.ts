/** Runs commands that read and write files of a directory, in this process. */

import { choose } from "../../cli/choose/command.ts";
import { report } from "../../cli/report/command.ts";
import { adviseCommand } from "../../packages/advise/cli/command.ts";
import { recorded } from "./temporary.ts";

const commands = { report, advise: adviseCommand, choose };

/** A command's exit status and texts. @param more Further parts of the process that it runs in */
export async function ran(
  command: keyof typeof commands,
  args: readonly string[],
  directory: string,
  more: Partial<Parameters<typeof adviseCommand>[1]> = {},
) {
  const { said, ...streams } = recorded();
  const { signal } = new AbortController();
  const now = new Date("2026-11-22T00:00:00Z");
  const io = { ...streams, directory, stackFiles: directory, signal, now, ...more };
  return { status: await commands[command](args, io), ...said };
}
