/**
 * What the program of a whole comparison needs of the operator's machine.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AwsEngine, createAwsEngine } from "../../helpers/aws-standin/engine.ts";

let engine: AwsEngine;
beforeAll(() => {
  engine = createAwsEngine();
});
afterAll(() => engine.dispose());

it("a preview of aws-compare stays small", async () => {
  const stack = await engine.stack("aws-compare");
  await stack.preview();
  const { seconds, megabytes } = engine.measured();
  console.log(`The program took ${seconds.toFixed(1)} s and ${megabytes.toFixed(0)} MB.`);
  // Uncollected garbage makes the figure vary by a fifth.
  expect(megabytes).toBeLessThan(250);
});
