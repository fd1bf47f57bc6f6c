/** Finds the cells of a matrix among a comparison's columns: their axes, the best per question, and missing ones. */
import { type FigureId, figures } from "../../bench/figures/index.ts";
import { groupBy } from "../../bench/group-by.ts";
import type { Column, Comparison } from "./comparison.ts";
import { type VerdictFigure, verdictFigures } from "./verdict.ts";

/** Label of a cell's value on each axis, by the axis. */
type Labels = Readonly<Record<string, string>>;

export interface UnmeasuredCell {
  readonly name: string;
  readonly axes: Labels;
  readonly why: string;
}

/** One axis and its values, in the order of measuring. */
export interface MatrixAxis {
  readonly name: string;
  readonly labels: readonly string[];
}

/** A way out of a cell. */
export interface MatrixEntry {
  readonly column: Column;
  readonly labels: Labels;
}

export interface MatrixView {
  readonly name: string;
  /** Axes with at least two values. */
  readonly axes: readonly MatrixAxis[];
  readonly entries: readonly MatrixEntry[];
  /** Figures that answer a question. */
  readonly figures: readonly VerdictFigure[];
}

/** Additional axis for cells with several ways out. */
const WAY_OUT = "way out";

/** The matrices of a comparison. A single cell does not count. */
export function matricesOf(comparison: Comparison): MatrixView[] {
  const inMatrix = comparison.columns.filter(({ results }) => results.matrixCell !== null);
  return [...groupBy(inMatrix, ({ results }) => results.matrixCell?.matrix ?? "")].flatMap(
    ([name, columns]) => {
      const several = new Set(columns.map(({ results }) => results)).size > 1;
      return several ? [viewOf(name, columns, comparison)] : [];
    },
  );
}

function viewOf(name: string, columns: readonly Column[], comparison: Comparison): MatrixView {
  const named = columns.map((column) => ({
    column,
    labels: { ...column.results.matrixCell?.axes, [WAY_OUT]: column.topology.name } as Labels,
  }));
  const names = [...new Set(named.flatMap(({ labels }) => Object.keys(labels)))];
  const found = names.map((axis) => ({
    name: axis,
    labels: [...new Set(named.map(({ labels }) => labels[axis] ?? ""))],
  }));
  const cells = new Set(columns.map(({ results }) => results)).size;
  const axes = found.filter(
    ({ name: axis, labels }) => labels.length > 1 && (axis !== WAY_OUT || columns.length > cells),
  );
  const measured = verdictFigures({ ...comparison, columns });
  return { name, axes, entries: named, figures: measured };
}

/** The value of a figure that answers a question; undefined: not measured. */
export function figureOf({ rowOf, metric }: VerdictFigure, column: Column): number | undefined {
  return rowOf(column).cells[column.index]?.estimates[metric]?.value;
}

/** The best entry of a figure, and the entries that are not significantly different. */
export interface Best {
  readonly entry: MatrixEntry;
  readonly value: number;
  /** Entries whose 95 % confidence intervals overlap the best one's. Null: not all have repetitions. */
  readonly alike: readonly MatrixEntry[] | null;
  readonly measured: number;
}

/** The best of a figure; null: nothing was measured, or neither direction is better. */
export function bestOf(figure: VerdictFigure, entries: readonly MatrixEntry[]): Best | null {
  const { better } = figures[figure.metric];
  const sign = better === "lower" ? 1 : -1;
  const measured = entries.flatMap((entry) => {
    const value = figureOf(figure, entry.column);
    return value === undefined ? [] : [{ entry, value }];
  });
  const [first, ...others] = measured.toSorted((a, b) => sign * (a.value - b.value));
  if (first === undefined || better === null) {
    return null;
  }
  const own = intervalOf(figure, first.entry.column);
  const alike = others.filter(({ entry }) => {
    const other = intervalOf(figure, entry.column);
    return own !== null && other !== null && own.low <= other.high && other.low <= own.high;
  });
  const judged = own !== null && others.every(({ entry }) => intervalOf(figure, entry.column) !== null);
  return { ...first, alike: judged ? alike.map(({ entry }) => entry) : null, measured: measured.length };
}

function intervalOf({ rowOf, metric }: VerdictFigure, column: Column) {
  return rowOf(column).cells[column.index]?.estimates[metric as FigureId]?.interval ?? null;
}
