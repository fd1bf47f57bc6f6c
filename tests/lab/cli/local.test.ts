/**
 * `npm run local` as a newcomer runs it, but for shorter cases. Set-up is tested elsewhere.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resultsSchema } from "../../../bench/results/index.ts";
import { labOf } from "../../../cli/run/workspace.ts";
import { type Ended, startCli } from "../../helpers/cli.ts";
import { hostsOf } from "../../helpers/lab-hosts.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-local-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const local = (...args: string[]) => startCli("local.ts", args);

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
    expect(hostsOf(labOf("local-compare"))).toEqual([]);
  });
});

describe("npm run local, interrupted", () => {
  test("keeps what was measured and takes the lab down", async () => {
    const out = `${directory}/interrupted.json`;
    const run = local("--duration", "1", "--out", out);
    await new Promise<void>((resolve) => {
      run.stderr?.on("data", (chunk) => /\[3\/14\]/.test(String(chunk)) && resolve());
    });
    run.kill("SIGINT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/Interrupted/);
    expect(hostsOf(labOf("local-compare"))).toEqual([]);
    const results = resultsSchema.parse(JSON.parse(readFileSync(out, "utf8")));
    expect(results.cases.slice(0, 2).map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(results.cases.at(-1)?.failure?.class).toBe("not-run");
  });
});

describe("npm run local, asked wrongly", () => {
  test.each([
    [["--durations", "1"], 2, /Unknown option '--durations'/],
    [["--stack", "nowhere"], 1, /--stack: there is no stacks\/Pulumi\.nowhere\.yaml/],
    [["--plan", "quik"], 1, /"quik".*quick, standard/],
    [["--duration=-1"], 1, /durationSeconds: .*"-1".*1 to 3600/],
    [["--duration", "0"], 1, /durationSeconds: .*"0".*1 to 3600/],
  ])("%j says what is wrong", async (args, status, message) => {
    const { code, stderr } = await local(...args).ended;
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(status);
  });

  test("--help explains every option", async () => {
    const { code, stdout } = await local("--help").ended;
    expect(code).toBe(0);
    for (const option of ["--stack", "--plan", "--duration", "--out", "--json", "--keep", "--down"]) {
      expect(stdout).toContain(option);
    }
  });
});
