/** What a preview of the whole program says of an account's quotas, through the real engine. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AwsEngine, createAwsEngine } from "../../helpers/aws-standin/engine.ts";

let engine: AwsEngine;
beforeAll(() => {
  engine = createAwsEngine();
});
afterAll(() => engine.dispose());

it("says before anything is made what a new account lacks, and stops nothing", async () => {
  const stack = await engine.wholeStack("aws-direct");
  const { stdout } = await stack.preview();
  expect(stdout).toMatch(/This stack needs 36 of vCPUs of on-demand Standard instances .*the limit is 5\./);
  expect(stdout).not.toMatch(/needs .* of VPCs/);
  expect(stdout).not.toContain("deprecated");
});

it("says nothing of an account that has enough", async () => {
  const stack = await engine.wholeStack("aws-direct", { "egress-bench:aws": { size: "small" } });
  expect((await stack.preview()).stdout).not.toMatch(/This stack needs|cannot be read/);
});
