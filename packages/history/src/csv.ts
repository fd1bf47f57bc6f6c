/** Writes the history as CSV (RFC 4180): one row per run of every series, in base units. */
import { figures } from "../../../bench/figures/index.ts";
import { escapeCsv } from "../../../report/text/escape.ts";
import type { Series } from "./series.ts";

const head = [
  ...["cloud", "stack", "region", "topology", "case", "metric", "unit"],
  ...["run", "measured_at", "value", "low95", "high95", "n", "level_changed"],
  ...["goal", "without_value"],
];

/** `level_changed`: 1 at the first run of a new level, 0 elsewhere, empty if there are too few runs to judge. */
export function toHistoryCsv(series: readonly Series[]): string {
  const rows = series.flatMap(({ points, changes, cloud, stack, region, topology, caseId, figure, goal }) => {
    const own = textOf([cloud, stack, region, topology, caseId, figure, figures[figure].unit]);
    const firsts = changes === null ? null : new Set(changes.map(({ at }) => at));
    const goalText = escapeCsv(goal);
    return points.map(({ runId, at, value, interval, n, absent }, index) => {
      const measured = `${escapeCsv(runId)},${at},${value ?? ""},${interval?.low ?? ""},${interval?.high ?? ""},${n}`;
      const changed = firsts === null ? "" : Number(firsts.has(index));
      return `${own},${measured},${changed},${goalText},${escapeCsv(absent)}`;
    });
  });
  return `${[textOf(head), ...rows].join("\r\n")}\r\n`;
}

const textOf = (cells: readonly (string | number | null)[]) => cells.map(escapeCsv).join(",");
