/** Removes Pulumi's lock after its command was killed, in a backend that is no directory. */
import { hostname } from "node:os";
import { basename } from "node:path";
import { programOf } from "../run/processes.ts";
import { openStack, type StackWorkspace } from "../run/workspace.ts";

/**
 * Whether a stack is locked by an engine that is gone. The caller holds the cell, so no other command uses it; on
 * this machine the process is checked too.
 *
 * @param errors The engine's messages.
 */
export function isLeftLocked(errors: readonly string[]): boolean {
  const text = errors.join("\n");
  const holders = [...text.matchAll(/created by \S+@(\S+) \(pid (\d+)\)/g)];
  const isAlive = ([, host, pid]: RegExpMatchArray) =>
    host === hostname() && basename(programOf(Number(pid)) ?? "").startsWith("pulumi");
  return /is currently locked by/.test(text) && holders.length > 0 && !holders.some(isAlive);
}

/** Removes the lock. */
export async function unlock(stack: string, workspace: StackWorkspace): Promise<void> {
  const opened = await openStack(stack, workspace, true);
  await opened.stack.cancel();
}
