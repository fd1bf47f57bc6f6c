/**
 * Only root can make a process that the lab takes for its host, and no command of the lab runs in the machine's own
 * namespaces. The attacker is a real process of an ordinary account; harmful steps run in a sandbox that plays the machine.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { HOST_MARK } from "../../../components/local/lab/host-init.ts";
import { startHost } from "../../../components/local/lab/hosts.ts";
import { findHost, livingHosts } from "../../../components/local/lab/living-hosts.ts";
import { gzipBase64 } from "../../../components/shared/gzip.ts";
import { hostSpec, ssh, testLab } from "../../helpers/lab-hosts.ts";

const NOBODY = 65_534;
const program = fileURLToPath(new URL("../../../components/local/lab/main.ts", import.meta.url));

/** A directory that every account may write to. */
function openDirectory(): string {
  const directory = mkdtempSync(`${tmpdir()}/egress-bench-imitation-`);
  chmodSync(directory, 0o777);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A process of the account `nobody`, root in its own user namespace, with a lab host's command line. */
async function imitate(lab: string, argv0 = "unshare"): Promise<ChildProcess> {
  const own = ["--user", "--map-root-user", "--mount", "--net", "--pid", "--uts", "--ipc", "--fork"];
  const words = ["sh", "-c", "echo ready; sleep 600", HOST_MARK, lab, "client", "1", "20000"];
  const child = spawn("unshare", [...own, "--kill-child", ...words], {
    argv0,
    uid: NOBODY,
    gid: NOBODY,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout!, "data");
  return child;
}

describe("a process of an ordinary account that imitates a lab host", () => {
  test("is not found", async () => {
    const lab = testLab();
    const child = await imitate(lab);
    expect(livingHosts().map(({ holder }) => holder)).not.toContain(child.pid);
    expect(findHost(lab, "client")).toBeUndefined();
  });

  test("gets no root script to run", async () => {
    const lab = testLab();
    await imitate(lab);
    const proof = `${openDirectory()}/ran`;
    expect(() => runInHost(lab, "client", `id -u > ${proof}`)).toThrow(/"client" of lab .* is not running/);
    expect(existsSync(proof)).toBe(false);
  });

  test("does not prevent the real host, and is not ended", async () => {
    const lab = testLab();
    const child = await imitate(lab);
    const host = await startHost(hostSpec(lab, "client"));
    expect(host.holder).not.toBe(child.pid);
    expect((await ssh(host.sshPort, "id -u")).stdout).toBe("0\n");
    expect(child.exitCode ?? child.signalCode).toBeNull();
  });
});

describe("the machine's own namespaces", () => {
  test.each([
    ["network", "--mount --pid --uts --ipc"],
    ["mount", "--net --pid --uts --ipc"],
    ["process", "--net --mount --uts --ipc"],
    ["IPC", "--net --mount --pid --uts"],
  ])("are never entered: a root process whose child shares the %s one", (_, own) => {
    const proof = `${openDirectory()}/ran`;
    const spec = JSON.stringify({ lab: "trap@1", host: "client", script: gzipBase64(`touch ${proof}`) });
    // The lab's program takes the sandbox for the machine.
    const machine = `
unshare ${own} --fork --kill-child sh -c 'echo; exec sleep 600' ${HOST_MARK} trap@1 client 1 20000 > "$2" &
trap=$!
while [ ! -s "$2" ]; do sleep 0.05; done
"$0" "$1" boot '${spec}' 2>&1
kill -9 $trap`;
    const directory = openDirectory();
    const args = [
      "--net",
      "--mount",
      "--uts",
      "--ipc",
      "--pid",
      "--fork",
      "--mount-proc",
      "sh",
      "-c",
      machine,
    ];
    const { stdout } = spawnSync("unshare", [...args, process.execPath, program, `${directory}/up`], {
      encoding: "utf8",
    });
    expect(stdout).toMatch(
      /lab: Host "client" .* (network|mount|process|IPC) namespace is the machine's own/,
    );
    expect(existsSync(proof)).toBe(false);
  });
});
