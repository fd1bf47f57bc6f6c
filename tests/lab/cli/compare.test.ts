/**
 * `npm run compare --cloud local` from up to down, and interrupted. Stacks that no other test uses, for these are by
 * their real names. Set-up is tested elsewhere.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Results, resultsSchema } from "../../../bench/results/index.ts";
import { labOf } from "../../../cli/run/workspace.ts";
import { type Ended, startCli } from "../../helpers/cli.ts";
import { hostsOf } from "../../helpers/lab-hosts.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-compare-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const compare = (...args: string[]) => startCli("compare.ts", ["--cloud", "local", ...args]);

function resultsOf(stack: string, out = directory): Results {
  return resultsSchema.parse(JSON.parse(readFileSync(`${out}/${stack}.json`, "utf8")));
}

const stacks = ["local-direct", "local-nat-instance"];
const deployed = () => stacks.flatMap((stack) => hostsOf(labOf(stack)));

describe("npm run compare --cloud local", () => {
  let run: Ended;
  beforeAll(async () => {
    const chosen = stacks.flatMap((stack) => ["--stack", stack]);
    run = await compare(...chosen, "--plan", "rtt", "--duration", "1", "--out", directory, "--json").ended;
  });

  test("measures every stack, one after the other, and writes results and one report", () => {
    expect(run).toMatchObject({ code: 0 });
    const { report, stacks: told } = JSON.parse(run.stdout);
    expect(told).toEqual(
      stacks.map((stack) => ({
        stack,
        results: `${directory}/${stack}.json`,
        problems: [],
        left: null,
        hourlyUsd: 0,
      })),
    );
    const [first, second] = stacks.map((stack) => resultsOf(stack));
    expect(first?.cases.map(({ status }) => status)).toEqual(["ok"]);
    expect(second?.cases.map(({ status }) => status)).toEqual(["ok"]);
    expect(Date.parse(first?.finishedAt ?? "")).toBeLessThan(Date.parse(second?.startedAt ?? ""));
    const page = readFileSync(report, "utf8");
    expect(page).toContain("local-direct (local), local-nat-instance (local)");
  });

  test("says what it costs and how it is getting on", () => {
    expect(run.stderr).toMatch(/^local-direct: measures for \d+ s; costs nothing$/m);
    expect(run.stderr).toMatch(
      /^local-direct: \[1\/3\] direct {2}tcp-ping-pong-350B \(1 of 3\) \.\.\., about \d+ s$/m,
    );
    expect(run.stderr).toMatch(
      /^local-nat-instance: \[1\/3\] nat-instance {2}tcp-ping-pong-350B \(1 of 3\) {2}p50/m,
    );
  });

  test("leaves nothing behind", () => {
    expect(run.stderr).not.toContain("STILL DEPLOYED");
    expect(deployed()).toEqual([]);
  });
});

describe("npm run compare, interrupted", () => {
  const out = `${directory}/interrupted`;
  const stack = ["--stack", "local-direct", "--out", out];

  test("keeps what was measured, says what is left, and goes on with --resume", async () => {
    const plan = join(directory, "plan.json");
    const cases = [{ tool: "iperf3", streams: [1, 2, 3, 4, 5, 6, 7], bitrate: "5M", durationSeconds: 1 }];
    writeFileSync(plan, JSON.stringify({ cases }));
    const run = compare(...stack, "--plan", plan);
    await new Promise<void>((resolve) => {
      run.stderr?.on("data", (chunk) => /\[4\/7\]/.test(String(chunk)) && resolve());
    });
    run.kill("SIGINT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^STILL DEPLOYED \(interrupted\): local-direct, costs nothing\.$/m);
    expect(stderr).toMatch(/go on: .*--stack local-direct .*--resume$/m);
    expect(stderr).toMatch(/destroy: .*--stack local-direct --down$/m);
    expect(hostsOf(labOf("local-direct"))).not.toEqual([]);
    const before = resultsOf("local-direct.partial", out);
    expect(before.cases.slice(0, 3).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(before.cases.at(-1)?.failure?.class).toBe("not-run");

    const resumed = await compare(...stack, "--resume").ended;
    expect(resumed).toMatchObject({ code: 0 });
    const after = resultsOf("local-direct", out);
    expect(after.runId).toBe(before.runId);
    expect(after.cases.map(({ status }) => status)).toEqual(Array(7).fill("ok"));
    // Measured once: the very same measurement.
    expect(after.cases.slice(0, 3).map(({ startedAt }) => startedAt)).toEqual(
      before.cases.slice(0, 3).map(({ startedAt }) => startedAt),
    );
    expect(deployed()).toEqual([]);
  });

  test("has nothing to go on with afterwards", async () => {
    const { code, stderr } = await compare(...stack, "--resume").ended;
    expect(stderr).toMatch(/--resume: stack local-direct: there is no run to go on with/);
    expect(code).toBe(2);
  });
});

test("npm run compare --down with nothing deployed does nothing", async () => {
  const out = `${directory}/down`;
  expect(await compare("--stack", "local-direct", "--down", "--out", out).ended).toMatchObject({ code: 0 });
  expect(existsSync(out)).toBe(false);
});
