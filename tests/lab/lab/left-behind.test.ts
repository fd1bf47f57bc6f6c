/** What a run of tests leaves is ended, however the run ends, and fails a run that ends by itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hostsOf, testLab } from "../../helpers/lab-hosts.ts";
import { marked } from "../../helpers/left-behind.ts";

const LAB = "EGRESS_BENCH_HANGING_LAB";
const path = (of: string) => fileURLToPath(new URL(`../../${of}`, import.meta.url));

function start(file: string, lab: string) {
  const args = [path("run.ts"), "--config", path("fixtures/runs/vitest.config.ts"), file];
  return spawn(process.execPath, args, {
    env: { ...process.env, [LAB]: lab },
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Processes that the run started, its guard included; a lab host inherits no environment. */
const processesOf = (lab: string) => marked(`${LAB}=${lab}`).length;

test("a signal to the runner alone ends all that it started", async () => {
  const signals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const;
  const runs = signals.map((signal) => {
    const lab = testLab();
    return { signal, lab, run: start("hangs", lab) };
  });
  const left = ({ lab }: { readonly lab: string }) => [hostsOf(lab).length, processesOf(lab)];
  // The runner, its guard, vitest, its worker, the shell and its sleep.
  const isWhole = (one: (typeof runs)[number]) => hostsOf(one.lab).length === 1 && processesOf(one.lab) >= 6;
  await expect.poll(() => runs.every(isWhole), { timeout: 120_000 }).toBe(true);
  for (const { run, signal } of runs) run.kill(signal);
  await expect.poll(() => runs.flatMap(left), { timeout: 60_000 }).toEqual(Array(8).fill(0));
});

test("a process that a test leaves fails its run, which names it", async () => {
  const run = start("leaves", "none");
  const [said] = await Promise.all([text(run.stdout), once(run, "close")]);
  expect(said).toMatch(
    /left behind, and ended now:\n {2}process \d+: sleep 611\ntests: 1 passed, 1 failed, /,
  );
  expect(run.exitCode).toBe(1);
});
