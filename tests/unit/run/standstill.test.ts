/** A command that stood still says so beside the error. SIGSTOP itself is sent by hand only. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { choosePlan, readStackFile } from "../../../cli/pulumi/stack-file.ts";
import { StackRun } from "../../../cli/pulumi/stack-run.ts";
import { labWorkspace, readyMade } from "../../../cli/pulumi/workspace.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The error of an update that fails after some seconds, of which the command stands still for some. */
async function errorAfter(seconds: number, still: number): Promise<string> {
  const file = readStackFile("local-direct", readyMade);
  const stack = {
    name: "local-direct",
    up: async () => {
      await vi.advanceTimersByTimeAsync((seconds - still) * 1000);
      vi.setSystemTime(Date.now() + still * 1000);
      throw new Error("the connection ended");
    },
    exportStack: async () => ({ deployment: { resources: [] } }),
  };
  const progress = { step() {}, line() {}, stop() {} };
  const args = {
    file,
    plan: choosePlan(file, {}),
    workspace: labWorkspace,
    progress,
    serverAddress: "SERVER",
  };
  const run = new StackRun(
    { stack, isNew: true } as unknown as ConstructorParameters<typeof StackRun>[0],
    args as unknown as ConstructorParameters<typeof StackRun>[1],
  );
  const error = await run.measure(new AbortController().signal).catch((thrown: Error) => thrown.message);
  expect(vi.getTimerCount()).toBe(0);
  return String(error);
}

test.each([
  [60, 0],
  [60, 5],
])("%i s, %i of them still: only the error", async (seconds, still) => {
  expect(await errorAfter(seconds, still)).toBe("the connection ended");
});

test("a standstill is named with the error, and the way to go on", async () => {
  expect(await errorAfter(90, 30)).toMatch(
    /^the connection ended\n {2}this command stood still for 3\d s \(stopped, asleep, or its clock was set\), which may be why: use --resume$/,
  );
});
