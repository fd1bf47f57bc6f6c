/** `agent.py run` for real, on loopback: re-attachment, refusals. Client and server are the same machine here. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { iperf3OutputSchema } from "../../bench/tools/iperf3/output.ts";
import { agentHost } from "../helpers/agent-host.ts";
import { counting, executions, iperf3Of, isRunning, observed } from "../helpers/agent-runs.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const host = preparedHost();

const self = (changes = {}) => observed(host, changes);
const iperf3 = (options: string) => iperf3Of(host, options);
const count = (name: string) => executions(host, name);
const running = (command: string) => isRunning(host, command);
const runnerPid = (key: string) =>
  Number(readFileSync(join(host.directory, "runs", key, "runner.pid"), "utf8"));

describe("a measurement", () => {
  it("runs iperf3, samples the host, and answers a second call", async () => {
    const spec = {
      key: "tcp",
      command: counting("tcp", iperf3("-t 2")),
      reducer: "iperf3" as const,
      observe: [self()],
    };
    const report = await host.run(spec);
    expect(report).toMatchObject({
      failure: null,
      exitCode: 0,
      timedOut: false,
      sourceIp: "127.0.0.1",
      expectedSourceIps: ["127.0.0.1"],
      stderr: "",
    });
    expect(report.attempts).toHaveLength(1);
    const output = iperf3OutputSchema.parse(JSON.parse(report.stdout));
    expect(output.end?.sum_received?.bits_per_second).toBeGreaterThan(1e6);
    expect(output.intervals).toHaveLength(2);
    const whole = JSON.parse(readFileSync(report.rawFile!, "utf8"));
    expect(Math.round(whole.end.sum_received.bits_per_second)).toBe(
      output.end?.sum_received?.bits_per_second,
    );

    const [usage] = report.hosts;
    expect(usage).toMatchObject({ host: "test-server", role: "server", problem: null });
    expect(usage?.cpu?.busyPercent).toBeGreaterThan(5);
    expect(usage?.cpu?.busyPercent).toBeLessThanOrEqual(100);
    expect(usage?.cpu?.series.length).toBeGreaterThanOrEqual(1);
    const { start, end } = usage!.cpuTime!;
    expect(end.uptimeSeconds - start.uptimeSeconds).toBeGreaterThanOrEqual(2);
    expect(end.busySeconds).toBeGreaterThan(start.busySeconds);

    expect(await host.run(spec)).toEqual(report);
    expect(count("tcp")).toBe(1);
  });

  it("begins after the plan's pause", async () => {
    const asked = Date.now();
    const { attempts } = await host.run({ key: "paused", command: "true", pauseSeconds: 1 });
    expect(Date.parse(attempts[0]!.startedAt) - asked).toBeGreaterThanOrEqual(1000);
  });

  // Over UDP: sockperf.test.ts.
  it("runs sockperf against the supervised server by TCP", async () => {
    const command = `sockperf ping-pong --tcp -i 127.0.0.1 -p ${host.ports.sockperf} -t 1 --full-rtt`;
    const report = await host.run({ key: "sockperf-tcp", command });
    expect(report).toMatchObject({ failure: null, exitCode: 0 });
    expect(report.stdout).toMatch(/percentile 50\.000/);
  });

  it("joins a second call to the first one's measurement", async () => {
    const spec = { key: "joined", command: counting("joined", "sleep 0.7; echo done") };
    const reports = await Promise.all([host.run(spec), host.run(spec), host.run(spec)]);
    expect(reports[0]?.stdout).toBe("done\n");
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[2]).toEqual(reports[0]);
    expect(count("joined")).toBe(1);
  });

  it("continues when its caller is killed with its whole process group", async () => {
    const spec = host.runSpec({ key: "orphan", command: counting("orphan", "sleep 0.5; echo done") });
    const waiter = host.start(["run"], spec);
    await expect.poll(() => count("orphan")).toBe(1);
    process.kill(-waiter.pid!, "SIGKILL");
    await waiter.outcome;
    expect(await host.run(spec)).toMatchObject({ failure: null, stdout: "done\n" });
    expect(count("orphan")).toBe(1);
  });

  it("fails its caller when the runner is killed, ends its tool, and measures afresh at the next call", async () => {
    const spec = host.runSpec({ key: "killed", command: counting("killed", "sleep 31") });
    const waiter = host.start(["run"], spec);
    await expect.poll(() => running("sleep 31")).toBe(true);
    process.kill(runnerPid("killed"), "SIGKILL");
    const outcome = await waiter.outcome;
    expect(outcome).toMatchObject({ status: 1, stdout: "" });
    expect(outcome.stderr).toBe(
      "agent.py run: the runner of killed was ended before it had a report; the next `pulumi up` measures this case again\n",
    );
    expect(running("sleep 31")).toBe(false);
    expect(await host.run({ ...spec, command: counting("killed", "echo done") })).toMatchObject({
      failure: null,
      stdout: "done\n",
    });
    expect(count("killed")).toBe(2);
  });

  it("starts afresh over the remains of a killed runner without a waiter", async () => {
    const spec = host.runSpec({ key: "remains", command: "sleep 32" });
    const waiter = host.start(["run"], spec);
    await expect.poll(() => running("sleep 32")).toBe(true);
    waiter.kill("SIGKILL");
    await waiter.outcome;
    process.kill(runnerPid("remains"), "SIGKILL");
    expect(await host.run({ ...spec, command: "echo done" })).toMatchObject({ stdout: "done\n" });
    expect(running("sleep 32")).toBe(false);
  });

  it("keeps the secret from the tool", async () => {
    const { stdout } = await host.run({ key: "env", command: "env; cat /proc/$PPID/cmdline" });
    expect(stdout).toContain("EGRESS_BENCH_MARK=");
    expect(stdout).not.toContain(host.prepareSpec.secret);
  });

  it("leaves no core file of a process that has the secret", async () => {
    const limits = host
      .processes()
      .filter(({ command }) => /agent.py serve|iperf3 -s/.test(command))
      .map(({ pid }) => readFileSync(`/proc/${pid}/limits`, "utf8"));
    const { stdout } = await host.run({ key: "core", command: "cat /proc/$PPID/limits" });
    expect(limits.length).toBeGreaterThan(1);
    for (const text of [...limits, stdout]) {
      expect(text).toMatch(/Max core file size\s+0\s+0\s/);
    }
  });
});

describe("refuses", () => {
  it.each<[string, object, string]>([
    [
      "a key with another path",
      { key: "../engine" },
      'key: expected 1 to 200 of A-Z a-z 0-9 . _ -, got "../engine"',
    ],
    ["a key with a slash", { key: "a/b" }, 'got "a/b"'],
    ["no command", { command: "" }, 'command: expected a shell command, got ""'],
    [
      "a negative time-out",
      { timeoutSeconds: -1 },
      "timeoutSeconds: expected a number above 0, 604800 at most, got -1",
    ],
    ["an absurd time-out", { timeoutSeconds: 1e9 }, "timeoutSeconds: expected"],
    ["an unknown reducer", { reducer: "jq" }, 'reducer: expected one of iperf3, none, got "jq"'],
    [
      "a bad pattern",
      { retry: { patterns: ["("], attempts: 1, delaySeconds: 0 } },
      'retry.patterns: expected regular expressions, got "("',
    ],
    [
      "no attempt",
      { retry: { patterns: [], attempts: 0, delaySeconds: 0 } },
      "retry.attempts: expected an integer, 1 to 20, got 0",
    ],
    ["no path", { path: null }, "path: expected an object, got nothing"],
    [
      "a host without address",
      { observe: [{ host: "a", role: "nat" }] },
      "observe[0].address: expected an address, got nothing",
    ],
  ])("%s", async (_, changes, message) => {
    const outcome = await host.call(["run"], { ...host.runSpec(), ...changes });
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toContain(message);
  });

  it("to run on a host that was never prepared", async () => {
    const fresh = await agentHost("client");
    const outcome = await fresh.call(["run"], fresh.runSpec());
    await fresh.dispose();
    expect(outcome).toMatchObject({ status: 1, stdout: "" });
    expect(outcome.stderr).toContain("never prepared");
  });
});
