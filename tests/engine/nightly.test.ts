/**
 * The steps of docs/examples/nightly.yml and of action.yml, run in a fresh checkout with the real engine and stand-ins for
 * Azure. `npm ci` gives the packages of this project's set-up; that it follows the lock file:
 * `tests/release/npm-ci.test.ts`. Not proved: third-party actions, and that GitHub runs it in this way.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { handMadeResults } from "../fixtures/results/hand-made.ts";
import { type AzureEngine, createAzureEngine } from "../helpers/azure-native-standin/engine.ts";
import { freshCheckout } from "../helpers/checkout.ts";
import { runJob } from "../helpers/workflow.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-nightly-"));
const checkout = join(directory, "checkout");
let engine: AzureEngine;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  freshCheckout(checkout);
  // This machine has no service that returns its public address.
  appendFileSync(join(checkout, "stacks/Pulumi.compare.yaml"), '  ssh:allowedCidrs: ["203.0.113.7/32"]\n');
  engine = createAzureEngine();
  const { workspace } = await engine.stack("direct", "whole");
  const installed = programsIn("installed", {
    npm: `[ "$*" = ci ] && exec ln -s '${join(root, "node_modules")}' node_modules`,
  });
  const path = [installed, dirname(process.execPath), join(root, ".tools/bin"), process.env.PATH].join(":");
  environment = { ...process.env, ...workspace.envVars, PATH: path };
});
afterAll(() => {
  engine.dispose();
  rmSync(directory, { recursive: true, force: true });
});

const night = (id: string) =>
  runJob(join(checkout, "docs/examples/nightly.yml"), checkout, environment, { "github.run_id": id });
const statuses = (run: ReturnType<typeof night>) =>
  Object.fromEntries(run.ran.map(({ step, status }) => [step.split("\n")[0], status]));

it("the first night measures, destroys, reports and keeps a baseline", () => {
  const run = night("1");
  expect(run.ran.filter(({ status }) => status !== 0)).toEqual([]);
  expect(statuses(run)).toMatchObject({ "npm ci": 0, Measure: 0, Destroy: 0, "Report and judge": 0 });
  expect(run.outputs).toBe("verdict=no-baseline\n");
  expect(run.summary).toMatch(/^## egress-bench: no-baseline\n/);
  expect(run.summary).toContain("# "); // the report follows
  expect(engine.cloud().resources).toEqual({});
  expect(existsSync(join(checkout, "baseline.json"))).toBe(true);
}, 400_000);

it("a night with a regression fails, names it, and is no baseline for the next", () => {
  // The stand-in's hosts are silent: earlier measurements cannot be repeated.
  const results = JSON.parse(readFileSync(join(checkout, "out/results.json"), "utf8"));
  const [measured] = handMadeResults().cases;
  const [first, ...others] = results.cases;
  const baseline = {
    ...results,
    cases: [{ ...measured, id: first.id, topology: first.topology }, ...others],
  };
  writeFileSync(join(checkout, "baseline.json"), JSON.stringify(baseline));
  const run = runJob(
    join(checkout, "docs/examples/nightly.yml"),
    checkout,
    { ...environment, PATH: `${silentPath()}:${environment.PATH}` },
    { "github.run_id": "2" },
  );
  expect(statuses(run)).toMatchObject({ "Report and judge": 3 });
  expect(run.outputs).toBe("verdict=worse\n");
  expect(run.summary).toMatch(/^## egress-bench: worse\n\n {4}.*/);
  expect(run.summary).toContain(first.id);
  expect(JSON.parse(readFileSync(join(checkout, "baseline.json"), "utf8"))).toEqual(baseline);
}, 120_000);

/** npm and pulumi that do nothing: the second night judges the first one's measurements. */
function silentPath(): string {
  const results = join(checkout, "out/results.json");
  cpSync(results, `${results}.kept`);
  return programsIn("silent", { npm: "", pulumi: `[ "$2" != output ] || cat '${results}.kept'` });
}

/** Shell scripts by name, in a directory for PATH. */
function programsIn(name: string, scripts: Readonly<Record<string, string>>): string {
  const programs = join(directory, name);
  mkdirSync(programs);
  for (const [program, script] of Object.entries(scripts)) {
    writeFileSync(join(programs, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return programs;
}
