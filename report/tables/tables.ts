/**
 * The report's tables, as texts in rows: the same for HTML and Markdown.
 *
 * @module
 */
import { formatBitRate } from "../../bench/plan/quantities.ts";
import { shortLimit } from "../../bench/summary/limit-words.ts";
import type { Column, Comparison, Row } from "../comparison/comparison.ts";
import { type MetricId, metricIds, metrics } from "../comparison/metrics.ts";
import { type ShownFigure, showFigure, verdictFigures } from "../comparison/verdict.ts";
import { sumOf } from "../cost/cost.ts";
import type { PricedColumn, Report } from "../report.ts";
import { NOT_MEASURED, orMissing, ratio, usd } from "../text/format.ts";

/** A cell: the main text, and smaller notes under it. */
export interface TableCell {
  readonly text: string;
  readonly notes: readonly string[];
  readonly state: ShownFigure["state"] | "limit";
  /** Column of the comparison it belongs to, so that a chosen topology hides its cells. */
  readonly column: number | null;
}

export interface ReportTable {
  readonly head: readonly TableCell[];
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly TableCell[])[];
}

/** A plain cell. */
export function cell(text: string, column: number | null = null, notes: readonly string[] = []): TableCell {
  return { text, notes, state: "ok", column };
}

function figureCell(figure: ShownFigure, column: number, more: readonly string[] = []): TableCell {
  const notes = [figure.ratio, figure.confidence, ...more];
  return { text: figure.text, notes: notes.filter((note) => note !== null), state: figure.state, column };
}

/** The verdict: a row a topology, a column a deciding figure, then cost and limits. */
export function verdictTable({ comparison, costs }: Report): ReportTable {
  const figures = verdictFigures(comparison);
  return {
    head: ["Topology", ...figures.map(({ heading }) => heading), "Cost a month", "At its limit"].map((text) =>
      cell(text),
    ),
    rows: comparison.columns.map((column) => {
      const { index, label } = column;
      const limits = limitsOf(comparison, column);
      return [
        cell(label, index, pathNote(column)),
        ...figures.map(({ row, metric, beneath }) => {
          const more = beneath.flatMap((id) => {
            const figure = showFigure(row, column, id);
            return figure.state === "ok" ? [`${shortNames[id] ?? metrics[id].label} ${figure.text}`] : [];
          });
          return figureCell(showFigure(row, column, metric), index, more);
        }),
        costCell(costs, column, comparison),
        {
          ...cell(limits.length === 0 ? "nothing seen" : limits.join("; "), index),
          state: limits.length === 0 ? "ok" : "limit",
        },
      ];
    }),
  };
}

const shortNames: Readonly<Partial<Record<MetricId, string>>> = {
  loss: "loss",
  latencyMean: "mean",
  latencyP99: "p99",
  connectionsPerSecond: "opened",
};

function pathNote({ topology }: Column): string[] {
  const { status, message } = topology.path;
  return status === "proved"
    ? ["path proved"]
    : [status === "mismatch" ? `wrong path: ${message ?? ""}` : "path not proved"];
}

/** `client CPU in 7 of 9 cases`: a limit counts once a case, however many hosts or repetitions have it. */
function limitsOf({ rows }: Comparison, { index }: Column): string[] {
  const measured = rows.flatMap(({ cells }) =>
    cells.filter((own, at) => at === index && own.status === "ok"),
  );
  const counts = new Map<string, number>();
  for (const name of measured.flatMap(({ limits }) => [...new Set(limits.map(shortLimit))])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, cases]) => `${name} in ${cases} of ${measured.length} cases`);
}

function costCell(
  costs: readonly PricedColumn[],
  { index, baseline }: Column,
  { columns }: Comparison,
): TableCell {
  const own = costs[index]?.cost;
  const base = baseline === null || baseline === index ? null : costs[columns[baseline]?.index ?? -1]?.cost;
  if (own === undefined || (own.totalUsd === null && own.knownUsd === 0)) {
    return { text: "no price known", notes: own?.missing ?? [], state: "missing", column: index };
  }
  const times = own.totalUsd !== null && base?.totalUsd ? [ratio(own.totalUsd / base.totalUsd)] : [];
  return own.totalUsd === null
    ? cell(
        `at least ${usd(own.knownUsd)}`,
        index,
        own.missing.map((meter) => `no price: ${meter}`),
      )
    : cell(usd(own.totalUsd), index, times);
}

/** `sum of 2 pairs: 4.10 Gbit/s, 3.90 Gbit/s`, of the last repetition. */
function pairsNote(row: Row, column: number): string[] {
  const pairs = row.cells[column]?.repetitions.at(-1)?.pairs ?? null;
  if (pairs === null) {
    return [];
  }
  const each = pairs.map(({ bitsPerSecond, failure }) =>
    failure === null ? orMissing(bitsPerSecond, formatBitRate) : `failed: ${failure.class}`,
  );
  return [`sum of ${pairs.length} pairs: ${each.join(", ")}`];
}

function limitNote(row: Row, column: number): string[] {
  const limits = row.cells[column]?.limits ?? [];
  return limits.length === 0 ? [] : [`at its limit: ${limits.map(({ words }) => words).join("; ")}`];
}

/** Every figure of every case: a row a case and metric, a column a topology. */
export function casesTable({ comparison }: Report): ReportTable {
  const { columns, rows } = comparison;
  return {
    head: [cell("Case"), cell("Figure"), ...columns.map(({ label, index }) => cell(label, index))],
    rows: rows.flatMap((row) => {
      const measured = metricIds.filter((id) => row.cells.some(({ estimates }) => estimates[id]));
      const shown = measured.length === 0 ? (["throughput"] as const) : measured;
      return shown.map((id) => [
        cell(row.info.title, null, [row.info.id]),
        cell(metrics[id].label),
        ...columns.map((column) =>
          figureCell(
            showFigure(row, column, id),
            column.index,
            id === shown[0] ? [...pairsNote(row, column.index), ...limitNote(row, column.index)] : [],
          ),
        ),
      ]);
    }),
  };
}

/** What failed and why; empty when nothing did. */
export function failuresTable({ comparison }: Report): ReportTable {
  const rows = comparison.rows.flatMap(({ info, cells }) =>
    cells.flatMap(({ failure }, index) =>
      failure === null
        ? []
        : [
            [
              cell(info.title, null, [info.id]),
              cell(comparison.columns[index]?.label ?? "", index),
              cell(failure.class),
              cell(
                failure.message,
                null,
                failure.stderrTail.trim() === "" ? [] : [failure.stderrTail.trim()],
              ),
            ],
          ],
    ),
  );
  return { head: ["Case", "Topology", "Class", "Why"].map((text) => cell(text)), rows };
}

/** The bill: a row a topology, a column a kind of charge. */
export function costTable({ costs }: Report): ReportTable {
  const kinds = [
    ["Service", ["service"]],
    ["Data processing", ["data"]],
    ["Service and data", ["service", "data"]],
    ["Addresses", ["address"]],
    ["Disk", ["disk"]],
    ["Internet egress", ["egress"]],
  ] as const;
  return {
    head: ["Topology", ...kinds.map(([name]) => name), "Total a month"].map((text) => cell(text)),
    rows: costs.map(({ column, cost }) => [
      cell(column.label, column.index),
      ...kinds.map(([, wanted]) => {
        const sum = sumOf(cost, wanted);
        return cell(sum === null ? "no price" : usd(sum), column.index);
      }),
      cell(
        cost.totalUsd === null
          ? cost.charges.length === 0
            ? "no price known"
            : `at least ${usd(cost.knownUsd)}`
          : usd(cost.totalUsd),
        column.index,
      ),
    ]),
  };
}

/** Every price that entered the bill, with its source. */
export function priceSourcesTable({ costs }: Report): ReportTable {
  const rows = costs.flatMap(({ column, priced, cost }) =>
    cost.charges.map(({ meter, units, usd: amount, source, checked }) => [
      cell(column.label, column.index),
      cell(`${meter} (${priced.region})`),
      cell(units.toLocaleString("en-US")),
      cell(amount === null ? "no price" : usd(amount)),
      cell(
        source ?? NOT_MEASURED.replace("measured", "known"),
        null,
        source === null ? [] : [checkedNote(checked)],
      ),
    ]),
  );
  return { head: ["Topology", "Meter", "Units a month", "Charge", "Source"].map((text) => cell(text)), rows };
}

function checkedNote(checked: string | null): string {
  return checked === null ? "unverified" : `checked against ${checked}`;
}

/** Others' figures beside ours. */
export function publishedTable({ published }: Report): ReportTable {
  return {
    head: ["Case", "Topology", "Published by others", "Measured here", "Publication"].map((text) =>
      cell(text),
    ),
    rows: published.map((figure) => [
      cell(figure.what),
      cell(figure.topology),
      cell(figure.theirs),
      cell(
        figure.ours
          .map(({ label, cloud, text }) => `${text} (${label}${cloud === "local" ? ", local lab" : ""})`)
          .join("; "),
      ),
      cell(figure.id),
    ]),
  };
}
