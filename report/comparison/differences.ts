/**
 * Significant differences between topologies, figure by figure. All comparisons of a report are judged together, so that at most
 * one in twenty of the accepted ones is expected to be wrong.
 */

import { contrast, contrastOfMeans } from "../../bench/figures/estimate.ts";
import { comparedIds, type FigureId } from "../../bench/figures/index.ts";
import { groupBy } from "../../bench/group-by.ts";
import { said } from "../../bench/said.ts";
import { corrected, runsToTell, SIGNIFICANCE } from "../../bench/statistics/difference.ts";
import { count, counted } from "../text/format.ts";
import type { Column, Comparison, Row } from "./comparison.ts";

export interface Differences {
  /** Whether two topologies differ in a figure of a case; false also with too few runs. */
  areDifferent(row: Row, metric: FigureId, one: Column, other: Column): boolean;
  /** Number of possible comparisons. */
  readonly tests: number;
  /** Number of comparisons paired by round. */
  readonly byRound: number;
  /** Largest number of repetitions of a figure that was compared by its mean; null: none was. */
  readonly repetitions: number | null;
}

/** Compares every figure of every case between all topologies of a cloud, or of the lab. */
export function differencesOf({ columns, rows }: Comparison): Differences {
  const clouds = [...groupBy(columns, ({ results }) => results.cloud).values()];
  const found = rows.flatMap((row) =>
    comparedIds.flatMap((metric) =>
      clouds.flatMap((own) => {
        // A single run never differs significantly; skipping it saves most pairs of many topologies.
        const runs = own.flatMap((column) => {
          const estimate = row.cells[column.index]?.estimates[metric];
          return estimate === undefined || (estimate.n < 2 && estimate.ranked === undefined)
            ? []
            : [{ column, estimate }];
        });
        return runs.flatMap(({ column: one, estimate: a }, at) =>
          runs.slice(at + 1).flatMap(({ column: other, estimate: b }) => {
            const { chance, byRound } = (one.results === other.results ? contrast : contrastOfMeans)(a, b);
            const repetitions = a.ranked === undefined ? Math.min(a.n, b.n) : null;
            return chance === null
              ? []
              : [{ key: keyOf(row, metric, one, other), chance, byRound, repetitions }];
          }),
        );
      }),
    ),
  );
  const chances = corrected(found.map(({ chance }) => chance));
  const different = new Set(
    found.flatMap(({ key }, index) => ((chances[index] ?? 1) < SIGNIFICANCE ? [key] : [])),
  );
  return {
    areDifferent: (row, metric, one, other) => different.has(keyOf(row, metric, one, other)),
    tests: found.length,
    byRound: found.filter(({ byRound }) => byRound).length,
    repetitions: found.reduce<number | null>(
      (most, { repetitions }) => (repetitions === null ? most : Math.max(most ?? 0, repetitions)),
      null,
    ),
  };
}

function keyOf({ info }: Row, metric: FigureId, one: Column, other: Column): string {
  return JSON.stringify([info.id, metric, ...[one.index, other.index].sort((a, b) => a - b)]);
}

/** A sentence on how figures were compared; empty without comparisons. */
export function howCompared({ tests, byRound, repetitions }: Differences): string[] {
  if (tests === 0) {
    return [];
  }
  const how =
    byRound === tests
      ? "round by round (paired t-test)"
      : byRound === 0
        ? "by their means (Welch's test; medians by ranks)"
        : `by their means (Welch's test; medians by ranks), ${count(byRound)} of them round by round (paired t-test)`;
  const needed = runsToTell(tests, 2);
  return said(
    `Figures of topologies were compared ${how}. ${count(tests)} ${tests === 1 ? "comparison is" : "comparisons are"} judged together: at most 5 % of the differences that are called real are expected to be chance.`,
    repetitions !== null &&
      repetitions < needed &&
      `${counted(repetitions, "repetition")} can tell differences that most comparisons show; to tell each by itself takes ${needed} (repeat: ${needed} in a plan).`,
  );
}
