/** Tables of a matrix: best per question, every cell, and missing ones. */
import { figures } from "../../bench/figures/index.ts";
import {
  bestOf,
  figureOf,
  type MatrixEntry,
  type MatrixView,
  type UnmeasuredCell,
} from "../comparison/matrix.ts";
import { showFigure } from "../comparison/verdict.ts";
import { cell, headOf, type ReportTable, textTable } from "../document/table.ts";
import { counted } from "../text/format.ts";

/** One row per figure that answers a question: the best cell, and the number of cells not significantly different. */
export function bestTable(view: MatrixView): ReportTable {
  const rows = view.figures.flatMap((figure) => {
    const best = bestOf(figure, view.entries);
    if (best === null) {
      return [];
    }
    const { entry, value, alike, measured } = best;
    const others =
      alike === null
        ? "needs repetitions"
        : alike.length === 0
          ? "no other"
          : counted(alike.length, "other cell");
    return [
      [
        cell(figure.heading),
        cell(describe(entry, view), entry.column.index),
        cell(figures[figure.metric].format(value), entry.column.index),
        cell(others),
        cell(`${measured} of ${view.entries.length}`),
      ],
    ];
  });
  return {
    head: headOf(["Question", "Best", "Figure", "Intervals overlap with", "Measured"]),
    rows,
  };
}

function describe({ labels, column }: MatrixEntry, { axes }: MatrixView): string {
  return axes.map(({ name }) => labels[name] ?? "none").join(", ") || column.label;
}

/** One row per way out of a cell, with its labels and the figures that answer a question. */
export function cellsTable(view: MatrixView): ReportTable {
  const { axes, entries, figures: shown } = view;
  return {
    head: headOf([...axes.map(({ name }) => name), ...shown.map(({ heading }) => heading)]),
    rows: entries.map(({ column, labels }) => [
      ...axes.map(({ name }) => cell(labels[name] ?? "none", column.index)),
      ...shown.map((figure) => {
        const { text, state } = showFigure(figure.rowOf(column), column, figure.metric);
        const value = figureOf(figure, column);
        return { ...cell(text, column.index), state, ...(value === undefined ? {} : { value }) };
      }),
    ]),
  };
}

/** One row per cell without results. */
export function unmeasuredTable(cells: readonly UnmeasuredCell[]): ReportTable {
  return textTable(
    ["Cell", "Axes", "Why"],
    cells.map(({ name, axes, why }) => [name, Object.values(axes).join(", "), why]),
  );
}
