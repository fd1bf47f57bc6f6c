/** Formats figures for services that keep benchmarks over time. */

import { absenceWords, type Estimate } from "../../bench/figures/estimate.ts";
import { comparedIds, type FigureId, figures } from "../../bench/figures/index.ts";
import { groupBy } from "../../bench/group-by.ts";
import type { Comparison } from "../comparison/comparison.ts";
import { goalOf } from "../comparison/verdict.ts";

/** A figure for such a service. */
export interface BenchmarkFigure {
  readonly id: FigureId;
  /** Its topology and case. */
  readonly name: string;
  readonly found: Pick<Estimate, "value" | "interval" | "n">;
  /** Repetitions without a value, and a searched rate's goal. */
  readonly said: readonly string[];
}

interface ActionEntry {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Half of the 95 % interval, or its longer part if it reaches 0. Absent: a single run. */
  readonly range?: string;
  readonly extra: string;
}

/**
 * Entries for github-action-benchmark, whose tools `customBiggerIsBetter` and `customSmallerIsBetter` take a file each.
 */
export function toBenchmarkAction(
  measured: readonly BenchmarkFigure[],
  better: "higher" | "lower",
): ActionEntry[] {
  return measured
    .filter(({ id }) => figures[id].better === better)
    .map(({ id, name, found, said }) => ({
      name: `${name} ${id}`,
      unit: figures[id].unit,
      value: found.value,
      ...(found.interval === null
        ? {}
        : { range: String(Math.max(found.interval.high - found.value, found.value - found.interval.low)) }),
      extra: [`n = ${found.n}`, ...said].join(", "),
    }));
}

interface BencherMeasure {
  readonly value: number;
  readonly lower_value?: number;
  readonly upper_value?: number;
}

/** Figures in Bencher Metric Format: by topology and case, then by figure. */
export function toBencher(
  measured: readonly BenchmarkFigure[],
): Record<string, Record<string, BencherMeasure>> {
  return Object.fromEntries(
    [...groupBy(measured, ({ name }) => name)].map(([name, own]) => [
      name,
      Object.fromEntries(own.map(({ id, found }) => [id, bencherMeasure(found)])),
    ]),
  );
}

function bencherMeasure({ value, interval }: BenchmarkFigure["found"]): BencherMeasure {
  return interval === null ? { value } : { value, lower_value: interval.low, upper_value: interval.high };
}

export function benchmarkFigures({ columns, rows }: Comparison): BenchmarkFigure[] {
  return columns.flatMap(({ label, index }) =>
    rows.flatMap(({ info, cells }) =>
      comparedIds.flatMap((id) => {
        const cell = cells[index];
        const found = cell?.estimates[id];
        const said = [absenceWords(id, cell?.repetitions ?? []), goalOf(id, cell)].filter(
          (one) => one !== null,
        );
        return found === undefined ? [] : [{ id, name: `${label} ${info.id}`, found, said }];
      }),
    ),
  );
}
