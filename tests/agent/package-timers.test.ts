/**
 * Package runs are held back during measurements, by the lock that Debian's and Ubuntu's timers wait for.
 *
 * Not proved: that a release's timers still take this lock; this machine's script does.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { type AgentHost, agentHost, evaluate } from "../helpers/agent-host.ts";

let host: AgentHost | undefined;
afterEach(async () => {
  await host?.dispose();
  host = undefined;
});

/** A host whose package runs use the test's own lock. */
async function hostWithLock(): Promise<{ host: AgentHost; isFree: () => boolean }> {
  const before = process.env.EGRESS_BENCH_APT_LOCK;
  const lock = join("/tmp", `egress-bench-apt-${process.pid}-${Math.random().toString(36).slice(2)}`);
  process.env.EGRESS_BENCH_APT_LOCK = lock;
  try {
    host = await agentHost("client", { EGRESS_BENCH_APT_LOCK: lock });
  } finally {
    process.env.EGRESS_BENCH_APT_LOCK = before;
    if (before === undefined) delete process.env.EGRESS_BENCH_APT_LOCK;
  }
  const own = host;
  const dispose = own.dispose;
  own.dispose = async () => {
    await dispose();
    rmSync(lock, { force: true });
  };
  return { host: own, isFree: () => spawnSync("flock", ["-n", lock, "true"]).status === 0 };
}

it("waits for the lock that the timers' script takes", () => {
  const script = "/usr/lib/apt/apt.systemd.daily";
  expect(evaluate("package_timers.LOCK_FILE")).toBe("/var/lib/apt/daily_lock");
  if (existsSync(script)) {
    const text = readFileSync(script, "utf8");
    expect(text).toContain("{StateDir}/daily_lock");
    expect(text).toMatch(/flock -w 3600 3/);
  }
});

it("are held back from the first case on, and run again when the agent has ended", async () => {
  const { host: own, isFree } = await hostWithLock();
  expect(await own.prepare()).toMatchObject({ status: 0 });
  expect(isFree()).toBe(true);
  expect(await own.ask({ op: "observe-start", id: "one", maxSeconds: 5 })).toEqual({ ok: true });
  await expect.poll(isFree).toBe(false);
  await own.ask({ op: "observe-stop", id: "one" });
  // Held between cases as well.
  expect(isFree()).toBe(false);
  await own.call(["stop"]);
  await expect.poll(isFree).toBe(true);
});

it("run again even if the agent is killed", async () => {
  const { host: own, isFree } = await hostWithLock();
  await own.prepare();
  await own.ask({ op: "observe-start", id: "one", maxSeconds: 5 });
  await expect.poll(isFree).toBe(false);
  const daemon = own.processes().find(({ command }) => command.endsWith("serve"));
  process.kill(daemon?.pid as number, "SIGKILL");
  await vi.waitFor(() => expect(isFree()).toBe(true), { timeout: 5000 });
});

it("run again some time after the last case", () => {
  const held = evaluate(
    `(lambda made: [setattr(package_timers, 'GRACE_SECONDS', 0.0), made.quiet(0.2), made._holder is not None,
      __import__('time').sleep(1), made._holder])(__import__('os').environ.update(EGRESS_BENCH_APT_LOCK=data) or package_timers.PackageTimers())`,
    join("/tmp", `egress-bench-apt-${process.pid}`),
  );
  expect((held as unknown[]).slice(2)).toEqual([true, null, null]);
  rmSync(join("/tmp", `egress-bench-apt-${process.pid}`), { force: true });
});
