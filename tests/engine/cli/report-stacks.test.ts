/** `npm run report -- --stack`: reads results from the states of real stacks, without changing them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { createEngine, type Engine } from "../../helpers/pulumi.ts";

const program = join(import.meta.dirname, "../../../cli/main.ts");
const out = mkdtempSync(join(tmpdir(), "egress-bench-report-"));
let engine: Engine;

function few(stack: string): Results {
  const whole = handMadeResults({ stack });
  return { ...whole, cases: whole.cases.filter(({ id }) => id === "tcp-egress") };
}

const measured = ["measured-a", "measured-b"] as const;

beforeAll(async () => {
  engine = createEngine();
  const made = [
    await engine.stack("measured-a", async () => ({ results: few("measured-a") }), "egress-bench"),
    await engine.stack(
      "measured-b",
      async () => ({ results: pulumi.secret(few("measured-b")) }),
      "egress-bench",
    ),
  ];
  await engine.stack("unmeasured", async () => {}, "egress-bench");
  await Promise.all(made.map((stack) => stack.up()));
});
afterAll(() => {
  engine.dispose();
  rmSync(out, { recursive: true, force: true });
});

it("combines the results of several stacks in one report, and names a stack without results and a missing one", () => {
  const stacks = [...measured, "unmeasured", "nowhere", "measured-c"].flatMap((stack) => ["--stack", stack]);
  const { status, stderr } = spawnSync(process.execPath, [program, "report", ...stacks, "--out", out], {
    cwd: out,
    encoding: "utf8",
    // Of a person's own, at which any call of Pulumi ends in a panic.
    env: { ...process.env, ...engine.environment, PULUMI_OPTION_PARALLEL: "x" },
  });
  expect(stderr).toContain(
    "egress-bench report: stack unmeasured: output results: there is none; run: pulumi up --stack unmeasured",
  );
  expect(stderr).toMatch(
    /^egress-bench report: stack nowhere: cannot be read: .*nowhere.*; there are measured-a, measured-b, unmeasured$/m,
  );
  expect(stderr).toMatch(
    /^egress-bench report: stack measured-c: .*; did you mean measured-a or measured-b\?$/m,
  );
  expect(stderr.trim().split("\n")).toHaveLength(3);
  expect(status).toBe(1);
  const csv = readFileSync(join(out, "report.csv"), "utf8");
  for (const stack of measured) {
    expect(csv).toMatch(
      new RegExp(`^${stack},azure,1,direct,direct,tcp-egress,.*,throughput,bit/s,11500000000,`, "m"),
    );
  }
  expect(readFileSync(join(out, "report.md"), "utf8")).toContain("measured-a (azure)");
});
