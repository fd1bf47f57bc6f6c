/**
 * The engine's output for an unusable configuration: the message, no stack trace, nothing made. One error of the program, and
 * one of the cloud's module; all refusals: `tests/unit/stacks/config.test.ts`, `tests/unit/bench/plan-refusals.test.ts`.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LabStack, openLabStack } from "../helpers/lab-stack.ts";

const sound = { cloud: "local", topologies: ["direct"] };

let lab: LabStack;
beforeAll(async () => {
  lab = await openLabStack(sound);
  // Stack traces as users get them.
  lab.stack.workspace.envVars.NODE_OPTIONS = "";
});
afterAll(() => lab.dispose());

test.each([
  ["cloud", "gcp", /egress-bench:cloud: expected one of azure, aws, local, hosts; got "gcp"/],
  ["local", { links: { client: { rate: "10X" } } }, /links\.client\.rate: .*10X/s],
])("%s: %j is refused", async (key, value, message) => {
  lab.configure({ [key]: value });
  const error: Error = await lab.stack.preview({ color: "never" }).then(
    () => new Error("nothing was refused"),
    (refused) => refused,
  );
  expect(error.message).toMatch(message);
  expect(error.message).not.toMatch(/\n\s+at .*\.ts:\d+/);
  expect(lab.hosts()).toEqual([]);
  lab.configure({ [key]: undefined, ...sound });
});
