/** Runs commands inside lab hosts, and never in the machine's own namespaces. */
import { type BigIntStats, closeSync, fstatSync, openSync, readlinkSync, statSync } from "node:fs";
import { initProcess } from "./living-hosts.ts";
import { run } from "./machine.ts";
import { hasEnded, type Process } from "./processes.ts";

/** Kinds of namespaces that each host has for itself, by their names in /proc and in `nsenter`. */
const kinds = {
  mnt: { option: "--mount", title: "mount" },
  net: { option: "--net", title: "network" },
  pid: { option: "--pid", title: "process" },
  uts: { option: "--uts", title: "name" },
  ipc: { option: "--ipc", title: "IPC" },
} as const;
type Kind = keyof typeof kinds;

/** The first file descriptor after stdin, stdout and stderr. */
const FIRST_FD = 3;

/** Runs a shell script inside a host, as root. @throws {Error} with the script's output */
export function runInHost(lab: string, host: string, script: string): string {
  const process = initProcess(lab, host);
  const every = Object.keys(kinds) as Kind[];
  return withDoors(`Host "${host}" of lab "${lab}"`, process, every, (doors) => {
    const root = openSync(`/proc/${process.pid}/root`, "r");
    try {
      const fds = [...doors, root];
      const at = `/proc/self/fd/${FIRST_FD + doors.length}`;
      // Processes that the script leaves running must not hold the namespaces.
      const close = fds.map((_, index) => `exec ${FIRST_FD + index}<&-\n`).join("");
      const into = [...options(every), `--root=${at}`, `--wd=${at}`];
      return run("nsenter", [...into, "sh", "-s"], { input: close + script, fds });
    } finally {
      closeSync(root);
    }
  });
}

/**
 * Runs a shell script with the machine's own commands in a host's network. The network of `peer` is at {@link
 * PEER_NETWORK}.
 * @throws {Error} with the script's trace up to the failed command, and that command's output
 */
export function runInNetwork(lab: string, host: string, script: string, peer?: string | undefined): void {
  const enter = (name: string, use: (door: number) => string) =>
    withDoors(`Host "${name}" of lab "${lab}"`, initProcess(lab, name), ["net"], ([door]) =>
      use(door as number),
    );
  enter(host, (own) => {
    const go = (fds: number[]) => run("nsenter", [...options(["net"]), "sh", "-exs"], { fds, input: script });
    return peer === undefined ? go([own]) : enter(peer, (other) => go([own, other]));
  });
}

/** This program's namespaces, as `readlink` shows them: the machine's, which no host may be in. */
export function machineNamespaces(): string {
  return Object.keys(kinds)
    .map((kind) => readlinkSync(`/proc/self/ns/${kind}`))
    .join(" ");
}

/** Path of the peer's network for commands of {@link runInNetwork}. */
export const PEER_NETWORK = `/proc/self/fd/${FIRST_FD + 1}`;

function options(entered: readonly Kind[]): string[] {
  return entered.map((kind, index) => `${kinds[kind].option}=/proc/self/fd/${FIRST_FD + index}`);
}

/**
 * Opens namespaces of a host and checks them: a process that got the number meanwhile, or one that shares a namespace with
 * the machine, is refused.
 */
function withDoors(
  name: string,
  init: Process,
  entered: readonly Kind[],
  use: (doors: number[]) => string,
): string {
  const doors: number[] = [];
  try {
    for (const kind of entered) {
      doors.push(openSync(`/proc/${init.pid}/ns/${kind}`, "r"));
    }
    if (hasEnded(init)) {
      throw new Error(`${name} ended just now; \`pulumi up\` makes it anew.`);
    }
    entered.forEach((kind, index) => {
      refuseMachines(name, kind, doors[index] as number);
    });
    return use(doors);
  } finally {
    for (const door of doors) {
      closeSync(door);
    }
  }
}

/** Refuses a namespace of this program, or of the machine's first process. @throws {Error} */
function refuseMachines(name: string, kind: Kind, door: number): void {
  const { dev, ino } = fstatSync(door, { bigint: true });
  for (const machine of [statSync(`/proc/self/ns/${kind}`, { bigint: true }), namespaceOfFirst(kind)]) {
    if (machine?.dev === dev && machine.ino === ino) {
      throw new Error(
        `${name} cannot be entered: its ${kinds[kind].title} namespace is the machine's own, and the lab runs nothing there. If it is being made, wait; else end it with \`npm run local -- --down\`.`,
      );
    }
  }
}

/**
 * A namespace of the machine's first process. Undefined in a container whose root may not look at it; then only this
 * program's own is known.
 */
function namespaceOfFirst(kind: Kind): BigIntStats | undefined {
  try {
    return statSync(`/proc/1/ns/${kind}`, { bigint: true });
  } catch {
    return undefined;
  }
}
