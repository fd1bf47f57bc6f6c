/** Runs commands that read and write files of a directory, in this process. */
import { choose } from "../../cli/choose/command.ts";
import { contribute } from "../../cli/contribute/command.ts";
import { natScript } from "../../cli/nat-script/command.ts";
import { cloudWorkspace, labWorkspace, type StackWorkspace } from "../../cli/pulumi/workspace.ts";
import { report } from "../../cli/report/command.ts";
import type { compare } from "../../cli/run/command.ts";
import { adviseCommand } from "../../packages/advise/cli/command.ts";
import { history } from "../../packages/history/cli/command.ts";
import { recorded } from "./temporary.ts";

const commands = { report, advise: adviseCommand, choose, contribute, history, "nat-script": natScript };

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

export type Ask = ((question: string) => Promise<boolean>) | null;

/** `compare` or `local` with nothing deployable: a run that starts fails. @param lab The lab's workspace */
export async function asked(
  command: typeof compare,
  argv: readonly string[],
  ask: Ask = null,
  lab: StackWorkspace = labWorkspace,
) {
  const { said, ...streams } = recorded();
  const onInterrupt = () => {
    throw new Error("a run was started");
  };
  const workspaces = { azure: cloudWorkspace, aws: cloudWorkspace, hosts: cloudWorkspace, local: lab };
  return { status: await command(argv, { ...streams, ask, onInterrupt, workspaces }), ...said };
}
