/** Requests JSON from a price service, with limits on time and tries, and errors that show the answer. */
import {
  BusyError,
  type Pace,
  type Patience,
  PriceServiceError,
  patiently,
  retryAfterMs,
} from "./patience.ts";

/**
 * Requests JSON, again if the service is busy or failing.
 *
 * @throws {PriceServiceError} naming the host and its answer.
 */
export function requestJson(url: URL, patience: Patience, pace: Pace): Promise<unknown> {
  return patiently(() => tryOnce(url, patience.timeoutMs ?? 10_000), patience, pace);
}

async function tryOnce(url: URL, timeoutMs: number): Promise<unknown> {
  let response: Response;
  let body: string;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    body = await response.text();
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === "TimeoutError") {
      throw new PriceServiceError(`${url.host}: no answer within ${timeoutMs} ms`);
    }
    throw new BusyError(
      `${url.host}: cannot be reached: ${(cause as Error | undefined)?.message ?? message}`,
      0,
    );
  }
  if (!response.ok) {
    const problem = `${url.host}: expected HTTP 200, got ${response.status} ${body.slice(0, 120).trim()}`;
    throw response.status === 429 || response.status >= 500
      ? new BusyError(problem, retryAfterMs(response.headers.get("retry-after")))
      : new PriceServiceError(problem);
  }
  try {
    return JSON.parse(body);
  } catch {
    throw new PriceServiceError(`${url.host}: expected JSON, got "${body.slice(0, 60)}"`);
  }
}
