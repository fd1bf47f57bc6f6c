/**
 * Bounds on figures from hosts and tools, which are not trusted. An invented figure must not spoil the other measurements:
 * a sum, square or quotient of plausible figures is a finite number.
 */

/** Largest plausible figure, in any unit of the results. */
export const LARGEST = 1e18;
/** Smallest plausible figure above 0, with room for rounding errors of a difference that should be 0. */
const SMALLEST = 1e-40;

/** Whether every number in `value`, at any depth, is plausible. */
export function isPlausible(value: unknown): boolean {
  if (typeof value === "number") {
    const size = Math.abs(value);
    return size === 0 || (size >= SMALLEST && size <= LARGEST);
  }
  return typeof value !== "object" || value === null || Object.values(value).every(isPlausible);
}

/** Highest plausible bit rate: a thousand times the fastest network card's. */
const FASTEST_BITS_PER_SECOND = 1e15;
/** Rounding error around 0. */
const ROUNDING = 1e-6;

/** Fields that may be below 0: borrowed credits, the end of an interval, a skew, and the exit status after a signal. */
const SIGNED = new Set(["cpuCreditsAtStart", "cpuCreditsAtEnd", "low", "startSkewMs", "exitCode"]);
/** Percentages that may be over 100: of a rate that credits let a machine exceed, and of a mean. */
const OVER_100 = new Set(["networkBaselinePercent", "withinPercent"]);

/** Fields of one object of which none is below those before it. */
const ASCENDING = [
  ["min", "p50", "p90", "p95", "p99", "p999", "max"],
  ["min", "mean", "max"],
  ["min", "median", "max"],
  ["low", "high"],
  ["startSeconds", "endSeconds"],
  ["leastSeconds", "seconds", "mostSeconds"],
  ["lostPackets", "packets"],
  ["failed", "attempted"],
  ["survived", "opened"],
  ["missed", "sent"],
] as const;
/** Part that buckets of a distribution, and rounding, may add to a figure. */
const INACCURACY = 0.01;

export interface ImpossibleFigure {
  readonly path: readonly PropertyKey[];
  readonly figure: number;
  readonly expected: string;
}

/**
 * The first impossible figure of a tool or of a results document: by its field's unit, the longest time, and the figures beside it;
 * null: none.
 */
export function impossibleFigure(value: unknown, seconds = LARGEST, name = ""): ImpossibleFigure | null {
  if (typeof value === "number") {
    const [least, most] = boundsOf(name, seconds);
    return isPlausible(value) && value >= least && value <= most
      ? null
      : { path: [], figure: value, expected: "a possible figure" };
  }
  if (typeof value !== "object" || value === null) {
    return null;
  }
  for (const [key, one] of Object.entries(value)) {
    // Entries of a list, and percentiles, have the unit around them.
    const found = impossibleFigure(one, seconds, /^\d+$/.test(key) || name === "latencyUs" ? name : key);
    if (found !== null) {
      return { ...found, path: [Array.isArray(value) ? Number(key) : key, ...found.path] };
    }
  }
  return contradiction(value as Record<string, unknown>);
}

function contradiction(figures: Record<string, unknown>): ImpossibleFigure | null {
  for (const fields of ASCENDING) {
    let before = { name: "", figure: -LARGEST };
    for (const name of fields) {
      const figure = figures[name];
      if (typeof figure !== "number") continue;
      if (figure < before.figure - INACCURACY * Math.abs(before.figure)) {
        return { path: [name], figure, expected: `${before.name}, ${before.figure}, or more` };
      }
      before = { name, figure };
    }
  }
  return null;
}

function boundsOf(name: string, seconds: number): readonly [number, number] {
  const ofTime = /Us$/.test(name) ? 1e6 : /Ms$/.test(name) ? 1e3 : null;
  const most = /BitsPerSecond$/i.test(name)
    ? FASTEST_BITS_PER_SECOND
    : ofTime !== null
      ? Math.min(LARGEST, seconds * ofTime)
      : /Percent$/.test(name) && !OVER_100.has(name)
        ? 100 + ROUNDING
        : LARGEST;
  return [SIGNED.has(name) ? -LARGEST : -ROUNDING, most];
}
