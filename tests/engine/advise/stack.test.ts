/**
 * The stack that `--write-stack` writes, previewed as written: the whole program on the real engine, with stand-ins for the
 * clouds. Not proved: that the clouds accept it.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { writeStack } from "../../../packages/advise/cli/output.ts";
import { advise } from "../../../packages/advise/src/advice.ts";
import type { AdviceOptions } from "../../../packages/advise/src/types.ts";
import { priceSnapshots } from "../../../report/index.ts";
import { readPlanFile } from "../../../stacks/plan-file.ts";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { handMadeTraffic } from "../../unit/advise/hand-made.ts";

const engines = { aws: createAwsEngine(), azure: createAzureEngine() };
afterAll(() => {
  engines.aws.dispose();
  engines.azure.dispose();
});
const regions = { aws: "us-east-1", azure: "eastus" } as const;

/** Writes the stack and puts it into the engine's project, under another name. @returns number of its cases */
function write(cloud: "aws" | "azure", stackName: string): number {
  const options: AdviceOptions = {
    now: "nat-gateway",
    region: regions[cloud],
    regionFrom: "log",
    book: priceSnapshots[cloud],
    results: [],
    ranges: "test",
    madeAt: "2026-11-22T00:00:00.000Z",
  };
  const { project } = engines[cloud];
  const own = join(project, ".egress-bench/stacks");
  mkdirSync(own, { recursive: true });
  writeStack(advise(handMadeTraffic({ cloud }), options), "mine", own);
  const text = readFileSync(join(own, "Pulumi.mine.yaml"), "utf8");
  // Like `pulumi config set ssh:allowedCidrs`: the operator's address is not in flow logs.
  writeFileSync(
    join(project, "stacks", `Pulumi.${stackName}.yaml`),
    `${text}  ssh:allowedCidrs: ["203.0.113.7/32"]\n`,
  );
  return parsePlan(readPlanFile(join(own, "mine.plan.yaml"), project)).cases.length;
}

it("AWS: the present way out and a cheaper candidate, every case of the plan", async () => {
  const stack = await engines.aws.programStack('export { results, summary } from "./index.ts";');
  const cases = write("aws", "program");
  const { stdout } = await stack.preview({ color: "never" });
  const commands = stdout.match(/^ \+ .*command:remote:Command/gm) ?? [];
  expect(stdout).toMatch(/aws:ec2:NatGateway/);
  expect(stdout).toMatch(/aws:ec2:Instance nat-instance-nat-machine create/);
  // Each case on both, plus the hosts' preparation.
  expect(commands.length).toBeGreaterThan(2 * cases);
});

it("Azure: likewise", async () => {
  const stack = await engines.azure.stack("direct", "whole");
  const cases = write("azure", "direct");
  const { stdout } = await stack.preview({ color: "never" });
  expect(stdout).toMatch(/azure-native:network:NatGateway/);
  expect(stdout.match(/command:remote:Command/g)?.length).toBeGreaterThan(2 * cases);
});
