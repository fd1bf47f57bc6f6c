/**
 * What the repetitions of a case say of each figure.
 *
 * @module
 */

import { type FigureId, figures } from "../../bench/figures/index.ts";
import type { CaseResult } from "../../bench/results/index.ts";
import type { Figure } from "../../bench/statistics/difference.ts";
import { type Interval, mean, meanConfidence95, stddev } from "../../bench/statistics/sample.ts";

/** A measured figure with its 95 % confidence interval, where there are repetitions to tell one from. */
export interface Estimate extends Figure {
  readonly interval: Interval | null;
}

/** What the repetitions of one case say about a figure; null when none measured it. */
export function estimate(id: FigureId, results: readonly CaseResult[]): Estimate | null {
  const [only, ...others] = results;
  const own = only === undefined ? null : ownRepetitions(only, id);
  if (own !== null && others.length === 0) {
    const { values, mean: value, stddev: deviation, confidence95: interval } = own;
    const n = values.filter((one) => one !== null).length;
    return value === null ? null : { value, stddev: deviation, n, interval };
  }
  const values = results.flatMap((one) => valuesOf(one, id));
  return values.length === 0 ? null : summarize(values);
}

/** Null: the case was measured once, or by a release that did not keep this figure of every repetition. */
function ownRepetitions({ repetitions }: CaseResult, id: FigureId) {
  const { path } = figures[id];
  return repetitions?.metrics[path] ?? (repetitions?.metric === path ? repetitions : null);
}

function valuesOf(result: CaseResult, id: FigureId): number[] {
  const { measurement } = result;
  const single = measurement === null ? null : (figures[id].read(measurement) ?? null);
  const values = ownRepetitions(result, id)?.values ?? [single];
  return values.filter((value) => value !== null);
}

/** Mean of some repetitions with its 95 % confidence interval; none from a single one. */
export function summarize(values: readonly number[]): Estimate {
  const n = values.length;
  return n < 2
    ? { value: mean(values), stddev: null, n, interval: null }
    : { value: mean(values), stddev: stddev(values), n, interval: meanConfidence95(values) };
}
