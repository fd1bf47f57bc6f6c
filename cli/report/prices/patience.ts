/** Requests to a price service: few at once, repeated when it is busy, after the pause it asks for. */
import { setTimeout } from "node:timers/promises";
import pLimit from "p-limit";
import type { Price } from "../../../report/cost/prices.ts";

export interface Patience {
  /** Time limit of each try. @default 10000 */
  readonly timeoutMs?: number;
  /** Pause before the second try; doubled before each further one. @default 500 */
  readonly backOffMs?: number;
}

/** A price service that gave no usable answer. */
export class PriceServiceError extends Error {
  override readonly name = "PriceServiceError";
}

/** A service that may answer a repeated request. */
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
const LONGEST_PAUSE_MS = 60_000;
/** Concurrent requests; services answer 429 to more. */
const AT_ONCE = 2;

/** The pause that one request was asked for, shared with the others. */
export interface Pace {
  /** As `performance.now()` counts. */
  notBefore: number;
}

/** @throws {PriceServiceError} when it stays busy, or asks for a pause of more than a minute */
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
  // Another request may prolong the pause while this one waits.
  while (pace.notBefore > performance.now()) {
    await setTimeout(Math.ceil(pace.notBefore - performance.now()));
  }
}

/** Milliseconds from a `Retry-After` in seconds or as a date; 0: none. */
export function retryAfterMs(header: string | null | undefined, now = Date.now()): number {
  const text = header?.trim() ?? "";
  const wait = /^\d+(\.\d+)?$/.test(text) ? 1000 * Number(text) : Date.parse(text) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}

/** Answers or errors, in the order of the requests; two run at once. An error does not affect the other answers. */
export async function answersTo<Q, A>(
  questions: readonly Q[],
  ask: (question: Q) => Promise<A>,
): Promise<(A | Error)[]> {
  const atOnce = pLimit(AT_ONCE);
  return Promise.all(questions.map((one) => atOnce(() => ask(one).catch((error: Error) => error))));
}

export interface PriceQuery extends Patience {
  /** @default the cloud's own service */
  readonly endpoint?: string;
  readonly region: string;
  readonly natSizes: readonly string[];
}

/** Prices by first unit. */
export type Rows = readonly (readonly [from: number, price: number])[];

/** Tiers behind the free units, or why the rows make none. @param word What the service calls its rows. */
function tiersOf(prices: Rows, free: number, word: string): Price["tiers"] | string {
  const tiers = new Map(prices);
  if (prices.some(([from, price]) => tiers.get(from) !== price)) {
    return `several ${word} with different prices`;
  }
  const sorted = [...tiers].sort(([a], [b]) => a - b).map(([from, price]) => ({ from: from + free, price }));
  if (sorted[0]?.from !== free) {
    return "no price for the first unit";
  }
  return free === 0 ? sorted : [{ from: 0, price: 0 }, ...sorted];
}

/** Found prices, and what is wrong with the others. */
export interface Fetched {
  readonly prices: Price[];
  readonly problems: string[];
  /** Whether each request was answered, even with "no price"; otherwise trying again makes sense. */
  readonly whole: boolean;
}

/**
 * Prices of some meters, each from its service's answer.
 *
 * @param rows What the service calls its prices.
 * @param read A meter's prices in an answer, or the reason why there are none. Null region: they apply everywhere.
 * @throws the first error, when no request was answered
 */
export function pricesOf<W extends { readonly meter: string; readonly freeGb?: number }, A>(
  { source, rows, region }: Readonly<Record<"source" | "rows" | "region", string>>,
  wanted: readonly W[],
  answers: readonly (A | Error)[],
  read: (wanted: W, answer: A) => { readonly prices: Rows; readonly region: string | null } | string,
): Fetched {
  const errors = answers.filter((answer) => answer instanceof Error);
  if (errors[0] !== undefined && errors.length === answers.length) {
    throw errors[0];
  }
  const [prices, problems]: [Price[], string[]] = [[], []];
  for (const [at, one] of wanted.entries()) {
    const answer = answers[at] as A | Error;
    const found = answer instanceof Error ? answer.message : read(one, answer);
    const tiers = typeof found === "string" ? found : tiersOf(found.prices, one.freeGb ?? 0, rows);
    if (typeof found === "string" || typeof tiers === "string") {
      problems.push(`${source}: ${one.meter} in ${region}: ${tiers}; the snapshot's price is used`);
    } else {
      prices.push({ meter: one.meter, region: found.region, tiers, source, checked: "the service itself" });
    }
  }
  return { prices, problems, whole: errors.length === 0 };
}
