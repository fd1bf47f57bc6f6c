/** Starts and ends lab hosts. No file on the machine records them. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createConnection, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { openSshKey } from "../../shared/key-pair.ts";
import { machineNamespaces, runInHost } from "./enter.ts";
import {
  HOST_MARK,
  hostEnvironment,
  hostScript,
  SSH_DOORMAN,
  SSH_LOG,
  SSHD_CONFIG,
  sshdConfig,
} from "./host-init.ts";
import { findHost, type LivingHost } from "./living-hosts.ts";
import { SYSTEM_PATH } from "./machine.ts";
import { firstChild, hasEnded, startTime } from "./processes.ts";

export interface HostSpec {
  readonly lab: string;
  readonly host: string;
  readonly generation: string;
  /** The host's own SSH key, for its verification: OpenSSH's format or PKCS #8. */
  readonly hostKey: string;
  /** Public key that may log in as root. */
  readonly authorizedKey: string;
}

/** A host that answers, and its public key. */
export interface StartedHost extends LivingHost {
  /** Public key, `ssh-ed25519 AAAA...` */
  readonly hostKey: string;
}

const HOST_KEY = "/etc/egress-bench/host_key";
const AUTHORIZED_KEYS = "/etc/egress-bench/authorized_keys";
const FIRST_PORT = 20_000;
/** Number of ports, all below the kernel's ephemeral ones (32768 on), which come and go. */
const PORT_COUNT = 12_000;
const START_SECONDS = 15;
/** Tries for a free port: another program may take one before the listener does. */
const MAX_TRIES = 3;
/** Hang-ups in a row after which a listener counts as dead. */
const MAX_HANG_UPS = 5;

/**
 * Makes a host and waits until its SSH answers. A running host of the same generation stays; leftovers of another are
 * removed first.
 */
export async function startHost(spec: HostSpec): Promise<StartedHost> {
  const started = await startedHost(spec);
  // Asked of the host: one from before an upgrade keeps its key.
  const hostKey = runInHost(spec.lab, spec.host, `ssh-keygen -y -f ${HOST_KEY}`);
  return { ...started, hostKey: hostKey.trim().split(" ").slice(0, 2).join(" ") };
}

async function startedHost(spec: HostSpec): Promise<LivingHost> {
  const living = findHost(spec.lab, spec.host);
  if (living?.generation === spec.generation) {
    // Made by a clone that was deleted with its keys, it lets this one's in.
    write(spec, { [AUTHORIZED_KEYS]: spec.authorizedKey });
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
      const reason = runInHost(spec.lab, spec.host, `tail -n 3 ${SSH_LOG} || true`).trim();
      await endHost(started);
      if (!reason.includes("Address already in use")) {
        throw new Error(
          `Lab host "${spec.host}": its SSH listener does not answer on 127.0.0.1:${port}. Its log: ${reason || "nothing"}`,
        );
      }
    }
  }
  throw new Error(
    `Lab host "${spec.host}": no free port was found on 127.0.0.1; end programs that listen there, then try again.`,
  );
}

/** Ends a host and waits until the kernel has removed it, with its SSH listener. */
export async function endHost(living: LivingHost): Promise<void> {
  // The first process of a PID namespace ends last.
  const holder = { pid: living.holder, startTime: living.startTime };
  const ends = [holder, firstChild(living.holder)].flatMap((process) => process ?? []);
  if (!hasEnded(holder)) {
    kill(living.holder);
  }
  const deadline = performance.now() + START_SECONDS * 1000;
  while (!ends.every(hasEnded)) {
    if (performance.now() > deadline) {
      throw new Error(
        `Lab host "${living.host}" (process ${living.holder}) does not end; end it with \`sudo kill -9 ${living.holder}\`.`,
      );
    }
    await delay(10);
  }
}

async function launch(spec: HostSpec, port: number): Promise<LivingHost> {
  const { lab, host, generation } = spec;
  const namespaces = ["--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child"];
  const marked = [HOST_MARK, lab, host, generation, String(port)];
  const child = spawn("unshare", [...namespaces, "sh", "-c", hostScript("host-init.sh"), ...marked], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: SYSTEM_PATH, ...hostEnvironment(machineNamespaces(), operatorIds()) },
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
    if (child.pid !== undefined) kill(child.pid);
    throw error;
  });
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  write(spec, {
    [HOST_KEY]: openSshKey(spec.hostKey),
    [AUTHORIZED_KEYS]: spec.authorizedKey,
    [SSH_DOORMAN]: hostScript("ssh-doorman.sh"),
    [SSHD_CONFIG]: sshdConfig(banner(spec)),
  });
  const holder = child.pid as number;
  return { lab, host, generation, sshPort: port, holder, startTime: startTime(holder) as string };
}

function write(spec: HostSpec, files: Readonly<Record<string, string>>): void {
  const written = Object.entries(files).map(
    ([path, content]) => `cat > ${path} <<'egress-bench-end'\n${content.trimEnd()}\negress-bench-end\n`,
  );
  runInHost(spec.lab, spec.host, `set -eu\numask 077\n${written.join("")}`);
}

/** User ids of the lab's operators: root, and the user who became root by sudo. */
function operatorIds(): number[] {
  const operator = Number(process.env.SUDO_UID ?? 0);
  return operator > 0 ? [0, operator] : [0];
}

/** sshd's banner, which distinguishes the host's port from another program's. */
function banner(spec: HostSpec): string {
  return createHash("sha256")
    .update(`${spec.lab}/${spec.host}/${spec.generation}`)
    .digest("hex")
    .slice(0, 16);
}

/** Ports to try: the host's former one first, so that nothing that depends on it changes. */
function candidatePorts(spec: HostSpec): number[] {
  const hash = createHash("sha256").update(`${spec.lab}/${spec.host}`).digest().readUInt32BE();
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
  const deadline = performance.now() + START_SECONDS * 1000;
  let hangUps = 0;
  while (performance.now() < deadline && hangUps < MAX_HANG_UPS) {
    const greeting = await greetingOf(host.sshPort);
    if (greeting?.startsWith("SSH-")) {
      return greeting.includes(expected);
    }
    hangUps = greeting === "" ? hangUps + 1 : 0;
    await delay(20);
  }
  return false;
}

/**
 * A listener's greeting. @returns "" when the other side hangs up without one, undefined when there is none or it stays
 * silent.
 */
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
