import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { killTree } from "../../tools/command-standin/local-command.ts";
import { freePort } from "./ports.ts";

const START_TIMEOUT_MS = 10_000;

/** An OpenSSH key pair; `privateKey` is PEM text, `publicKey` one line of authorized_keys. */
export interface SshKeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** A running OpenSSH server on 127.0.0.1 that the current user may log in to by key. */
export interface Sshd {
  readonly host: "127.0.0.1";
  readonly port: number;
  readonly user: string;
  /** A key that may log in. */
  readonly privateKey: string;
  /** Host key that a client should expect: `ssh-ed25519 AAAA...`. */
  readonly hostKey: string;
  /** What the server has logged so far, at LogLevel VERBOSE. */
  log(): string;
  /** Ends the server and its sessions, and removes its files. */
  stop(): Promise<void>;
}

/** Makes an ed25519 key pair without a passphrase, or with `passphrase`. */
export function makeSshKeyPair(passphrase = ""): SshKeyPair {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-key-"));
  try {
    const file = join(directory, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", file]);
    return {
      privateKey: readFileSync(file, "utf8"),
      publicKey: readFileSync(`${file}.pub`, "utf8").trim(),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Starts a real sshd on 127.0.0.1 with keys of its own.
 *
 * @throws when sshd is missing or does not listen within 10 s; the message holds its log
 */
export async function startSshd(): Promise<Sshd> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-sshd-"));
  const hostKeys = makeSshKeyPair();
  const userKeys = makeSshKeyPair();
  const port = await freePort();
  const path = (name: string) => join(directory, name);
  writeFileSync(path("host_key"), hostKeys.privateKey, { mode: 0o600 });
  writeFileSync(path("authorized_keys"), `${userKeys.publicKey}\n`);
  writeFileSync(
    path("sshd_config"),
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${path("host_key")}`,
      `AuthorizedKeysFile ${path("authorized_keys")}`,
      ...["PidFile none", "StrictModes no", "UsePAM no", "PasswordAuthentication no"],
      ...["KbdInteractiveAuthentication no", "LogLevel VERBOSE", "MaxStartups 100"],
      "Subsystem sftp internal-sftp",
      // The user's ~/.bashrc runs before each command, and its output would be taken for the command's.
      `SetEnv HOME=${directory}`,
      "",
    ].join("\n"),
  );
  chmodSync(directory, 0o755);
  // A root sshd refuses to start without its privilege-separation directory.
  if (userInfo().uid === 0 && !existsSync("/run/sshd")) mkdirSync("/run/sshd", { mode: 0o755 });

  // sshd re-executes itself, so it must be called by its absolute path.
  const child = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", path("sshd_config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const stop = async () => {
    await end(child);
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await waitForLog(child, () => log.includes("Server listening on"));
  } catch (error) {
    await stop();
    throw new Error(`sshd did not listen on 127.0.0.1:${port}: ${log}`, { cause: error });
  }
  return {
    host: "127.0.0.1",
    port,
    user: userInfo().username,
    privateKey: userKeys.privateKey,
    hostKey: hostKeys.publicKey.split(" ").slice(0, 2).join(" "),
    log: () => log,
    stop,
  };
}

function waitForLog(child: ChildProcess, found: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("time-out")), START_TIMEOUT_MS);
    const settle = (action: () => void) => {
      clearTimeout(timer);
      action();
    };
    child.once("error", (error) => settle(() => reject(error)));
    child.once("exit", (code) => settle(() => reject(new Error(`exit status ${code}`))));
    child.stderr?.on("data", () => found() && settle(resolve));
  });
}

/** Ends sshd and its sessions, which leave its process group. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  killTree(child.pid);
  await exited;
}
