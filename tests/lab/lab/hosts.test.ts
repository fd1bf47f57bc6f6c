/** The lab's hosts on the real kernel. Not proved: other kernels' and container runtimes' permissions. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AGENT_PACKAGE, packedAgent } from "../../../components/benchmark/agent-sources.ts";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { hostUp } from "../../../components/local/lab/host-up.ts";
import { endHost, startHost } from "../../../components/local/lab/hosts.ts";
import { findHost, initProcess } from "../../../components/local/lab/living-hosts.ts";
import { hostSpec, hostsOf, ssh, startHosts, testLab } from "../../helpers/lab-hosts.ts";

const program = fileURLToPath(new URL("../../../components/local/lab/main.ts", import.meta.url));

describe("a lab host", () => {
  test("answers SSH under its own name, with a network of its own", async () => {
    const [host] = await startHosts(testLab(), "client");
    const { stdout } = await ssh(host!.sshPort, "hostname; ls /sys/class/net; cat /proc/1/comm");
    expect(stdout.split("\n")).toEqual(["client", "lo", "sh", ""]);
    expect(hostname()).not.toBe("client");
  });

  test("refuses another key, until it is asked for with that", async () => {
    const lab = testLab();
    const host = await startHost({
      ...hostSpec(lab, "client"),
      authorizedKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE",
    });
    await expect(ssh(host.sshPort, "true")).rejects.toThrow(/authentication methods failed/);
    expect(await startHost(hostSpec(lab, "client"))).toEqual(host);
    expect(await ssh(host.sshPort, "hostname")).toMatchObject({ stdout: "client\n" });
  });

  test("answers SSH under any umask", async () => {
    const before = process.umask(0o002);
    const [host] = await startHosts(testLab(), "client").finally(() => process.umask(before));
    expect((await ssh(host!.sshPort, "stat -c %a /run/sshd")).stdout).toBe("755\n");
  });

  test("with a dead SSH listener is ended, with the reason", async () => {
    const lab = testLab();
    await expect(startHost({ ...hostSpec(lab, "client"), hostKey: "no key" })).rejects.toThrow(
      /Lab host "client": its SSH listener does not answer on 127\.0\.0\.1:\d+\. Its log: .*no hostkeys available/s,
    );
    expect(hostsOf(lab)).toEqual([]);
  });

  test("comes with the agent and its link; one that is made now ends where the link fails, another one stays", async () => {
    const lab = testLab();
    const [server] = await startHosts(lab, "server");
    const ends = [
      { host: "client", interface: "eth0", address: "198.18.0.1/24" },
      { host: "server", interface: "eth0", address: "198.18.0.2/24" },
    ] as const;
    const spec = { ...hostSpec(lab, "client"), agent: "any" };
    const peer = server!.generation;
    const wrong = [{ ...ends[0], address: "nowhere" }, ends[1]] as const;
    await expect(hostUp({ ...spec, link: { ends: wrong, shape: {}, peer } })).rejects.toThrow(/nowhere/);
    expect(hostsOf(lab).map(({ host }) => host)).toEqual(["server"]);
    await hostUp({ ...spec, link: { ends, shape: {}, peer } });
    const { digest } = packedAgent();
    runInHost(lab, "client", `cd /root; python3 ${AGENT_PACKAGE} ${digest}`);
    expect(runInHost(lab, "client", "ip -brief link show dev eth0")).toContain("LOWER_UP");
    await expect(hostUp({ ...spec, link: { ends: wrong, shape: {}, peer } })).rejects.toThrow(/nowhere/);
    expect(hostsOf(lab)).toHaveLength(2);
  });

  test("writes nothing on the machine", async () => {
    const lab = testLab();
    await startHosts(lab, "client");
    const mark = `/etc/${lab}`;
    runInHost(
      lab,
      "client",
      `echo x > ${mark}; echo x > /run/${lab}; echo x > /root/${lab}; test -s ${mark}`,
    );
    expect([mark, `/run/${lab}`, `/root/${lab}`].filter(existsSync)).toEqual([]);
  });

  test("may only set its own network's sysctls", async () => {
    const lab = testLab();
    await startHosts(lab, "client");
    const machine = readFileSync("/proc/sys/net/ipv4/ip_forward", "utf8");
    runInHost(lab, "client", `echo ${machine.trim() === "1" ? 0 : 1} > /proc/sys/net/ipv4/ip_forward`);
    expect(readFileSync("/proc/sys/net/ipv4/ip_forward", "utf8")).toBe(machine);
    expect(() => runInHost(lab, "client", "echo x > /proc/sys/kernel/domainname")).toThrow(
      /Read-only|denied/,
    );
  });

  test("is left alone when requested again", async () => {
    const lab = testLab();
    const spec = hostSpec(lab, "client");
    const first = await startHost(spec);
    expect(await startHost(spec)).toEqual(first);
  });

  test("replaces an earlier life's remains, and keeps its port", async () => {
    const lab = testLab();
    const first = await startHost(hostSpec(lab, "client", "1"));
    const second = await startHost(hostSpec(lab, "client", "2"));
    expect(second.sshPort).toBe(first.sshPort);
    expect([second]).toMatchObject(hostsOf(lab));
  });

  test("restarts a killed SSH listener, and keeps its sessions", async () => {
    const lab = testLab();
    const [host] = await startHosts(lab, "client");
    runInHost(lab, "client", "mkfifo /tmp/gate");
    const session = ssh(host!.sshPort, "cat /tmp/gate");
    await expect.poll(() => runInHost(lab, "client", "pgrep -x cat || :")).not.toBe("");
    runInHost(lab, "client", "kill $(pgrep -o -x socat)");
    await expect.poll(() => ssh(host!.sshPort, "echo back").then((r) => r.stdout, String)).toBe("back\n");
    runInHost(lab, "client", "echo through > /tmp/gate");
    expect((await session).stdout).toBe("through\n");
  });

  test("leaves no process, mount, interface or listener behind", async () => {
    const lab = testLab();
    const before = machineState();
    const [host] = await startHosts(lab, "client");
    const { pid: init } = initProcess(lab, "client");
    runInHost(lab, "client", "setsid sleep 1000 </dev/null >/dev/null 2>&1 &");
    await endHost(host!);
    await expect.poll(() => existsSync(`/proc/${init}/ns`) && !isZombie(init)).toBe(false);
    await expect(ssh(host!.sshPort, "true")).rejects.toThrow(/ECONNREFUSED/);
    expect(machineState()).toEqual(before);
  });

  test.each([
    ["its process group, as a service's stop sends it", "SIGTERM", -1],
    ["its holder", "SIGTERM", 1],
    ["its holder", "SIGINT", 1],
  ] as const)("ends on a signal to %s (%s), with a session of its own in it", async (_, signal, sign) => {
    const lab = testLab();
    const [host] = await startHosts(lab, "client");
    runInHost(lab, "client", "setsid sh -c 'trap \"\" TERM; sleep 1000' </dev/null >/dev/null 2>&1 &");
    process.kill(sign * host!.holder, signal);
    await expect.poll(() => hostsOf(lab), { timeout: 60_000 }).toEqual([]);
  });

  test("names the remedy when it is gone", () => {
    expect(() => runInHost(testLab(), "client", "true")).toThrow(/"client" of lab "test-.*pulumi up/);
  });

  test("is ended by the state of its own life, and not by an earlier one's", async () => {
    const lab = testLab();
    const [host] = await startHosts(lab, "client");
    const down = (generation: string) => {
      const spec = JSON.stringify({ lab, host: "client", generation });
      return spawnSync(process.execPath, [program, "host-down", spec], { encoding: "utf8" });
    };
    expect(down("another life")).toMatchObject({ status: 0, stderr: "" });
    expect([host]).toMatchObject(hostsOf(lab));
    expect(down("1")).toMatchObject({ status: 0, stderr: "" });
    expect(hostsOf(lab)).toEqual([]);
  });

  test("with the same name in two labs are separate", async () => {
    const [first, second] = [testLab(), testLab()];
    const [one, two] = await Promise.all([startHosts(first, "client"), startHosts(second, "client")]);
    expect(one![0]!.sshPort).not.toBe(two![0]!.sshPort);
    await endHost(one![0]!);
    expect(two![0]).toMatchObject(findHost(second, "client")!);
  });
});

function machineState() {
  return {
    mounts: readFileSync("/proc/self/mounts", "utf8"),
    interfaces: Object.keys(networkInterfaces()),
    tmp: readdirSync("/run").filter((entry) => entry.includes("egress")),
  };
}

function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}
