/** The machine's processes by the kernel's record, and which of them can be trusted. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { SYSTEM_PATH } from "./machine.ts";

/** A process, as distinct from a later one with the same number. */
export interface Process {
  readonly pid: number;
  /** Start time in clock ticks since the machine's boot. */
  readonly startTime: string;
}

/** Ids of all processes that this one can see. */
export function processIds(): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

/** Arguments that a process was started with. It chose them itself: they prove nothing. */
export function commandLine(pid: number): string[] {
  return (read(pid, "cmdline") ?? "").split("\0").slice(0, -1);
}

/** Start time of a process. @returns undefined when there is no such process. */
export function startTime(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

/** Whether a process is gone, or a zombie whose status is not yet collected. */
export function hasEnded({ pid, startTime: started }: Process): boolean {
  const fields = statFields(pid);
  return fields === undefined || fields[19] !== started || fields[0] === "Z" || fields[0] === "X";
}

/** The oldest child of a process. */
export function firstChild(pid: number): Process | undefined {
  const child = Number((read(pid, `task/${pid}/children`) ?? "").split(" ")[0]);
  const started = child > 0 ? startTime(child) : undefined;
  return started === undefined ? undefined : { pid: child, startTime: started };
}

/**
 * Whether a process is `unshare`, run by this machine's root: all of its user ids are 0, in the caller's user namespace,
 * and it is no set-user-id program with a caller's arguments. Only root can make one.
 */
export function isUnshareOfRoot(pid: number): boolean {
  const ids = /^Uid:\s+(.*)$/m.exec(read(pid, "status") ?? "")?.[1];
  try {
    return (
      ids?.split(/\s+/).every((id) => id === "0") === true &&
      readlinkSync(`/proc/${pid}/ns/user`) === readlinkSync("/proc/self/ns/user") &&
      isUnshare(readlinkSync(`/proc/${pid}/exe`))
    );
  } catch {
    return false;
  }
}

function isUnshare(executable: string): boolean {
  // An upgrade of the machine's packages may have replaced the file since then.
  const path = executable.replace(/ \(deleted\)$/, "");
  return SYSTEM_PATH.split(":").some((directory) => path === `${directory}/unshare`);
}

/** Fields of `/proc/<pid>/stat` from the third on: the second is the command, which may hold anything. */
function statFields(pid: number): string[] | undefined {
  return read(pid, "stat")
    ?.replace(/^.*\) /s, "")
    .split(" ");
}

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return undefined;
  }
}
