/**
 * The example of a Grafana dashboard, by the types of Grafana's own SDK (Apache-2.0), from PyPI: every field of it is one
 * of Grafana's. Opt-in, because it fetches the package: `npm test -- --project languages`. Not shown: how Grafana draws it,
 * which no registry serves.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const packages = mkdtempSync(`${tmpdir()}/egress-bench-grafana-`);
afterAll(() => rmSync(packages, { recursive: true, force: true }));

const example = new URL("../../docs/examples/nat-instance-dashboard.json", import.meta.url);
const reader = fileURLToPath(new URL("grafana.py", import.meta.url));

beforeAll(() => {
  const pinned = "grafana-foundation-sdk==1769699998!10.1.0";
  execFileSync("python3", ["-m", "pip", "install", "--quiet", "--no-deps", "--target", packages, pinned], {
    stdio: "pipe",
  });
});

function unknown(dashboard: unknown): string[] {
  const env = { ...process.env, PYTHONPATH: packages };
  const said = execFileSync("python3", [reader], { input: JSON.stringify(dashboard), encoding: "utf8", env });
  return said.trim().split("\n").filter(Boolean);
}

test("Grafana knows every field of the dashboard, and a misspelt one is detected anywhere", () => {
  const dashboard = JSON.parse(readFileSync(example, "utf8"));
  expect(unknown(dashboard)).toEqual([]);
  const [panel, ...others] = dashboard.panels;
  const options = { ...panel.options, legendd: {} };
  const defaults = { ...panel.fieldConfig.defaults, untit: "bps" };
  const fieldConfig = { ...panel.fieldConfig, defaults };
  const targets = panel.targets.map((target: object) => ({ ...target, exprr: "x" }));
  const misspelt = {
    ...dashboard,
    titel: "x",
    panels: [{ ...panel, options, fieldConfig, targets }, ...others],
  };
  expect(unknown(misspelt).sort()).toEqual([
    ".panels[0].fieldConfig.defaults.untit",
    ".panels[0].options.legendd",
    ".panels[0].targets[0].exprr",
    ".titel",
  ]);
});
