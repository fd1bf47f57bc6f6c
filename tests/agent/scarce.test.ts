/**
 * A host with few allowed processes, by a real limit of its own account, since root has none; and one that gives the agent no
 * memory, by a limit of address space, or no time. A runner that is killed: run.test.ts.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AGENT_DIRECTORY } from "../../bench/agent/protocol.ts";
import { jsonOf } from "../../bench/agent/read-report.ts";
import { evaluate } from "../helpers/agent-host.ts";
import { isRunning, observed } from "../helpers/agent-runs.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

/** User ids that no process of the machine has. */
let uid = 2_000_000_000 + 100 * process.pid;
const host = preparedHost();

async function limited(limits: readonly string[], key: string) {
  uid += 1; // processes of the previous call may still be ending
  for (const path of ["", ...readdirSync(host.home, { recursive: true, encoding: "utf8" })]) {
    chownSync(join(host.home, path), uid, uid);
  }
  const as = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "prlimit", ...limits];
  const child = spawn("setpriv", [...as, "/usr/bin/python3", `${AGENT_DIRECTORY}/agent.py`, "run"], {
    cwd: host.home,
    env: { ...process.env, HOME: host.home },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(host.runSpec({ key, command: "sleep 0.1; echo done" })));
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { status: status as number | null, stdout, stderr };
}

describe("a host with few allowed processes", () => {
  it.each([
    [
      "none beside the agent",
      1,
      /^agent\.py run: this host cannot start another process: raise its limit of processes\n$/,
    ],
    [
      "no tool",
      2,
      /^agent\.py run: the runner of .* measures this case again \(this host cannot start another process: /,
    ],
  ])("says so: %s", async (name, count, says) => {
    const { status, stderr } = await limited([`--nproc=${count}`], `few.${count}`);
    expect([name, status]).toEqual([name, 1]);
    expect(stderr).toMatch(says);
  });

  it("reports a tool that could not start its own", async () => {
    const { stdout, stderr } = await limited(["--nproc=3"], "few.3");
    expect(JSON.parse(jsonOf(stdout || stderr))).toMatchObject({
      exitCode: 2,
      stderr: "sh: 1: Cannot fork\n",
    });
  });

  it("measures the same cases once it may start more", async () => {
    for (const key of ["few.1", "few.2"]) {
      const { stdout } = await limited([], key);
      expect(JSON.parse(jsonOf(stdout))).toMatchObject({ failure: null, stdout: "done\n" });
    }
  });
});

describe("an agent process without memory", () => {
  const limit = (pid: number, bytes: number | "unlimited") =>
    execFileSync("prlimit", ["--pid", String(pid), `--as=${bytes}:unlimited`]);
  const runner = (key: string) =>
    Number(readFileSync(join(host.directory, `runs/${key}/runner.pid`), "utf8"));
  const daemon = () =>
    host.processes().find(({ command }) => command.endsWith("agent.py serve"))?.pid ?? Number.NaN;

  it("does not hang: a runner ends with its reason, and the case is measured again", async () => {
    const spec = { key: "no-memory", command: "sleep 1.1; echo done", observe: [observed(host, {})] };
    const starved = host.start(["run"], host.runSpec(spec));
    await expect.poll(() => isRunning(host, "sleep 1.1")).toBe(true);
    limit(runner(spec.key), 0);
    const { status, stdout, stderr } = await starved.outcome;
    // Its remaining memory may suffice for a report.
    if (status === 0) expect(JSON.parse(jsonOf(stdout))).toMatchObject({ key: spec.key });
    else
      expect(stderr).toMatch(/measures this case again \((no memory left on this host|.*start new thread)/);
    expect(await host.run({ ...spec, hosts: "others" })).toMatchObject({ stdout: "done\n" });
  });

  it("reports too little memory from the start", async () => {
    for (let megabytes = 30; megabytes > 8; megabytes--) {
      const { status, stderr } = await limited([`--as=${megabytes * 2 ** 20}`], `little.${megabytes}`);
      if (status !== 0) {
        expect(stderr).toMatch(/no memory left on this host|Cannot allocate memory/);
        return;
      }
    }
    expect.unreachable("a Python that needs less than 9 MB");
  });

  it("does not block the daemon, which answers once it has memory again", async () => {
    const pid = daemon();
    for (const bytes of [0, 20 * 2 ** 20]) {
      limit(pid, bytes);
      for (let asked = 0; asked < 5; asked++) {
        // It closes the connection, or has no memory to take it.
        await Promise.race([host.ask({ op: "status" }).catch(() => null), delay(200)]);
      }
      limit(pid, "unlimited");
      await expect.poll(async () => (await host.ask({ op: "status" })).digest).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(daemon()).toBe(pid);
  });
});

describe("a hung agent process", () => {
  it("that is the runner is ended, and the case measured again", async () => {
    const key = "hangs";
    const waiting = host.start(["run"], host.runSpec({ key, command: "sleep 62" }));
    await expect.poll(() => isRunning(host, "sleep 62")).toBe(true);
    const pid = Number(readFileSync(join(host.directory, `runs/${key}/runner.pid`), "utf8"));
    process.kill(pid, "SIGSTOP");
    // What each call does once its time is over.
    expect(evaluate("run.wait_for_runner(data, 0.2)", join(host.directory, "runs", key))).toBe(
      "it was still busy after 0.2 s, longer than it may be",
    );
    expect((await waiting.outcome).stderr).toMatch(/the runner of hangs was ended before it had a report/);
    expect(await host.run({ key, command: "echo again" })).toMatchObject({ stdout: "again\n" });
  });

  it("that is the daemon is replaced by the next preparation", async () => {
    const pid = host.processes().find(({ command }) => command.endsWith("agent.py serve"))?.pid ?? Number.NaN;
    process.kill(pid, "SIGSTOP");
    expect(await host.prepare()).toMatchObject({ status: 0, stderr: "" });
    expect(host.processes().map((one) => one.pid)).not.toContain(pid);
  });
});
