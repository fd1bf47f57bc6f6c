/** `npm run report -- --stack`: results read from the states of real stacks, which stay as they are. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { createEngine, type Engine } from "../../helpers/pulumi.ts";

const program = join(import.meta.dirname, "../../../cli/report.ts");
const out = mkdtempSync(join(tmpdir(), "egress-bench-report-"));
let engine: Engine;

/** A stack of the project whose outputs are these. */
async function stackWith(stackName: string, outputs: Record<string, unknown>): Promise<void> {
  const stack = await engine.stack(stackName, async () => outputs, "egress-bench");
  await stack.up();
}

function few(stack: string): Results {
  const whole = handMadeResults({ stack });
  return { ...whole, cases: whole.cases.filter(({ id }) => id === "tcp-egress") };
}

const report = (...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], {
    cwd: out,
    encoding: "utf8",
    env: { ...process.env, ...engine.environment },
  });

beforeAll(async () => {
  engine = createEngine();
  await stackWith("measured-a", { results: few("measured-a") });
  await stackWith("measured-b", { results: few("measured-b") });
  await stackWith("unmeasured", {});
});
afterAll(() => {
  engine.dispose();
  rmSync(out, { recursive: true, force: true });
});

it("puts the results of several stacks into one report", () => {
  const { status, stderr } = report("--stack", "measured-a", "--stack", "measured-b", "--out", out);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const csv = readFileSync(join(out, "report.csv"), "utf8");
  for (const stack of ["measured-a", "measured-b"]) {
    expect(csv).toMatch(
      new RegExp(`^${stack},azure,1,direct,direct,tcp-egress,.*,throughput,bit/s,11500000000,`, "m"),
    );
  }
});

it("shows the others and names a stack without results, and one that is not there", () => {
  const stacks = ["measured-a", "unmeasured", "nowhere"].flatMap((stack) => ["--stack", stack]);
  const { status, stderr } = report(...stacks, "--out", out);
  expect(status).toBe(1);
  expect(stderr).toContain(
    "npm run report: stack unmeasured: output results: there is none; run: pulumi up --stack unmeasured",
  );
  expect(stderr).toMatch(/^npm run report: stack nowhere: cannot be read: .*nowhere/m);
  expect(stderr.trim().split("\n")).toHaveLength(2);
  expect(readFileSync(join(out, "report.md"), "utf8")).toContain("measured-a (azure)");
});
