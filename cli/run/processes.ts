/** Identifies processes, so that a record is not taken for a later process with the same pid. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** A process's identity, unique until the next boot; null: no such process. */
export function processIdentity(pid: number): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Fields after the name, which may contain anything: the state, and as 20th the start in ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // An ended process stays listed until its parent collects its status.
    return fields[0] === "Z" || fields[0] === "X" ? null : `${boot} ${fields[19]}`;
  } catch {
    return ask(pid, "lstart");
  }
}

/** Whether a process is an engine's. */
export function isPulumi(pid: number): boolean {
  return basename(ask(pid, "comm") ?? "").startsWith("pulumi");
}

function ask(pid: number, field: string): string | null {
  const { stdout } = spawnSync("ps", ["-o", `${field}=`, "-p", String(pid)], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  return stdout?.trim() || null;
}
