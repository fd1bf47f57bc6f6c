/** Whether processes had to wait for a CPU, from the kernel's own counter. */
import { readFileSync } from "node:fs";

/** Part of a measurement's time in which some process waits for a CPU, from which on the machine counts as starved. */
export const STARVED_SHARE = 0.2;

/** Milliseconds of waiting that no measurement of ours is spoilt by: what fails at once fails for another reason. */
const BEARABLE_MS = 100;

/** Most measurements without a verdict, as a part of all: more, and a run has shown too little. */
export const MOST_NOT_JUDGED = 0.05;

/** Two readings of the kernel's counter of waiting, and the time between them. */
export interface Waiting {
  readonly waitedMs: number;
  readonly elapsedMs: number;
}

/** Why a measurement is not judged; null: the machine was not starved. */
export function starvation({ waitedMs, elapsedMs }: Waiting): string | null {
  if (waitedMs < BEARABLE_MS || waitedMs / elapsedMs < STARVED_SHARE) return null;
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
