/**
 * Questions to a price service: few at once, again when it is busy, and not before it wants to be asked again.
 */

/** How patient a program is with a price service. */
export interface Patience {
  /** For each try. @default 10000 */
  readonly timeoutMs?: number;
  /** Before the second try; doubled before each further one. @default 500 */
  readonly backOffMs?: number;
}

/** A price service that did not answer as it should. */
export class PriceServiceError extends Error {
  override readonly name = "PriceServiceError";
}

/** A service that may answer when it is asked again. */
export class BusyError extends Error {
  override readonly name = "BusyError";
  /** Pause that the service asks for, in milliseconds; 0: none. */
  readonly afterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

const TRIES = 4;
/** A service that asks for a longer pause is left alone. */
const LONGEST_PAUSE_MS = 60_000;
/** Services answer 429 to more. */
const AT_ONCE = 2;

/** A pause that one question was asked for holds for the others too. */
export interface Pace {
  /** As `performance.now()` counts. */
  notBefore: number;
}

/** @throws {PriceServiceError} when it stays busy, or wants a pause of more than a minute */
export async function patiently<T>(
  ask: () => Promise<T>,
  { backOffMs = 500 }: Patience,
  pace: Pace,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await until(pace);
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BusyError)) {
        throw error;
      }
      if (attempt === TRIES || error.afterMs > LONGEST_PAUSE_MS) {
        throw new PriceServiceError(error.message);
      }
      const pause = Math.max(error.afterMs, backOffMs * 2 ** (attempt - 1));
      pace.notBefore = Math.max(pace.notBefore, performance.now() + pause);
    }
  }
}

async function until(pace: Pace): Promise<void> {
  // Another question may make the pause longer while this one waits.
  for (let rest = pace.notBefore - performance.now(); rest > 0; rest = pace.notBefore - performance.now()) {
    const pause = rest;
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(pause)));
  }
}

/** Milliseconds of a `Retry-After` in seconds or as a date; 0: there is none. */
export function retryAfterMs(header: string | null | undefined, now = Date.now()): number {
  const text = header?.trim() ?? "";
  const wait = /^\d+(\.\d+)?$/.test(text) ? 1000 * Number(text) : Date.parse(text) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}

/** Answers or errors, in the order of the questions; two are asked at once. An error leaves the other answers alone. */
export async function answersTo<Q, A>(
  questions: readonly Q[],
  ask: (question: Q) => Promise<A>,
): Promise<(A | Error)[]> {
  const answers: (A | Error)[] = [];
  const left = [...questions.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, question] = next;
      answers[at] = await ask(question).catch((error: Error) => error);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}

/** Prices by the first unit that each is for; or why they make no tiers. @param rows What the service calls its prices. */
export function tiersOf(
  prices: readonly (readonly [from: number, price: number])[],
  rows: string,
): { from: number; price: number }[] | string {
  const tiers = new Map(prices);
  if (prices.some(([from, price]) => tiers.get(from) !== price)) {
    return `several ${rows} with different prices`;
  }
  const sorted = [...tiers].sort(([a], [b]) => a - b).map(([from, price]) => ({ from, price }));
  return sorted[0]?.from === 0 ? sorted : "no price for the first unit";
}

/** Found prices, and what is wrong with the others. */
export interface Fetched<P> {
  readonly prices: P[];
  readonly problems: string[];
  /** Whether each question was answered, if only by "no price": what was not is worth another try. */
  readonly whole: boolean;
}

/**
 * Prices of some meters, each chosen from its service's answer.
 *
 * @param choose A price, or why the answer has none.
 * @throws the first error, when no question was answered
 */
export function pricesOf<W, A, P extends object>(
  wanted: readonly W[],
  answers: readonly (A | Error)[],
  choose: (wanted: W, answer: A) => P | string,
  failed: (wanted: W, error: Error) => string,
): Fetched<P> {
  const errors = answers.filter((answer) => answer instanceof Error);
  if (errors[0] !== undefined && errors.length === answers.length) {
    throw errors[0];
  }
  const chosen = wanted.map((one, at) => {
    const answer = answers[at] as A | Error;
    return answer instanceof Error ? failed(one, answer) : choose(one, answer);
  });
  return {
    prices: chosen.filter((one): one is P => typeof one !== "string"),
    problems: chosen.filter((one) => typeof one === "string"),
    whole: errors.length === 0,
  };
}
