/**
 * A measurement says something about the program only while its processes get the CPU. Where an assertion about one fails, the
 * kernel says whether processes had to wait for a CPU meanwhile: then the test is "not judged", and `npm test` counts it.
 */
import { readFileSync } from "node:fs";
import { TestRunner } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Set by {@link judged}: null, or why the test's measurement was not judged. */
    notJudged?: string | null;
  }
}

/** Part of a measurement's time in which some process waits for a CPU, from which on the machine counts as starved. */
export const STARVED_SHARE = 0.2;

/** Two readings of the kernel's counter of waiting, and the time between them. */
export interface Waiting {
  readonly waitedMs: number;
  readonly elapsedMs: number;
}

/** Why a measurement is not judged; null: the machine was not starved. */
export function starvation({ waitedMs, elapsedMs }: Waiting): string | null {
  if (elapsedMs <= 0 || waitedMs / elapsedMs < STARVED_SHARE) return null;
  return `processes waited for a CPU for ${Math.round(waitedMs)} of ${Math.round(elapsedMs)} ms`;
}

/**
 * Milliseconds, since the boot, in which some process waited for a CPU: the kernel's pressure figures (`some` of
 * docs.kernel.org/accounting/psi.html).
 *
 * @returns 0 on a kernel without them, where every measurement is judged
 */
function waitedMs(): number {
  try {
    const [, microseconds] = /^some .*total=(\d+)$/m.exec(readFileSync("/proc/pressure/cpu", "utf8")) ?? [];
    return Number(microseconds ?? 0) / 1000;
  } catch {
    return 0;
  }
}

/** Runs something. @returns why it is not to be judged, and the error that it ended with */
export async function watched(
  run: () => Promise<void>,
): Promise<{ starved: string | null; error?: unknown }> {
  const [waited, began] = [waitedMs(), performance.now()];
  const error: unknown = await run().catch((error: unknown) => error);
  const starved = starvation({ waitedMs: waitedMs() - waited, elapsedMs: performance.now() - began });
  return error === undefined ? { starved } : { starved, error };
}

/**
 * Measures and asserts, within a test. The test is not judged where either fails and the machine was starved meanwhile; nothing is
 * measured again.
 *
 * @param assert Assertions about the measurement.
 */
export async function judged<T>(
  measure: () => T | Promise<T>,
  assert: (found: T) => void | Promise<void>,
): Promise<void> {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error("judged() is called within a test, and not in a hook.");
  test.meta.notJudged ??= null;
  const judging = await watched(async () => {
    await assert(await measure());
  });
  if (judging.error === undefined) return;
  if (judging.starved === null) throw judging.error;
  test.meta.notJudged = `${judging.starved}: ${String(judging.error).split("\n", 1)[0]}`;
  test.context.skip(`not judged: ${test.meta.notJudged}`);
}
