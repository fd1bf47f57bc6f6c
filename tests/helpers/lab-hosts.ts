/** Lab hosts for a test, which always end with it. */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import ssh2 from "ssh2";
import { onTestFinished, vi } from "vitest";
import { endHost, type HostSpec, startHost } from "../../components/local/lab/hosts.ts";
import { initProcess, type LivingHost, livingHosts } from "../../components/local/lab/living-hosts.ts";
import { newKeyPair } from "../../components/shared/key-pair.ts";
import { guardLab } from "./left-behind.ts";

const operator = newKeyPair();

/** A unique lab name; all its hosts end with the test, or when the function given to `atEnd` is called. */
export function testLab(
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
  name = `test-${randomUUID().slice(0, 8)}`,
): string {
  guardLab(name);
  atEnd(async () => {
    await Promise.all(hostsOf(name).map(endHost));
  });
  return name;
}

export function hostsOf(lab: string): LivingHost[] {
  return livingHosts().filter((living) => living.lab === lab);
}

/**
 * Resolves once a host has a process whose command line matches `pattern`. It reads the host's process list from outside: asking on
 * the host takes four programs each time.
 */
export async function whenRuns(lab: string, host: string, pattern: RegExp): Promise<void> {
  const list = `/proc/${initProcess(lab, host).pid}/root/proc`;
  const runs = (pid: string) => {
    try {
      return pattern.test(readFileSync(`${list}/${pid}/cmdline`, "latin1").replaceAll("\0", " "));
    } catch {
      return false; // no process, or it has ended meanwhile
    }
  };
  await vi.waitUntil(() => readdirSync(list).some(runs), { timeout: 90_000, interval: 100 });
}

export function hostSpec(lab: string, host: string, generation = "1"): HostSpec {
  return { lab, host, generation, hostKey: newKeyPair().privateKey, authorizedKey: operator.publicKey };
}

export async function startHosts(lab: string, ...hosts: string[]): Promise<LivingHost[]> {
  return Promise.all(hosts.map((host) => startHost(hostSpec(lab, host))));
}

/** Runs a command over SSH as the operator would. */
export function ssh(port: number, command: string): Promise<{ stdout: string; exitCode: number | null }> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.on("error", reject);
    client.on("ready", () => {
      client.exec(command, (error, channel) => {
        if (error) {
          reject(error);
          return;
        }
        let stdout = "";
        channel.on("data", (chunk: Buffer) => {
          stdout += chunk;
        });
        channel.stderr.resume();
        channel.on("close", (exitCode: number | null) => {
          client.end();
          resolve({ stdout, exitCode });
        });
      });
    });
    client.connect({
      host: "127.0.0.1",
      port,
      username: "root",
      privateKey: operator.privateKey,
      readyTimeout: 10_000,
    });
  });
}
