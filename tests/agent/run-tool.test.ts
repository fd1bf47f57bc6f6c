/** The handling of misbehaving tools and their output by `agent.py run`, on loopback. */

import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAX_REPORT_BYTES, type RunSpec, runReportSchema } from "../../bench/agent/protocol.ts";
import { jsonOf } from "../../bench/agent/read-report.ts";
import { iperf3OutputSchema } from "../../bench/tools/iperf3/output.ts";
import { counting, executions, iperf3Of, isRunning } from "../helpers/agent-runs.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const host = preparedHost();

const iperf3 = (options: string) => iperf3Of(host, options);
const count = (name: string) => executions(host, name);
const running = (command: string) => isRunning(host, command);
/** Connections accepted by a port of this machine. */
const established = (port: number): number => {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return rows.filter((row) => {
    const [, address, , state] = row.trim().split(/\s+/);
    return address?.endsWith(local) && state === "01";
  }).length;
};

describe("a tool that misbehaves", () => {
  it("is killed, with all its processes, when it outlasts its time and ignores SIGTERM", async () => {
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

  it("is killed after its time, and not if it ends soon after", async () => {
    const report = await host.run({ key: "late", command: "sleep 3", timeoutSeconds: 1.5 });
    expect(report).toMatchObject({ timedOut: true, failure: { class: "timeout" } });
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

  it("is restarted while its output asks for it, and every attempt is recorded", async () => {
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
    const port = String(host.ports.iperf3);
    const other = spawn("iperf3", ["-c", "127.0.0.1", "-p", port, "-t", "2", "-b", "1M", "--forceflush"]);
    await once(other.stdout, "data");
    const report = await host.run({
      key: "server-busy",
      command: iperf3("-t 1 -b 10M"),
      reducer: "iperf3",
      retry: { patterns: ["server is busy"], attempts: 20, delaySeconds: 0.3 },
    });
    expect(report.attempts.length).toBeGreaterThan(1);
    expect(iperf3OutputSchema.parse(JSON.parse(report.stdout)).error).toBeUndefined();
    expect(readFileSync(join(host.directory, "runs/server-busy/stdout-1"), "utf8")).toContain(
      "server is busy",
    );
  });

  it("has its server restarted before the last attempt, since it may serve a client that is gone", async () => {
    const port = String(host.ports.iperf3);
    const other = spawn("iperf3", ["-c", "127.0.0.1", "-p", port, "-t", "60", "-b", "1M", "--forceflush"]);
    await once(other.stdout, "data");
    other.kill("SIGSTOP");
    const report = await host.run({
      key: "client-gone",
      command: iperf3("-t 1 -b 10M"),
      reducer: "iperf3",
      retry: { patterns: ["server is busy"], attempts: 3, delaySeconds: 0.5 },
    });
    other.kill("SIGKILL");
    expect(report.attempts).toHaveLength(3);
    expect(iperf3OutputSchema.parse(JSON.parse(report.stdout)).error).toBeUndefined();
  });

  it("has a server that answers, though a cut datagram stopped the last one and a connection to it lingers", async () => {
    const port = host.ports.sockperf;
    const [held, cut] = [connect(port, "127.0.0.1"), createSocket("udp4")];
    await once(
      held.on("error", () => {}),
      "connect",
    );
    const command = `sockperf ping-pong -i 127.0.0.1 -p ${port} -t 1 -m 64 --full-rtt`;
    for (const more of ["", " --tcp", ""]) {
      await new Promise((sent) => cut.send(new Uint8Array(6), port, "127.0.0.1", sent));
      const key = `renewed-${performance.now()}`;
      const { stdout } = await host.run({ key, command: command + more, renew: [port] });
      expect(stdout).toMatch(/Total \d+ observations/);
    }
    held.destroy();
    cut.close();
  });

  it("fails when the iperf3 server is killed, and the next run finds the server up again", async () => {
    const waiter = host.start(
      ["run"],
      host.runSpec({ key: "cut", command: iperf3("-t 8 -b 10M"), reducer: "iperf3" }),
    );
    await expect.poll(() => established(host.ports.iperf3)).toBe(2); // control and data
    const server = host.processes().find(({ command }) => command.startsWith("iperf3 -s"));
    process.kill(server!.pid, "SIGKILL");
    const { stdout } = await waiter.outcome;
    const report = runReportSchema.parse(JSON.parse(jsonOf(stdout)));
    expect(iperf3OutputSchema.parse(JSON.parse(report.stdout)).error).toMatch(/\w/);

    const next = await host.run({
      key: "after-cut",
      command: iperf3("-t 1 -b 10M"),
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
  ])("that is %s reaches the parser", async (name, command, changes, stdout) => {
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
    [
      "more output than the disk should hold",
      "head -c 80000000 /dev/zero",
      "none",
      /more than 67108864 bytes/,
    ],
  ])("that is %s is cut and called bad", async (name, command, reducer, message) => {
    const { status, stdout } = await host.call(
      ["run"],
      host.runSpec({ key: name.replaceAll(/\W/g, "-"), command, reducer }),
    );
    expect(status).toBe(0);
    expect(Buffer.byteLength(jsonOf(stdout))).toBeLessThanOrEqual(MAX_REPORT_BYTES + 1);
    const report = runReportSchema.parse(JSON.parse(jsonOf(stdout)));
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
