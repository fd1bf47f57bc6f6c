/**
 * An emulated machine with Debian's packaged cloud kernel, made by `setup/guest.sh`. It has no network device: all its
 * traffic is between its own namespaces, and scripts reach it over a serial port.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** `npm run guest -- --kernel` names another directory. */
const made = process.env.EGRESS_BENCH_GUEST ?? fileURLToPath(new URL("../../.tools/guest", import.meta.url));

/** The guest's clock, which times its scripts. */
export type GuestClock =
  /** Real time, which other work of the machine affects. */
  | "real"
  /** One nanosecond per executed instruction, so that the same work takes the same time on a busy machine too. */
  | "instructions";

export interface GuestOptions {
  /** @default "instructions" */
  readonly clock?: GuestClock;
  /** Seconds after which it is killed. @default 600 */
  readonly seconds?: number;
}

export interface Guest {
  /** Runs a bash script as root; returns its stdout. @throws {Error} with stderr when it fails or the guest ends. */
  run(script: string): Promise<string>;
  /** Ends it, and waits for its end. */
  end(): Promise<void>;
}

/** qemu: scripts over its stdin, answers over its stdout, its console as its fourth file. */
export type Machine = ChildProcessByStdio<Writable, Readable, Readable>;

/** Boots a guest. @throws {Error} with the end of its console when it does not come up. */
export async function bootGuest({
  clock = "instructions",
  seconds = 600,
}: GuestOptions = {}): Promise<Guest> {
  if (!existsSync(`${made}/stamp`)) {
    throw new Error("The guest has not been made: run `npm run setup -- --guest` first.");
  }
  return attend(start(clock, seconds), seconds);
}

/** A started machine, once it takes scripts. @throws {Error} with the end of its console when it never does */
export async function attend(
  machine: Machine,
  seconds: number,
): Promise<Guest & { reboot(): Promise<void> }> {
  const answers = createInterface({ input: machine.stdout })[Symbol.asyncIterator]();
  let said = "";
  for (const output of [machine.stderr, machine.stdio[3] as Readable]) {
    output.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4000);
    });
  }
  const answer = async (): Promise<string> => {
    const { value, done } = await answers.next();
    if (done) throw new Error(`The guest ended, or was ended after ${seconds} s. It said:\n${said}`);
    return value;
  };
  const gone = once(machine, "exit");
  const end = async () => {
    machine.kill("SIGTERM");
    await gone;
  };
  // Firmware, or a script before a reboot, may print something first.
  const ready = async () => {
    while (!(await answer()).endsWith("ready"));
  };
  await ready();
  let last: Promise<unknown> = Promise.resolve();
  const run = (script: string) => {
    const result = last.then(async () => {
      machine.stdin.write(`${Buffer.from(script).toString("base64")}\n`);
      return readAnswer(await answer());
    });
    last = result.catch(() => undefined);
    return result;
  };
  const reboot = async () => {
    await last;
    machine.stdin.write(`${Buffer.from("systemctl reboot").toString("base64")}\n`);
    await ready();
  };
  return { run, reboot, end };
}

function start(clock: GuestClock, seconds: number): Machine {
  // Multi-threaded emulation cannot count instructions.
  const pace = clock === "instructions" ? ["-icount", "shift=0,sleep=off"] : [];
  const kernel = ["-kernel", `${made}/vmlinuz`, "-initrd", `${made}/initramfs`];
  const options = "console=ttyS0 loglevel=4 panic=-1 mitigations=off nokaslr random.trust_cpu=on";
  return spawnMachine(seconds, [...pace, "-m", "1024", "-no-reboot", ...kernel, "-append", options]);
}

/**
 * A machine of one processor without a network device. `timeout` limits its life, and `setpriv` ends it with its parent
 * process.
 */
export function spawnMachine(seconds: number, more: readonly string[]): Machine {
  const bounds = ["--pdeathsig", "TERM", "timeout", "--kill-after=5", String(seconds)];
  const hardware = ["-M", "pc", "-accel", "tcg", "-cpu", "qemu64", "-smp", "1"];
  const devices = ["-nodefaults", "-display", "none", "-nic", "none"];
  // Node's pipes are sockets; the console is the fourth.
  const ports = ["-chardev", "socket,id=console,fd=3", "-serial", "chardev:console", "-serial", "stdio"];
  const argv = [...bounds, "qemu-system-x86_64", ...hardware, ...devices, ...more, ...ports];
  return spawn("setpriv", argv, { stdio: ["pipe", "pipe", "pipe", "pipe"] }) as Machine;
}

function readAnswer(line: string): string {
  const [status = "", ...fields] = line.split(" ");
  const [stdout = "", stderr = ""] = fields.map((field) => Buffer.from(field.slice(1), "base64").toString());
  if (status !== "0")
    throw new Error(`A script in the guest ended with status ${status}:\n${stderr}${stdout}`);
  return stdout;
}
