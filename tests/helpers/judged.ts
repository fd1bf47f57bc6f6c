/**
 * A measurement says something about the program only while its processes get the CPU. Where an assertion about one fails, the
 * kernel says whether processes had to wait for a CPU meanwhile: then the test is "not judged", and `npm test` counts it.
 */
import { setTimeout as delay } from "node:timers/promises";
import { TestRunner } from "vitest";
import { watched } from "./starvation.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Set by {@link judged}: null, or why the test's measurement was not judged. */
    notJudged?: string | null;
  }
}

/** Time that a test has left when its measurement is given up. */
const DEADLINE_MS = 5000;

/**
 * Measures and asserts, within a test. The test is not judged where either fails and the machine was starved meanwhile; nothing is
 * measured again.
 *
 * @param assert Assertions about the measurement. @default it asserts by itself
 */
export async function judged<T>(
  measure: () => T | Promise<T>,
  assert: (found: T) => void | Promise<void> = () => {},
): Promise<void> {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error("judged() is called within a test, and not in a hook.");
  test.meta.notJudged ??= null;
  // Before the test's own time limit, which would fail it whatever the machine did.
  const late = delay(test.timeout - DEADLINE_MS, undefined, { ref: false }).then(() => {
    throw new Error("the measurement does not end");
  });
  late.catch(() => {});
  const judging = await watched(async () => {
    await assert(await Promise.race([Promise.resolve(measure()), late]));
  });
  if (judging.error === undefined) return;
  if (judging.starved === null) throw judging.error;
  test.meta.notJudged = `${judging.starved}: ${String(judging.error).split("\n", 1)[0]}`;
  test.context.skip(`not judged: ${test.meta.notJudged}`);
}
