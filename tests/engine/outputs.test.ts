/**
 * The user's view of a cloud's stack with bare `pulumi`: its price before, the table after. The cloud is a stand-in whose
 * remote commands are silent, so every case fails.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OWN_RESULTS } from "../../cli/terminal/result-files.ts";
import { type AzureEngine, createAzureEngine } from "../helpers/azure-native-standin/engine.ts";

let engine: AzureEngine;
let stack: Stack;
beforeAll(async () => {
  engine = createAzureEngine();
  stack = await engine.stack("direct", "whole", { "egress-bench:plan": "rtt" });
  // As in setup/environment.sh.
  stack.workspace.envVars.PULUMI_OPTION_SUPPRESS_OUTPUTS = "true";
  delete stack.workspace.envVars[OWN_RESULTS];
});
afterAll(() => engine.dispose());

it("a preview states the stack's cost and duration once", async () => {
  const { stdout } = await stack.preview({ color: "never" });
  const said = /direct: measures for \d+ (s|min); \d\.\d\d USD an hour while deployed, traffic up to .* USD/g;
  // Without a terminal the engine prints messages as they come, and all of them again at the end.
  expect(stdout.split("Diagnostics:")[1]?.match(said)).toHaveLength(1);
});

it("an update ends with the table and how to get the report, not with all results", async () => {
  const { stdout } = await stack.up({ color: "never" });
  expect(stdout).not.toContain("USD an hour");
  expect(stdout).toMatch(/^ *case +direct\n/m);
  expect(stdout).toContain("tcp-ping-pong-350B  failed: bad-output");
  expect(stdout).toContain("Report: npm run report -- --stack direct");
  expect(stdout).not.toContain("Outputs:");
  expect(stdout).not.toContain("schemaVersion");
  // The file that the report reads, in the engine's directory.
  expect(stdout).toContain("Results: out/direct.json");
  // A state holds no empty lists, so what is read back may differ in them.
  const results = JSON.parse(readFileSync(join(engine.project, "out/direct.json"), "utf8"));
  expect(results).toMatchObject({ schemaVersion: 1, stack: "direct" });
});
