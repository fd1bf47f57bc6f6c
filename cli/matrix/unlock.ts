/** Pulumi's lock of a stack whose command was killed, in a backend that is no directory. */
import { hostname } from "node:os";
import { basename } from "node:path";
import { programOf } from "../run/processes.ts";
import { openStack, type StackWorkspace } from "../run/workspace.ts";

/**
 * Whether a stack is locked by an engine that is gone. Whoever asks holds the cell, so no other command is at work on it;
 * on this machine its process is looked at too.
 *
 * @param errors What the engine said.
 */
export function isLeftLocked(errors: readonly string[]): boolean {
  const text = errors.join("\n");
  const holders = [...text.matchAll(/created by \S+@(\S+) \(pid (\d+)\)/g)];
  const isAlive = ([, host, pid]: RegExpMatchArray) =>
    host === hostname() && basename(programOf(Number(pid)) ?? "").startsWith("pulumi");
  return /is currently locked by/.test(text) && holders.length > 0 && !holders.some(isAlive);
}

/** Takes the lock away. */
export async function unlock(stack: string, workspace: StackWorkspace): Promise<void> {
  const opened = await openStack(stack, workspace, true);
  await opened.stack.cancel();
}
