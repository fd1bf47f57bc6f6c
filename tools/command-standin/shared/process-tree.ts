import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills a process and all its descendants.
 *
 * They stay in the plugin's own process group, as with the real plugin, because the engine kills that group when it ends
 * the plugin; so a separate group, easier to kill, is no option.
 */
export function killTree(pid: number): void {
  // Listed before the first is killed: an orphan no longer knows its ancestor.
  for (const member of [pid, ...descendants(pid)]) {
    try {
      process.kill(member, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

function descendants(pid: number): number[] {
  return children(pid).flatMap((child) => [child, ...descendants(child)]);
}

function children(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return []; // the process has ended, or this is no Linux
  }
}
