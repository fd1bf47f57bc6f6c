import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { commandInputs } from "./check.ts";
import { type CommandRun, commandResource } from "./command-resource.ts";
import type { Operation } from "./operations.ts";
import { captureOutput } from "./output.ts";
import type { Properties } from "./shared/envelopes.ts";

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

/** `command:local:Command`: a command on the machine that runs Pulumi. */
export const localCommand = commandResource(commandInputs, runLocally);

async function runLocally(
  { signal }: Operation,
  { command, inputs: { stdin } }: CommandRun,
): Promise<Properties> {
  signal.throwIfAborted();
  const child = spawn("/bin/sh", ["-c", command], { stdio: "pipe" });
  const outputOf = captureOutput({ stdout: child.stdout, stderr: child.stderr });
  // A command may end without having read its input.
  child.stdin.on("error", () => {});
  child.stdin.end(typeof stdin === "string" ? stdin : "");
  const kill = () => child.pid !== undefined && killTree(child.pid);
  signal.addEventListener("abort", kill, { once: true });
  const [code, ending] = await once(child, "close");
  signal.removeEventListener("abort", kill);
  return outputOf(
    command,
    code === 0 ? undefined : ending === null ? `exit status ${code}` : `signal: ${ending}`,
  );
}
