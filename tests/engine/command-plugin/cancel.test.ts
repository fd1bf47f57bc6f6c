/** Processes left by an interrupted update: none on this machine. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import command from "@pulumi/command";
import { expect, test, vi } from "vitest";
import { observe } from "../../helpers/engine-events.ts";
import { createEngine, isStandIn } from "../../helpers/pulumi.ts";

const TIMEOUT_MS = 60_000;

/** Runs a command that writes its processes' ids to a file, interrupts it, and waits for their end. */
async function interruptCommand(commandOf: (pidFile: string) => string): Promise<void> {
  const engine = createEngine();
  try {
    const pidFile = join(engine.directory, "pids");
    const stack = await engine.stack("cancel", async () => {
      new command.local.Command("slow", { create: commandOf(pidFile) });
    });
    const interrupt = new AbortController();
    const update = observe((onEvent) => stack.up({ onEvent, signal: interrupt.signal }));
    await vi.waitUntil(() => readPids(pidFile).length > 0, TIMEOUT_MS);
    const pids = readPids(pidFile);
    expect(pids.map(isRunning)).not.toContain(false);
    interrupt.abort(); // the Automation API sends SIGINT to pulumi
    expect((await update).failed).toBe(true);
    await vi.waitUntil(() => !pids.some(isRunning), TIMEOUT_MS);
  } finally {
    engine.dispose();
  }
}

test("Ctrl-C ends a local command and the update", async () => {
  await interruptCommand((pidFile) => `echo "$$" > ${pidFile}; exec sleep 300`);
});

// The real plugin ends only the shell, and then waits for the children that hold its output.
if (isStandIn()) {
  test("Ctrl-C ends a local command's children too", async () => {
    await interruptCommand((pidFile) => `sleep 300 & echo "$$ $!" > ${pidFile}; wait`);
  });
}

/** The process ids in a file; none until its one line is complete. */
function readPids(file: string): number[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  return text.endsWith("\n") ? text.trim().split(" ").map(Number) : [];
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
