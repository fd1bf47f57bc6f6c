/** The history as CSV (RFC 4180): a row per run of every series, in base units. */
import { figures } from "../bench/figures/index.ts";
import { escapeCsv } from "../report/text/escape.ts";
import type { Series } from "./series.ts";

const head = [
  ...["cloud", "stack", "region", "topology", "case", "metric", "unit"],
  ...["run", "measured_at", "value", "low95", "high95", "n", "level_changed"],
  ...["goal", "without_value"],
];

/** `level_changed`: 1 at the first run of a new level, 0 elsewhere, empty where there are too few runs to judge. */
export function toHistoryCsv(series: readonly Series[]): string {
  const rows = series.flatMap(({ points, changes, cloud, stack, region, topology, caseId, figure, goal }) =>
    points.map(({ runId, at, value, interval, n, absent }, index) => [
      ...[cloud, stack, region, topology, caseId, figure, figures[figure].unit],
      ...[runId, at, value, interval?.low ?? null, interval?.high ?? null, n],
      changes === null ? null : Number(changes.some((change) => change.at === index)),
      ...[goal, absent],
    ]),
  );
  return `${[head, ...rows].map((row) => row.map(escapeCsv).join(",")).join("\r\n")}\r\n`;
}
