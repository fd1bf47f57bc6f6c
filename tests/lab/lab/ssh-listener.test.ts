/**
 * Accounts that reach a lab host's SSH, and the number at a time: its port is on the machine's 127.0.0.1, which every local
 * user can connect to.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { MAX_SSH_CONNECTIONS } from "../../../components/local/lab/host-init.ts";
import { ssh, startHosts, testLab } from "../../helpers/lab-hosts.ts";

const NOBODY = 65_534;

/** The port's greeting for an account, until it hangs up or has greeted. */
async function greetingFor(account: number, port: number): Promise<string> {
  const child = spawn("socat", ["-T5", "-u", `TCP:127.0.0.1:${port}`, "-"], { uid: account, gid: account });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
    child.kill();
  });
  await once(child, "close");
  return said;
}

const nextSecond = (read: () => number) =>
  new Promise<number>((resolve) => setTimeout(() => resolve(read()), 1000));
const same = ([before, after]: number[]) => before === after;

test("root is greeted, another account's connection is closed, and no sshd is started for it", async () => {
  const lab = testLab();
  const [host] = await startHosts(lab, "client");
  expect(await greetingFor(0, host!.sshPort)).toMatch(/^SSH-2\.0/);
  const before = runInHost(lab, "client", "grep -c refused /var/log/ssh-listener.log || :");
  expect(await greetingFor(NOBODY, host!.sshPort)).toBe("");
  expect([before, runInHost(lab, "client", "cat /var/log/ssh-listener.log")]).toEqual([
    "0\n",
    expect.stringContaining(`refused a connection of user ${NOBODY}`),
  ]);
});

test("many connections get the maximum of sshd processes, and release them again", async () => {
  const lab = testLab();
  const [host] = await startHosts(lab, "client");
  const crowd = Array.from({ length: 2 * MAX_SSH_CONNECTIONS }, () => connect(host!.sshPort, "127.0.0.1"));
  onTestFinished(() => crowd.forEach((socket: Socket) => void socket.destroy()));
  const greeted = new Set<Socket>();
  for (const socket of crowd) {
    socket.once("data", () => greeted.add(socket)).on("error", () => undefined);
  }
  const servers = () => Number(runInHost(lab, "client", "ps -eo args | grep -c '^sshd: .accepted' || :"));
  await expect.poll(() => greeted.size).toBeGreaterThan(0);
  // The maximum: no further connection is greeted while others wait.
  await expect.poll(async () => [greeted.size, await nextSecond(() => greeted.size)]).toSatisfy(same);
  expect(greeted.size).toBeLessThanOrEqual(MAX_SSH_CONNECTIONS);
  expect(servers()).toBeLessThanOrEqual(MAX_SSH_CONNECTIONS);
  for (const socket of crowd) {
    socket.destroy();
  }
  expect((await ssh(host!.sshPort, "echo room")).stdout).toBe("room\n");
});

/** Opens as many connections as it can, repeatedly, and keeps those that stay open. */
const flood = (port: number) => `
import socket, time
held = []
print("flooding", flush=True)
end = time.monotonic() + 60
while time.monotonic() < end:
    try:
        held.append(socket.create_connection(("127.0.0.1", ${port}), 1))
        held = held[-400:]
    except OSError:
        time.sleep(0.01)
`;

test("a flood of another account's connections does not affect the operator", async () => {
  const lab = testLab();
  const [host] = await startHosts(lab, "client");
  const child = spawn("python3", ["-c", flood(host!.sshPort)], { uid: NOBODY, gid: NOBODY });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  for (const _ of [1, 2, 3]) {
    expect((await ssh(host!.sshPort, "echo in")).stdout).toBe("in\n");
  }
  expect(Number(runInHost(lab, "client", "ps -eo args | grep -c '^sshd: .accepted' || :"))).toBeLessThan(3);
  expect(child.exitCode).toBeNull();
});

test("orphans of sessions are reaped", async () => {
  const lab = testLab();
  const [host] = await startHosts(lab, "client");
  await ssh(
    host!.sshPort,
    "for n in 1 2 3; do setsid sh -c 'sleep 0.1 & exec sleep 0.05' >/dev/null 2>&1 </dev/null & done",
  );
  await expect.poll(() => runInHost(lab, "client", "pgrep -x sleep | wc -l")).toBe("1\n");
  expect(runInHost(lab, "client", "ps -eo stat,args | grep '^Z' || :")).toBe("");
});
