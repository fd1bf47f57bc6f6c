/**
 * The leftovers of an interrupted run on a host, and a lost host, with real agents on loopback. No network between hosts
 * here.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunSpec } from "../../bench/agent/protocol.ts";
import { jsonOf } from "../../bench/agent/read-report.ts";
import { iperf3Of, isRunning, observed } from "../helpers/agent-runs.ts";
import { CLOSED_PORT } from "../helpers/ports.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const host = preparedHost();

const daemonPid = () => JSON.parse(readFileSync(join(host.directory, "daemon.json"), "utf8")).pid;
const running = (command: string) => isRunning(host, command);

describe("a new measurement", () => {
  it("ends an earlier run's, with its tool and the tool's children in other sessions", async () => {
    const command = "setsid sleep 41 & sleep 42";
    const left = host.start(["run"], host.runSpec({ key: "left", command }));
    await expect.poll(() => running("sleep 41") && running("sleep 42")).toBe(true);
    const { stdout } = await host.run({
      key: "new",
      command: "ps -eo args | grep -c '[s]leep 4[12]$' || true",
    });
    expect(stdout.trim()).toBe("0");
    expect(await left.outcome).toMatchObject({ status: 1, stdout: "" });
    expect([running("sleep 41"), running("sleep 42")]).toEqual([false, false]);
  });

  it("ends a tool whose runner died long ago", async () => {
    const left = host.start(["run"], host.runSpec({ key: "orphaned", command: "sleep 43" }));
    await expect.poll(() => running("sleep 43")).toBe(true);
    const runner = host.processes().filter(({ command }) => command.endsWith("agent.py run"));
    left.kill("SIGKILL");
    for (const { pid } of runner) process.kill(pid, "SIGKILL");
    await left.outcome;
    await host.run({ key: "after-orphan" });
    expect(running("sleep 43")).toBe(false);
  });

  it("returns an existing report without ending a running one", async () => {
    const done = await host.run({ key: "done", command: "echo done" });
    const busy = host.start(["run"], host.runSpec({ key: "busy", command: "sleep 0.7; echo busy" }));
    await expect.poll(() => running("sleep 0.7")).toBe(true);
    expect(await host.run({ key: "done" })).toEqual(done);
    expect(JSON.parse(jsonOf((await busy.outcome).stdout))).toMatchObject({
      failure: null,
      stdout: "busy\n",
    });
  });
});

describe("a hung server of a tool", () => {
  it("is restarted after the case that it failed", async () => {
    const [server] = host.processes().filter(({ command }) => command.startsWith("iperf3 -s"));
    process.kill(server!.pid, "SIGSTOP");
    const command = iperf3Of(host, "-t 1 -b 10M").replace(" --connect-timeout 3000", "");
    const first = await host.run({ key: "hangs", command, timeoutSeconds: 2 });
    expect(first.failure?.class).toBe("timeout");
    const second = await host.run({ key: "hangs-no-more", command });
    expect(second).toMatchObject({ failure: null, exitCode: 0 });
  });
});

describe("a killed daemon of an agent", () => {
  it("is restarted with its tools' servers, without a request", async () => {
    const pids = () =>
      ["agent.py serve", "iperf3 -s"].map(
        (name) => host.processes().find(({ command }) => command.includes(name))?.pid ?? 0,
      );
    const before = pids();
    process.kill(before[0]!, "SIGKILL");
    await expect.poll(() => pids().every((pid, index) => pid > 0 && pid !== before[index])).toBe(true);
    await expect.poll(() => host.ask({ op: "status" }).catch(String)).toHaveProperty("digest");
  });

  it("during a case gives no result, and is up again for the next call", async () => {
    const address = "127.0.0.2";
    const path: RunSpec["path"] = { ...host.runSpec().path, address, expected: [] };
    const observe = [observed(host, { host: "server", role: "server", address })];
    const command = `kill -9 ${daemonPid()}; sleep 2`;
    const killed = host.runSpec({ key: "killed-agent", path, observe, command });
    const { status, stderr } = await host.call(["run"], killed);
    expect([status, stderr]).toEqual([
      1,
      "agent.py run: host lost: the agent of server was restarted during the case; the next `pulumi up` measures this case again\n",
    ]);
    const { failure, hosts } = await host.run({ ...killed, command: "sleep 1" });
    expect([failure, hosts[0]?.problem]).toEqual([null, null]);
  });
});

describe("the path after a case", () => {
  it.each([
    { key: "gone-after", tool: "true", timeoutSeconds: 20, timedOut: false },
    { key: "gone-and-hung", tool: "sleep 44", timeoutSeconds: 2, timedOut: true },
  ])("that was lost during it fails the case, even if its tool never ended: $key", async (lost) => {
    const { key, tool, timeoutSeconds, timedOut } = lost;
    const path: RunSpec["path"] = { ...host.runSpec().path, expected: [] };
    const command = `kill ${daemonPid()}; ${tool}`;
    const { failure, ...report } = await host.run({ key, path, command, timeoutSeconds });
    expect(report).toMatchObject({ sourceIp: "127.0.0.1", timedOut });
    expect(failure).toMatchObject({
      class: "no-route",
      message: expect.stringMatching(/^the path was proved before the case, but not after it: no answer/),
    });
    expect(await host.prepare()).toMatchObject({ status: 0 });
  });
});

describe("a path whose other end does not answer", () => {
  const path = () => ({ ...host.runSpec().path, address: "127.0.0.2", port: CLOSED_PORT });
  const onTheWay = (port: number) => [
    observed(host, { host: "instance", role: "nat", address: "127.0.0.3", port }),
  ];
  const call = (key: string, port: number) =>
    host.call(["run"], host.runSpec({ key, path: path(), observe: onTheWay(port) }));

  it("is no result when the host on the way is gone, and the next call measures", async () => {
    const { status, stdout, stderr } = await call("instance-gone", CLOSED_PORT);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      "agent.py run: host lost: host instance (127.0.0.3) does not answer; the next `pulumi up` measures this case again\n",
    );
    expect(existsSync(join(host.directory, "runs/instance-gone/report.json"))).toBe(false);
    expect(await host.run({ key: "instance-gone", command: "echo back" })).toMatchObject({
      stdout: "back\n",
    });
  });

  it("is no result when the host on the way cannot reach it either", async () => {
    const { status, stderr } = await call("server-gone", host.prepareSpec.port);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /host lost: host 127\.0\.0\.2 \(127\.0\.0\.2\) answers neither this host nor instance: .*--replace '\*\*::127\.0\.0\.2-agent'`; the next/,
    );
  });

  it("is a result without a host on the way that could tell", async () => {
    const { failure } = await host.run({ key: "no-witness", path: path() });
    expect(failure?.class).toBe("no-route");
  });
});
