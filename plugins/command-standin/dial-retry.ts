import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "./operation.ts";

// Pulumi's defaults: sdk/go/common/util/retry.
const FIRST_DELAY_MS = 100;
const BACKOFF = 1.5;
const MAX_DELAY_MS = 5000;

/**
 * Retries an operation at growing intervals.
 *
 * @param what Name of the operation, for the status that every failure shows
 * @param limit Most failures: with 2, the third one is thrown; below 0 there is no limit
 * @throws Error `after <limit> failed attempts: ...`, or the operation's reason to abort
 */
export async function retryDial<T>(
  operation: Operation,
  what: string,
  limit: number,
  attempt: () => Promise<T>,
): Promise<T> {
  let delay = FIRST_DELAY_MS;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (limit >= 0 && failures > limit) {
        throw new Error(`after ${limit} failed attempts: ${(error as Error).message}`, { cause: error });
      }
    }
    operation.logStatus(`${what} ${failures}/${limit === -1 ? "inf" : limit} failed: retrying`);
    await abortableSleep(delay, operation.signal);
    delay = Math.min(delay * BACKOFF, MAX_DELAY_MS);
  }
}

async function abortableSleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
