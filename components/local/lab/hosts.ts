/**
 * Starts, finds and ends lab hosts. The process list is the only record: no file on the machine tells of a host.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { HOST_MARK, hostInitScript, SSH_LOG, SSHD_CONFIG, sshdConfig } from "./host-init.ts";
import { run, SYSTEM_PATH } from "./machine.ts";

/** A host that runs now. */
export interface LivingHost {
  readonly stack: string;
  readonly host: string;
  /** Tells one life of a host from the next. */
  readonly generation: string;
  /** On 127.0.0.1. */
  readonly sshPort: number;
  /** The process that holds it, as the machine counts. */
  readonly holder: number;
}

/** What a new host gets. */
export interface HostSpec {
  readonly stack: string;
  readonly host: string;
  readonly generation: string;
  /** The host's own SSH key, so that it can be verified. */
  readonly hostKey: string;
  /** Public key that may log in as root. */
  readonly authorizedKey: string;
}

const FIRST_PORT = 20_000;
/** Below the kernel's ephemeral ports (32768 on), which come and go. */
const PORT_COUNT = 12_000;
const START_SECONDS = 15;
/** Another program may take a port in the moment between our look and our listener's. */
const MAX_TRIES = 3;
/** A listener that hangs up so often in a row will not answer the next time either. */
const MAX_HANG_UPS = 5;

/** All hosts of all stacks that run on this machine. */
export function livingHosts(): LivingHost[] {
  return processIds().flatMap((pid) => {
    const argv = commandLine(pid);
    const mark = argv.indexOf(HOST_MARK);
    const [stack, host, generation, port] = argv.slice(mark + 1);
    if (argv[0] !== "unshare" || mark < 0 || !stack || !host || !generation || !port) {
      return [];
    }
    return [{ stack, host, generation, sshPort: Number(port), holder: pid }];
  });
}

/** @returns undefined when it does not run. */
export function findHost(stack: string, host: string): LivingHost | undefined {
  return livingHosts().find((living) => living.stack === stack && living.host === host);
}

/** The host's first process, the door to its namespaces. @throws {Error} when the host is gone. */
export function initProcess(stack: string, host: string): number {
  const living = findHost(stack, host);
  const child = living && childrenOf(living.holder)[0];
  if (child === undefined) {
    throw new Error(`Host "${host}" of lab "${stack}" is not running; \`pulumi up\` makes it anew.`);
  }
  return child;
}

/**
 * Makes a host and waits until its SSH answers. The same generation again is left alone; leftovers of another are
 * removed first.
 */
export async function startHost(spec: HostSpec): Promise<LivingHost> {
  const living = findHost(spec.stack, spec.host);
  if (living?.generation === spec.generation) {
    return living;
  }
  if (living !== undefined) {
    await endHost(living);
  }
  let tries = 0;
  for (const port of candidatePorts(spec)) {
    if (tries < MAX_TRIES && (await isFree(port))) {
      tries += 1;
      const started = await launch(spec, port);
      if (await answers(started, banner(spec))) {
        return started;
      }
      const reason = runInHost(spec.stack, spec.host, `tail -n 3 ${SSH_LOG} || true`).trim();
      await endHost(started);
      if (!reason.includes("Address already in use")) {
        throw new Error(
          `Lab host "${spec.host}": its SSH listener does not answer on 127.0.0.1:${port}. It says: ${reason || "nothing"}`,
        );
      }
    }
  }
  throw new Error(`Lab host "${spec.host}": none of the ports that were tried is free on 127.0.0.1.`);
}

/** Ends a host and waits until the kernel has taken it down, its SSH listener too. */
export async function endHost(living: LivingHost): Promise<void> {
  // The first process of a PID namespace is the last that ends in it.
  const [init] = childrenOf(living.holder);
  kill(living.holder);
  const deadline = Date.now() + START_SECONDS * 1000;
  while (commandLine(living.holder).includes(HOST_MARK) || (init !== undefined && !hasEnded(init))) {
    if (Date.now() > deadline) {
      throw new Error(`Lab host "${living.host}" (process ${living.holder}) does not end.`);
    }
    await delay(10);
  }
}

/** Runs a shell script inside a host. @throws {Error} with what it said. */
export function runInHost(stack: string, host: string, script: string): string {
  const into = [
    "--target",
    String(initProcess(stack, host)),
    "--mount",
    "--net",
    "--pid",
    "--uts",
    "--ipc",
    "--root",
    "--wd",
  ];
  return run("nsenter", [...into, "sh", "-s"], script);
}

async function launch(spec: HostSpec, port: number): Promise<LivingHost> {
  const { stack, host, generation } = spec;
  const namespaces = ["--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child"];
  const marked = [HOST_MARK, stack, host, generation, String(port)];
  const child = spawn("unshare", [...namespaces, "sh", "-c", hostInitScript, ...marked], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: SYSTEM_PATH },
    cwd: "/",
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`Lab host "${host}" could not be made: ${said.trim()}`)));
    setTimeout(
      reject,
      START_SECONDS * 1000,
      new Error(`Lab host "${host}" did not start: ${said.trim()}`),
    ).unref();
  }).catch((error) => {
    kill(child.pid as number);
    throw error;
  });
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  installSsh(spec);
  return { stack, host, generation, sshPort: port, holder: child.pid as number };
}

function installSsh(spec: HostSpec): void {
  const file = (path: string, content: string) =>
    `cat > ${path} <<'egress-bench-end'\n${content.trimEnd()}\negress-bench-end\n`;
  runInHost(
    spec.stack,
    spec.host,
    `set -eu
umask 077
${file("/etc/egress-bench/host_key", spec.hostKey)}
${file("/etc/egress-bench/authorized_keys", spec.authorizedKey)}
${file(SSHD_CONFIG, sshdConfig(banner(spec)))}`,
  );
}

/** sshd's banner carries it, so that another program's port is not taken for ours. */
function banner(spec: HostSpec): string {
  return createHash("sha256")
    .update(`${spec.stack}/${spec.host}/${spec.generation}`)
    .digest("hex")
    .slice(0, 16);
}

/**
 * The same port for the same host again, so that nothing that depends on it changes; others where that is taken.
 */
function candidatePorts(spec: HostSpec): number[] {
  const hash = createHash("sha256").update(`${spec.stack}/${spec.host}`).digest().readUInt32BE();
  return Array.from({ length: 20 }, (_, step) => FIRST_PORT + ((hash + step * 101) % PORT_COUNT));
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

async function answers(host: LivingHost, expected: string): Promise<boolean> {
  const deadline = Date.now() + START_SECONDS * 1000;
  let hangUps = 0;
  while (Date.now() < deadline && hangUps < MAX_HANG_UPS) {
    const greeting = await greetingOf(host.sshPort);
    if (greeting?.startsWith("SSH-")) {
      return greeting.includes(expected);
    }
    hangUps = greeting === "" ? hangUps + 1 : 0;
    await delay(20);
  }
  return false;
}

/** @returns "" when the other side hangs up without a word, undefined when there is none or it stays silent. */
function greetingOf(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1", timeout: 2000 });
    const end = (text?: string) => {
      socket.destroy();
      resolve(text);
    };
    socket.once("data", (chunk) => end(chunk.toString("latin1")));
    socket.once("error", () => end());
    socket.once("timeout", () => end());
    socket.once("end", () => end(""));
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}

function processIds(): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

/** Also where nobody has asked yet how: a zombie. */
function hasEnded(pid: number): boolean {
  try {
    const [state] = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /s, "");
    return state === "Z" || state === "X";
  } catch {
    return true;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}
