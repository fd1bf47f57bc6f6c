/**
 * A host that may start few processes, by a real limit of an account of its own, since root has none; and one whose kernel
 * ends the runner for memory.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AGENT_DIRECTORY } from "../../agent/protocol.ts";
import { type AgentHost, agentHost } from "../helpers/agent-host.ts";
import { isRunning } from "../helpers/agent-runs.ts";

/** No process of the machine is this user's, or of those after it. */
let uid = 2_000_000_000 + 100 * process.pid;
let host: AgentHost;
beforeAll(async () => {
  host = await agentHost("server");
  expect(await host.prepare()).toMatchObject({ status: 0, stderr: "" });
});
afterAll(() => host.dispose());

async function limited(limits: readonly string[], key: string) {
  uid += 1; // processes of the call before may still be ending
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

describe("a host that may start few processes", () => {
  it.each([
    [
      "none beside the agent",
      1,
      /^agent\.py run: this host may start no further process: raise its limit of processes\n$/,
    ],
    [
      "no tool",
      2,
      /^agent\.py run: the runner of .* measures this case again \(this host may start no further process: /,
    ],
  ])("says so: %s", async (name, count, says) => {
    const { status, stderr } = await limited([`--nproc=${count}`], `few.${count}`);
    expect([name, status]).toEqual([name, 1]);
    expect(stderr).toMatch(says);
  });

  it("reports a tool that could not start its own", async () => {
    const { stdout, stderr } = await limited(["--nproc=3"], "few.3");
    expect(JSON.parse(stdout || stderr)).toMatchObject({ exitCode: 2, stderr: "sh: 1: Cannot fork\n" });
  });

  it("measures the same cases once it may", async () => {
    for (const key of ["few.1", "few.2"]) {
      const { stdout } = await limited([], key);
      expect(JSON.parse(stdout)).toMatchObject({ failure: null, stdout: "done\n" });
    }
  });
});

it("what is killed for memory is said to have ended, and measured again", async () => {
  const killed = host.start(["run"], host.runSpec({ key: "memory", command: "sleep 61" }));
  await expect.poll(() => isRunning(host, "sleep 61")).toBe(true);
  // As the kernel does it: without a word.
  process.kill(Number(readFileSync(join(host.directory, "runs/memory/runner.pid"), "utf8")), "SIGKILL");
  const { status, stderr } = await killed.outcome;
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /the runner of memory was ended before it had a report; the next `pulumi up` measures/,
  );
  expect(await host.run({ key: "memory", command: "echo again" })).toMatchObject({ stdout: "again\n" });
  expect(isRunning(host, "sleep 61")).toBe(false);
});
