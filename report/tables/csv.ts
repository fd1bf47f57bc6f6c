/** Writes CSV (RFC 4180): one row per figure, in base units, for spreadsheets and scripts. */

import { comparedIds, figures } from "../../bench/figures/index.ts";
import { ratioToBaseline } from "../comparison/comparison.ts";
import type { Report } from "../report.ts";
import { escapeCsv } from "../text/escape.ts";

const head = (currency: string) => [
  "stack",
  "cloud",
  "run",
  "topology",
  "kind",
  "case",
  "tool",
  "protocol",
  "direction",
  "status",
  "failure",
  "metric",
  "unit",
  "value",
  "low95",
  "high95",
  "n",
  "ratio_to_direct",
  `cost_${currency.toLowerCase()}_month`,
  "case_title",
  "without_value",
];

/** The whole report as CSV. Missing measurements are empty fields. */
export function toCsv({ comparison, answers, currency }: Report): string {
  const assessed = answers.flatMap((answer) => answer.assessed);
  const rows = comparison.rows.flatMap((row) =>
    comparison.columns.flatMap((column) => {
      const { results, topology, index } = column;
      const cell = row.cells[index];
      const place = [results.stack, results.cloud, results.runId, topology.name, topology.topology];
      const what = [row.info.id, row.info.tool, row.info.protocol, row.info.direction];
      const state = [cell?.status ?? "missing", cell?.failure?.class ?? null];
      const cost = assessed.find(({ way }) => way.column === index)?.totalCost ?? null;
      const measured = comparedIds.flatMap((id) => {
        const found = cell?.estimates[id];
        return found === undefined
          ? []
          : [
              [
                id,
                figures[id].unit,
                found.value,
                found.interval?.low ?? null,
                found.interval?.high ?? null,
                found.n,
                ratioToBaseline(row, column, id),
                found.absent,
              ],
            ];
      });
      const shown = measured.length === 0 ? [[null, null, null, null, null, 0, null, 0]] : measured;
      return shown.map((figure) => [
        ...[...place, ...what, ...state, ...figure.slice(0, -1), cost, row.info.title],
        figure.at(-1) ?? 0,
      ]);
    }),
  );
  return [head(currency), ...rows].map((row) => `${row.map(escapeCsv).join(",")}\r\n`).join("");
}
