/**
 * `npm run local` as a newcomer runs it, but for shorter cases. Set-up is tested elsewhere.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resultsSchema } from "../../../bench/results/index.ts";
import { labOf } from "../../../cli/run/workspace.ts";
import { type Ended, startCli } from "../../helpers/cli.ts";
import { hostsOf } from "../../helpers/lab-hosts.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-local-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const local = (...args: string[]) => startCli("local.ts", args);
const labHosts = () => hostsOf(labOf("local-compare"));

describe("npm run local", () => {
  let run: Ended;
  beforeAll(async () => {
    run = await local("--duration", "1", "--out", `${directory}/results.json`).ended;
  });

  test("measures all, and says so by its exit status", () => {
    expect(run).toMatchObject({ code: 0 });
    const results = resultsSchema.parse(JSON.parse(readFileSync(`${directory}/results.json`, "utf8")));
    expect(results.cases.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
    expect(results.cases).toHaveLength(14);
  });

  test("prints a row a case and a column a topology", () => {
    const table = run.stdout.trim().split("\n");
    expect(table[0]).toMatch(/^case +direct +nat-instance$/);
    expect(table.filter((line) => /^(tcp|udp)-/.test(line))).toHaveLength(7);
    expect(table.find((line) => line.startsWith("tcp-egress "))).toMatch(/bit\/s +.*bit\/s \(\d+\.\d\dx\)$/);
  });

  test("tells how it is getting on", () => {
    expect(run.stderr).toMatch(/\[1\/14\] direct {2}tcp-egress {2}.*bit\/s/);
    expect(run.stderr).toMatch(/\[14\/14\] nat-instance {2}tcp-connect {2}p50/);
  });

  test("leaves nothing behind", () => {
    expect(labHosts()).toEqual([]);
  });
});

describe("npm run local, ended before its end", () => {
  const out = `${directory}/results.json`;
  const plan = `${directory}/plan.json`;
  const resultsIn = (file: string) => resultsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  let good: string;
  beforeAll(() => {
    good = readFileSync(out, "utf8");
    writeFileSync(
      plan,
      JSON.stringify({
        cases: [{ tool: "iperf3", streams: [1, 2, 3, 4, 5, 6, 7, 8], bitrate: "5M", durationSeconds: 1 }],
      }),
    );
  });
  const start = () => local("--plan", plan, "--out", out);
  const untilCase = (run: ReturnType<typeof local>, number: number) =>
    new Promise<void>((resolve) => {
      run.stderr?.on("data", (chunk) => String(chunk).includes(`[${number}/16]`) && resolve());
    });

  test("by Ctrl-C: keeps whole results, what was measured beside them, and the lab", async () => {
    const run = start();
    await untilCase(run, 3);
    run.kill("SIGINT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr.match(/interrupted/g)).toHaveLength(2);
    expect(stderr).not.toMatch(/error:/);
    expect(stderr).toMatch(/^STILL DEPLOYED \(interrupted\): local-compare, costs nothing\.$/m);
    expect(stderr).toContain(`npm run local -- --out ${out} --resume`);
    expect(stderr).toContain("npm run local -- --down\n");
    expect(readFileSync(out, "utf8")).toBe(good);
    const partial = resultsIn(`${directory}/results.partial.json`);
    expect(partial.cases.slice(0, 2).map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(partial.cases.at(-1)?.failure?.class).toBe("not-run");
    expect(labHosts()).not.toEqual([]);
  });

  test("is not started afresh, over what was measured, without being asked", async () => {
    const { code, stderr } = await start().ended;
    expect(stderr).toMatch(
      /stack local-compare holds an unfinished run, \d+ of 16 measured.*--resume.*--yes/,
    );
    expect(code).toBe(2);
    expect(labHosts()).not.toEqual([]);
  });

  test("by SIGKILL: nothing measured is lost, and --resume goes on; nobody else ends it meanwhile", async () => {
    const run = local("--resume", "--out", out);
    await untilCase(run, 5);
    const others = await Promise.all([[], ["--yes", "--down"]].map((args) => local(...args).ended));
    for (const { code, stderr } of others) {
      expect(stderr).toMatch(
        /stack local-compare: `npm run local` \(process \d+\) has been at work on it since/,
      );
      expect(code).toBe(1);
    }
    run.kill("SIGKILL");
    await run.ended;
    // Its engine may take a moment to see that nobody listens any more.
    await expect.poll(async () => (await local().ended).stderr).toMatch(/unfinished run, \d+ of 16 measured/);
    const resumed = await local("--resume", "--out", out).ended;
    expect(resumed).toMatchObject({ code: 0 });
    const whole = resultsIn(out);
    expect(whole.cases.map(({ status }) => status)).toEqual(Array(16).fill("ok"));
    expect(existsSync(`${directory}/results.partial.json`)).toBe(false);
    expect(labHosts()).toEqual([]);
  });
});

describe("npm run local, asked wrongly", () => {
  test.each([
    [["--durations", "1"], 2, /Unknown option '--durations'/],
    [["--stack", "nowhere"], 2, /--stack: there is no stacks\/Pulumi\.nowhere\.yaml/],
    [["--plan", "quik"], 2, /"quik".*quick, standard/],
    [["--duration=-1"], 2, /durationSeconds: .*"-1".*1 to 3600/],
    [["--duration", "0"], 2, /durationSeconds: .*"0".*1 to 3600/],
  ])("%j says what is wrong", async (args, status, message) => {
    const { code, stderr } = await local(...args).ended;
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(status);
  });

  test("--help explains every option", async () => {
    const { code, stdout } = await local("--help").ended;
    expect(code).toBe(0);
    for (const option of [
      "--stack",
      "--plan",
      "--duration",
      "--out",
      "--json",
      "--keep",
      "--resume",
      "--yes",
      "--down",
    ]) {
      expect(stdout).toContain(option);
    }
  });
});
