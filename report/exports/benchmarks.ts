/** Figures for services that keep benchmarks over time. */
import type { Estimate } from "../../bench/figures/estimate.ts";
import { comparedIds, type FigureId, figures } from "../../bench/figures/index.ts";
import type { Comparison } from "../comparison/comparison.ts";

/** One entry of a file that github-action-benchmark reads. */
interface ActionEntry {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Half of the 95 % interval. Absent: a single run. */
  readonly range?: string;
  readonly extra: string;
}

/**
 * Entries for github-action-benchmark, whose tools `customBiggerIsBetter` and `customSmallerIsBetter` take a file each.
 */
export function toBenchmarkAction(comparison: Comparison, better: "higher" | "lower"): ActionEntry[] {
  return entriesOf(comparison)
    .filter(({ id }) => figures[id].better === better)
    .map(({ id, name, found }) => ({
      name: `${name} ${id}`,
      unit: figures[id].unit,
      value: found.value,
      ...(found.interval === null ? {} : { range: String((found.interval.high - found.interval.low) / 2) }),
      extra: `n = ${found.n}`,
    }));
}

/** A measure of Bencher Metric Format. */
interface BencherMeasure {
  readonly value: number;
  readonly lower_value?: number;
  readonly upper_value?: number;
}

/** Figures in Bencher Metric Format: by topology and case, then by figure. */
export function toBencher(comparison: Comparison): Record<string, Record<string, BencherMeasure>> {
  const entries = entriesOf(comparison);
  const names = [...new Set(entries.map(({ name }) => name))];
  return Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(
        entries.filter((one) => one.name === name).map(({ id, found }) => [id, bencherMeasure(found)]),
      ),
    ]),
  );
}

function bencherMeasure({ value, interval }: Estimate): BencherMeasure {
  return interval === null ? { value } : { value, lower_value: interval.low, upper_value: interval.high };
}

function entriesOf({ columns, rows }: Comparison): { id: FigureId; name: string; found: Estimate }[] {
  return columns.flatMap(({ label, index }) =>
    rows.flatMap(({ info, cells }) =>
      comparedIds.flatMap((id) => {
        const found = cells[index]?.estimates[id];
        return found === undefined ? [] : [{ id, name: `${label} ${info.id}`, found }];
      }),
    ),
  );
}
