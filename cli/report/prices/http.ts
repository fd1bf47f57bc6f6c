/**
 * JSON from a price service: bounded in time and tries, with errors that say what came.
 *
 * @module
 */

export interface HttpOptions {
  /** For each try. @default 10000 */
  readonly timeoutMs?: number;
  /** Before the second try; doubled before the third. @default 500 */
  readonly backOffMs?: number;
}

/** A price service that did not answer as it should. */
export class PriceServiceError extends Error {
  override readonly name = "PriceServiceError";
}

const TRIES = 4;
/** A service that asks for a longer pause is left alone. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * Requests JSON, again when the service is busy or failing.
 *
 * @throws {PriceServiceError} naming the host and what came instead.
 */
export async function requestJson(url: URL, init: RequestInit, options: HttpOptions = {}): Promise<unknown> {
  let problem = "";
  let asked = 0;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) {
      const pause = Math.max(asked, (options.backOffMs ?? 500) * 2 ** (attempt - 1));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    const answer = await tryOnce(url, init, options.timeoutMs ?? 10_000);
    if ("json" in answer) {
      return answer.json;
    }
    problem = answer.problem;
    asked = answer.afterMs ?? 0;
    if (!answer.again || asked > LONGEST_PAUSE_MS) {
      break;
    }
  }
  throw new PriceServiceError(`${url.host}: ${problem}`);
}

type Answer =
  | { readonly json: unknown }
  | {
      readonly problem: string;
      readonly again: boolean;
      /** Pause that the service asks for (`Retry-After`, in seconds). */
      readonly afterMs?: number;
    };

async function tryOnce(url: URL, init: RequestInit, timeoutMs: number): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    const body = await response.text();
    if (!response.ok) {
      const seconds = Number(response.headers.get("retry-after") ?? 0);
      const afterMs = Number.isFinite(seconds) ? 1000 * seconds : 0;
      const again = response.status === 429 || response.status >= 500;
      return {
        problem: `expected HTTP 200, got ${response.status} ${body.slice(0, 120).trim()}`,
        again,
        afterMs,
      };
    }
    return parse(body);
  } catch (error) {
    const timedOut = (error as Error).name === "TimeoutError";
    const cause = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
    return {
      problem: timedOut ? `no answer within ${timeoutMs} ms` : `cannot be reached: ${cause}`,
      again: !timedOut,
    };
  }
}

function parse(body: string): Answer {
  try {
    return { json: JSON.parse(body) };
  } catch {
    return { problem: `expected JSON, got "${body.slice(0, 60)}"`, again: false };
  }
}
