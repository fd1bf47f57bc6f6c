/**
 * `npm run compare --cloud local` from up to down. Stacks that no other test uses, for these are by their real names. Set-up is
 * tested elsewhere, interrupts and `--resume` by `local.test.ts`, and in `tests/engine/cli/`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Results, resultsSchema } from "../../../bench/results/index.ts";
import { labOf } from "../../../cli/run/workspace.ts";
import { type Ended, startCli } from "../../helpers/cli.ts";
import { hostsOf } from "../../helpers/lab-hosts.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-compare-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function resultsOf(stack: string): Results {
  return resultsSchema.parse(JSON.parse(readFileSync(`${directory}/${stack}.json`, "utf8")));
}

const stacks = ["local-direct", "local-nat-instance"];
const deployed = () => stacks.flatMap((stack) => hostsOf(labOf(stack)));

describe("npm run compare --cloud local", () => {
  let run: Ended;
  beforeAll(async () => {
    const chosen = stacks.flatMap((stack) => ["--stack", stack]);
    const plan = `${directory}/plan.yaml`;
    writeFileSync(plan, "repeat: 2\ncases: [{ tool: connect, durationSeconds: 1 }]\n");
    const args = ["--cloud", "local", ...chosen, "--plan", plan, "--out", directory, "--json"];
    run = await startCli("compare.ts", args).ended;
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
      /^local-direct: \[1\/2\] direct {2}tcp-connect \(1 of 2\) \.\.\., about \d+ s$/m,
    );
    expect(run.stderr).toMatch(
      /^local-nat-instance: \[1\/2\] nat-instance {2}tcp-connect \(1 of 2\) {2}p50/m,
    );
  });

  test("leaves nothing behind", () => {
    expect(run.stderr).not.toContain("STILL DEPLOYED");
    expect(deployed()).toEqual([]);
  });
});
