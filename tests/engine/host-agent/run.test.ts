/** `agent.py run` for real, on loopback: re-attachment, retries, failures. Client and server are one machine here. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_REPORT_BYTES, type RunSpec, runReportSchema } from "../../../bench/host-agent/protocol.ts";
import { iperf3OutputSchema } from "../../../bench/tools/iperf3-output.ts";
import { type AgentHost, agentHost, until } from "../../helpers/agent-host.ts";
import { freePort } from "../../helpers/sshd.ts";

let host: AgentHost;
/** A directory that comes first in the host's PATH. */
let bin: string;

beforeAll(async () => {
  host = await agentHost("server");
  bin = join(host.home, "bin");
  mkdirSync(bin);
  expect((await host.prepare()).status).toBe(0);
});
afterAll(() => host.dispose());

const self = (changes = {}) => ({
  host: "test-server",
  role: "server" as const,
  address: "127.0.0.1",
  port: host.prepareSpec.ports.agent,
  ...changes,
});
const iperf3 = (options: string) =>
  `iperf3 -J -c 127.0.0.1 -p ${host.prepareSpec.ports.iperf3} --connect-timeout 3000 ${options}`;
/** Counts its executions in a file of the host's home, where commands run. */
const counting = (name: string, command: string) => `echo . >> ${name}; ${command}`;
const count = (name: string): number => {
  const file = join(host.home, name);
  return existsSync(file) ? readFileSync(file, "utf8").length / 2 : 0;
};
const running = (command: string) => host.processes().some((process) => process.command === command);
/** Connections that a port of this machine has accepted. */
const established = (port: number): number => {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return rows.filter((row) => {
    const [, address, , state] = row.trim().split(/\s+/);
    return address?.endsWith(local) && state === "01";
  }).length;
};
const runnerPid = (key: string) =>
  Number(readFileSync(join(host.directory, "runs", key, "runner.pid"), "utf8"));

describe("a measurement", () => {
  it("runs iperf3, samples the host, and is there for a second call", async () => {
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

  it("runs sockperf against the supervised server, TCP and UDP", async () => {
    for (const protocol of ["--tcp", ""]) {
      const command = `sockperf ping-pong ${protocol} -i 127.0.0.1 -p ${host.prepareSpec.ports.sockperf} -t 1 --full-rtt`;
      const report = await host.run({ key: `sockperf${protocol}`, command });
      expect(report).toMatchObject({ failure: null, exitCode: 0 });
      expect(report.stdout).toMatch(/percentile 50\.000/);
    }
  });

  it("joins a second call to the first one's measurement", async () => {
    const spec = { key: "joined", command: counting("joined", "sleep 0.7; echo done") };
    const reports = await Promise.all([host.run(spec), host.run(spec), host.run(spec)]);
    expect(reports[0]?.stdout).toBe("done\n");
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[2]).toEqual(reports[0]);
    expect(count("joined")).toBe(1);
  });

  it("goes on when its caller is killed, with its whole process group", async () => {
    const spec = host.runSpec({ key: "orphan", command: counting("orphan", "sleep 0.5; echo done") });
    const waiter = host.start(["run"], spec);
    await until("the tool", () => count("orphan") === 1);
    process.kill(-waiter.pid!, "SIGKILL");
    await waiter.outcome;
    expect(await host.run(spec)).toMatchObject({ failure: null, stdout: "done\n" });
    expect(count("orphan")).toBe(1);
  });

  it("fails its caller when the runner is killed, ends its tool, and starts afresh when called again", async () => {
    const spec = host.runSpec({ key: "killed", command: counting("killed", "sleep 31") });
    const waiter = host.start(["run"], spec);
    await until("the tool", () => running("sleep 31"));
    process.kill(runnerPid("killed"), "SIGKILL");
    const outcome = await waiter.outcome;
    expect(outcome).toMatchObject({ status: 1, stdout: "" });
    expect(outcome.stderr).toBe(
      "agent.py run: the runner of killed was ended before it had a report: call again to measure afresh\n",
    );
    expect(running("sleep 31")).toBe(false);
    expect(await host.run({ ...spec, command: counting("killed", "echo done") })).toMatchObject({
      failure: null,
      stdout: "done\n",
    });
    expect(count("killed")).toBe(2);
  });

  it("starts afresh over a killed runner's remains that nobody waited for", async () => {
    const spec = host.runSpec({ key: "remains", command: "sleep 32" });
    const waiter = host.start(["run"], spec);
    await until("the tool", () => running("sleep 32"));
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
});

describe("a tool that misbehaves", () => {
  it("is ended, with all its processes, when it outlasts its time and ignores being asked", async () => {
    const command = "trap '' TERM; sleep 33 & sleep 33 & wait; wait; sleep 33";
    const report = await host.run({ key: "stubborn", command, timeoutSeconds: 0.3 });
    expect(report).toMatchObject({
      timedOut: true,
      exitCode: 137,
      attempts: [{ timedOut: true, exitCode: 137 }],
    });
    expect(report.failure).toEqual({
      class: "timeout",
      message: "the tool was still running after 0.3 s and was ended",
    });
    expect(running("sleep 33")).toBe(false);
  });

  it("leaves no background process behind", async () => {
    expect(await host.run({ key: "background", command: "sleep 34 & echo done" })).toMatchObject({
      stdout: "done\n",
    });
    expect(running("sleep 34")).toBe(false);
  });

  it("is named when it is missing", async () => {
    const { failure } = await host.run({ key: "missing", command: "no-such-tool --fast" });
    expect(failure?.class).toBe("tool-missing");
    expect(failure?.message).toContain("no-such-tool");
  });

  it("is started again while its output says to, every attempt recorded", async () => {
    const spec = {
      command: counting("busy", "echo 'the server is busy' >&2; exit 3"),
      retry: { patterns: ["no match", "server is b.sy"], attempts: 3, delaySeconds: 0.05 },
    };
    const report = await host.run({ key: "busy", ...spec });
    expect(report.attempts.map(({ exitCode }) => exitCode)).toEqual([3, 3, 3]);
    expect(report).toMatchObject({ failure: null, exitCode: 3, stderr: "the server is busy\n" });
    expect(count("busy")).toBe(3);
    expect(readFileSync(join(host.directory, "runs/busy/stderr-1"), "utf8")).toBe("the server is busy\n");
  });

  it("waits for a busy iperf3 server", async () => {
    const port = String(host.prepareSpec.ports.iperf3);
    const other = spawn("iperf3", ["-c", "127.0.0.1", "-p", port, "-t", "2", "-b", "1M", "--forceflush"]);
    await once(other.stdout, "data");
    const report = await host.run({
      key: "server-busy",
      command: iperf3("-t 1"),
      reducer: "iperf3",
      retry: { patterns: ["server is busy"], attempts: 20, delaySeconds: 0.3 },
    });
    expect(report.attempts.length).toBeGreaterThan(1);
    expect(iperf3OutputSchema.parse(JSON.parse(report.stdout)).error).toBeUndefined();
    expect(readFileSync(join(host.directory, "runs/server-busy/stdout-1"), "utf8")).toContain(
      "server is busy",
    );
  });

  it("fails when the iperf3 server is killed, and the next one finds the server up again", async () => {
    const waiter = host.start(
      ["run"],
      host.runSpec({ key: "cut", command: iperf3("-t 8"), reducer: "iperf3" }),
    );
    await until("the test's data connection", () => established(host.prepareSpec.ports.iperf3) === 2);
    const server = host.processes().find(({ command }) => command.startsWith("iperf3 -s"));
    process.kill(server!.pid, "SIGKILL");
    const { stdout } = await waiter.outcome;
    const report = runReportSchema.parse(JSON.parse(stdout));
    expect(iperf3OutputSchema.parse(JSON.parse(report.stdout)).error).toMatch(/\w/);

    const next = await host.run({
      key: "after-cut",
      command: iperf3("-t 1"),
      reducer: "iperf3",
      retry: { patterns: ["Connection refused"], attempts: 20, delaySeconds: 0.2 },
    });
    expect(iperf3OutputSchema.parse(JSON.parse(next.stdout)).end?.sum_received?.bytes).toBeGreaterThan(0);
  });
});

describe("output", () => {
  it.each<[string, string, Partial<RunSpec>, string]>([
    ["nothing", "true", { reducer: "iperf3" }, ""],
    ["garbage", "echo not JSON {]", { reducer: "iperf3" }, "not JSON {]\n"],
    ["JSON that is no object", "echo 7", { reducer: "iperf3" }, "7\n"],
    [
      "an object of another kind",
      'echo \'{"end":[1],"intervals":{},"start":null}\'',
      { reducer: "iperf3" },
      "{}",
    ],
    ["some bytes", "printf 'a\\377\\000b'", {}, "a\ufffd\0b"],
  ])("that is %s goes on to the parser", async (name, command, changes, stdout) => {
    expect(await host.run({ key: name.replaceAll(" ", "-"), command, ...changes })).toMatchObject({
      failure: null,
      stdout,
    });
  });

  it.each<[string, string, RunSpec["reducer"], RegExp]>([
    ["long text", "head -c 200000 /dev/zero | tr '\\0' a", "none", /wrote 200000 bytes, 49152 are allowed/],
    ["long text for a reducer", "head -c 200000 /dev/zero | tr '\\0' {", "iperf3", /wrote 200000 bytes/],
    ["random bytes", "head -c 45000 /dev/urandom", "none", /allowed/],
    [
      "zeroes, which JSON writes sixfold",
      "head -c 40000 /dev/zero",
      "none",
      /the report would have \d+ bytes/,
    ],
    ["more than the disk should hold", "head -c 80000000 /dev/zero", "none", /more than 67108864 bytes/],
  ])("that is %s is cut and called bad", async (name, command, reducer, message) => {
    const { status, stdout } = await host.call(
      ["run"],
      host.runSpec({ key: name.replaceAll(/\W/g, "-"), command, reducer }),
    );
    expect(status).toBe(0);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(MAX_REPORT_BYTES + 1);
    const report = runReportSchema.parse(JSON.parse(stdout));
    expect(report.failure).toMatchObject({ class: "bad-output", message: expect.stringMatching(message) });
    expect(report.stdout).toMatch(/\n\[\.\.\. \d+ characters left out \.\.\.\]\n/);
    expect(statSync(report.rawFile!).size).toBeLessThanOrEqual(64 * 1024 * 1024);
  });

  it("keeps the end of a long stderr", async () => {
    const { stderr } = await host.run({ key: "stderr", command: "seq 1 9999 >&2; printf '\\033[1mend' >&2" });
    expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(2048);
    expect(stderr.endsWith("9999\n\u001b[1mend")).toBe(true);
  });
});

describe("the path", () => {
  const path = (changes: Partial<RunSpec["path"]>) => ({ ...host.runSpec().path, ...changes });

  it.each<[string, Partial<RunSpec["path"]>, RegExp]>([
    [
      "an unexpected source",
      { expected: ["203.0.113.7", "203.0.113.8"] },
      /saw 127\.0\.0\.1, expected 203\.0\.113\.7, 203\.0\.113\.8/,
    ],
    [
      "a forbidden source",
      { expected: [], forbidden: ["127.0.0.1"] },
      /saw 127\.0\.0\.1, which proves another path/,
    ],
  ])("is refused for %s, nothing measured", async (name, changes, message) => {
    const key = name.replaceAll(" ", "-");
    const report = await host.run({ key, command: counting(key, "true"), path: path(changes) });
    expect(report.failure).toMatchObject({ class: "path-mismatch", message: expect.stringMatching(message) });
    expect(report).toMatchObject({ sourceIp: "127.0.0.1", attempts: [], exitCode: null });
    expect(count(key)).toBe(0);
  });

  it("is taken as it is where no source is expected", async () => {
    expect((await host.run({ key: "any", path: path({ expected: [] }) })).failure).toBeNull();
  });

  it("that ends at a closed port is no route", async () => {
    const port = await freePort();
    const { failure } = await host.run({ key: "closed", path: path({ port }) });
    expect(failure?.class).toBe("no-route");
    expect(failure?.message).toMatch(new RegExp(`127\\.0\\.0\\.1:${port} in 3 tries: Connection refused`));
  });

  it("that ends at something else is no route", async () => {
    const { failure } = await host.run({ key: "sink", path: path({ port: host.prepareSpec.ports.connect }) });
    expect(failure).toMatchObject({
      class: "no-route",
      message: expect.stringContaining("connection closed"),
    });
  });

  it("that ends at a server which lies about addresses is no route", async () => {
    const liar = createServer((socket) => socket.end('{"nonce":"x"}\n{"sourceIp":["a","b"]}\n'));
    liar.listen(0, "127.0.0.1");
    await once(liar, "listening");
    const { port } = liar.address() as { port: number };
    const { failure } = await host.run({ key: "liar", path: path({ port }) });
    liar.close();
    expect(failure).toMatchObject({
      class: "no-route",
      message: expect.stringContaining("without a source address"),
    });
  });
});

describe("sampling", () => {
  it("fails no case: every host that cannot be sampled says why", async () => {
    const closed = await freePort();
    const liar = createServer((socket) =>
      socket.once("data", () => socket.end('{"cpu":{"series":7},"problem":null}\n')).write('{"nonce":"x"}\n'),
    );
    liar.listen(0, "127.0.0.1");
    await once(liar, "listening");
    const report = await host.run({
      key: "unsampled",
      command: "sleep 0.1",
      observe: [
        self({ host: "too-short" }),
        self({ host: "closed", role: "nat", port: closed }),
        self({ host: "liar", role: "router", port: (liar.address() as { port: number }).port }),
      ],
    });
    liar.close();
    expect(report.failure).toBeNull();
    expect(report.hosts).toEqual([
      {
        host: "too-short",
        role: "server",
        cpu: null,
        network: expect.objectContaining({ series: [] }),
        cpuTime: expect.objectContaining({ start: expect.anything() }),
        problem: "no sample: the case took less than a second",
      },
      {
        host: "closed",
        role: "nat",
        cpu: null,
        network: null,
        problem: `agent of closed at 127.0.0.1:${closed}: Connection refused`,
      },
      { host: "liar", role: "router", cpu: null, network: null, problem: "an answer without CPU figures" },
    ]);
  });

  it("says so when sysstat prints something else", async () => {
    const other = await agentHost("client", { PATH: `${bin}:${process.env.PATH}` });
    writeFileSync(join(bin, "sadf"), "#!/bin/sh\necho '{\"sysstat\":{}}'\n");
    chmodSync(join(bin, "sadf"), 0o755);
    try {
      await other.prepare();
      const report = await other.run({
        command: "sleep 0.1",
        observe: [self({ port: other.prepareSpec.ports.agent })],
      });
      expect(report.hosts[0]?.problem).toMatch(/sadf printed no CPU statistics$/);
    } finally {
      await other.dispose();
    }
  });

  it("starts this host's daemon again when it was killed", async () => {
    const client = await agentHost("client");
    try {
      await client.prepare();
      for (const { pid } of client.processes()) process.kill(pid, "SIGKILL");
      await until("its end", () => client.processes().length === 0);
      const report = await client.run({
        command: "sleep 1.2",
        path: host.runSpec().path,
        observe: [self({ port: client.prepareSpec.ports.agent })],
      });
      expect(report.hosts[0]).toMatchObject({ problem: null });
    } finally {
      await client.dispose();
    }
  });
});

describe("refuses", () => {
  it.each<[string, object, string]>([
    ["a key that leads elsewhere", { key: ".." }, 'key: expected 1 to 200 of A-Z a-z 0-9 . _ -, got ".."'],
    ["a key with a slash", { key: "a/b" }, 'got "a/b"'],
    ["no command", { command: "" }, 'command: expected a shell command, got ""'],
    [
      "a negative time-out",
      { timeoutSeconds: -1 },
      "timeoutSeconds: expected a number above 0, a week at most, got -1",
    ],
    ["an absurd time-out", { timeoutSeconds: 1e9 }, "timeoutSeconds: expected"],
    ["an unknown reducer", { reducer: "jq" }, 'reducer: expected iperf3 or none, got "jq"'],
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
