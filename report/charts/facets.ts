/**
 * Small multiples of a matrix: one panel per combination of axes, all on one scale. Drawn without ECharts, which is too slow
 * for dozens of panels.
 */
import { figures } from "../../bench/figures/index.ts";
import { median } from "../../bench/statistics/sample.ts";
import { figureOf, type MatrixAxis, type MatrixEntry, type MatrixView } from "../comparison/matrix.ts";
import type { VerdictFigure } from "../comparison/verdict.ts";
import { escapeHtml } from "../text/escape.ts";
import type { Chart } from "./chart.ts";
import { shorten } from "./chart.ts";
import { seriesColors } from "./palette.ts";
import { picture, round, words } from "./shapes.ts";

/** Most panels of a chart: more are too small to read. */
const MOST_PANELS = 24;
const MOST_CHARTS = 4;
/** Most points of a drawing for narrow screens. */
const MOST_NARROW = 100;
const PANEL = { height: 160, top: 34, bottom: 26, left: 8, right: 8 };

/** The role of each axis in a chart. */
interface Layout {
  /** Axis whose values are places in a panel. */
  readonly across: MatrixAxis;
  /** Axis shown by colour; null: one colour. */
  readonly color: MatrixAxis | null;
  readonly panels: readonly MatrixAxis[];
}

interface Point {
  readonly entry: MatrixEntry;
  readonly value: number;
}

/** One chart per figure that answers a question. Empty without an axis. @param number Number of the matrix, for unique ids. */
export function facetCharts(view: MatrixView, number: number): Chart[] {
  const layout = layoutOf(view.axes);
  return layout === null
    ? []
    : view.figures
        .slice(0, MOST_CHARTS)
        .flatMap((figure, at) => chartOf(view, figure, layout, `facets-${number}-${at}`) ?? []);
}

/** The axis with most values runs across, the next one has colours, and few others make panels. */
function layoutOf(axes: readonly MatrixAxis[]): Layout | null {
  const [across, ...others] = axes.toSorted((a, b) => b.labels.length - a.labels.length);
  if (across === undefined) {
    return null;
  }
  const color = others.find(({ labels }) => labels.length <= seriesColors.length) ?? null;
  const panels: MatrixAxis[] = [];
  for (const axis of others.filter((one) => one !== color)) {
    const count = panels.reduce((product, { labels }) => product * labels.length, axis.labels.length);
    if (count <= MOST_PANELS) {
      panels.push(axis);
    }
  }
  return { across, color, panels };
}

function chartOf(view: MatrixView, figure: VerdictFigure, layout: Layout, id: string): Chart | null {
  const points = view.entries.flatMap((entry): Point[] => {
    const value = figureOf(figure, entry.column);
    return value === undefined ? [] : [{ entry, value }];
  });
  if (points.length === 0) {
    return null;
  }
  const { across, color, panels } = layout;
  const { format, better } = figures[figure.metric];
  const overlaid = view.axes.filter((axis) => axis !== across && axis !== color && !panels.includes(axis));
  const words = [
    `One point per cell; across: ${across.name}.`,
    ...(color === null ? [] : [`Colour: ${color.name}.`]),
    ...(panels.length === 0 ? [] : [`Panels: ${panels.map(({ name }) => name).join(", ")}.`]),
    ...(overlaid.length === 0 ? [] : [`Over each other: ${overlaid.map(({ name }) => name).join(", ")}.`]),
    ...(better === null ? [] : [`${better === "higher" ? "Higher" : "Lower"} is better.`]),
    "All panels have one scale from 0.",
  ];
  const chart = {
    id,
    title: figure.heading,
    description: words.join(" "),
    // Colours stand for an axis's labels, not for topologies.
    columns: [],
    table: {
      head: [across.name, "cells", "lowest", "median", "highest"],
      rows: across.labels.map((label) => {
        const own = points
          .filter(({ entry }) => entry.labels[across.name] === label)
          .map(({ value }) => value);
        const shown =
          own.length === 0 ? ["", "", ""] : [Math.min(...own), median(own), Math.max(...own)].map(format);
        return [label, String(own.length), ...shown] as string[];
      }),
    },
  };
  // With many points a phone scrolls the wide drawing.
  const drawn = (points.length > MOST_NARROW ? [false] : [false, true]).map((narrow) => ({
    ...{ narrow, scale: "linear" as const },
    svg: draw(chart, points, layout, format, narrow),
  }));
  return { ...chart, drawn };
}

function combinations(axes: readonly MatrixAxis[]): string[][] {
  return axes.reduce<string[][]>(
    (all, { labels }) => all.flatMap((one) => labels.map((label) => [...one, label])),
    [[]],
  );
}

function draw(
  texts: Omit<Chart, "drawn">,
  points: readonly Point[],
  layout: Layout,
  format: (value: number) => string,
  narrow: boolean,
): string {
  const { color, panels } = layout;
  const all = combinations(panels).map((labels) => ({
    labels,
    points: points.filter(({ entry }) => panels.every(({ name }, at) => entry.labels[name] === labels[at])),
  }));
  const shown = all.filter((panel) => panel.points.length > 0);
  const width = narrow ? 400 : 960;
  const perRow = Math.min(shown.length, narrow ? 2 : 4);
  const legend = color === null ? "" : legendOf(color, narrow);
  const legendHeight = color === null ? 0 : 20 * Math.ceil(color.labels.length / (narrow ? 2 : 4)) + 4;
  const height = legendHeight + Math.ceil(shown.length / perRow) * PANEL.height;
  const top = Math.max(...points.map(({ value }) => value)) * 1.05 || 1;
  const id = `${texts.id}-${narrow ? "n" : "w"}`;
  const drawn = shown.map(({ labels, points: own }, at) => {
    const x = ((at % perRow) * width) / perRow;
    const y = legendHeight + Math.floor(at / perRow) * PANEL.height;
    return `<g transform="translate(${round(x)} ${y})">${panel(labels.join(", "), own, layout, { width: width / perRow, top, format })}</g>`;
  });
  const look = ' font-family="sans-serif" font-size="11"';
  return picture(id, texts, [width, height], look, `${legend}${drawn.join("")}`);
}

function panel(
  title: string,
  points: readonly Point[],
  layout: Layout,
  { width, top, format }: { width: number; top: number; format: (value: number) => string },
): string {
  const { across, color } = layout;
  const { height, left, right } = PANEL;
  const [first, last] = [PANEL.top, height - PANEL.bottom];
  const step = (width - left - right) / across.labels.length;
  const y = (value: number) => round(last - (value / top) * (last - first));
  const fits = Math.max(3, Math.floor(step / 6));
  // Overlapping labels are left out: the tips and the table have all.
  const every = Math.ceil(26 / step);
  const names = across.labels.map((label, at) =>
    at % every === 0
      ? words(left + (at + 0.5) * step, height - 10, shorten(label, fits * every), ' text-anchor="middle"')
      : "",
  );
  const marks = points.map(({ entry, value }) => {
    const place = across.labels.indexOf(entry.labels[across.name] ?? "");
    const tone = color === null ? 0 : color.labels.indexOf(entry.labels[color.name] ?? "");
    const aside = color === null ? 0 : ((tone + 0.5) / color.labels.length - 0.5) * step * 0.7;
    const said = `${Object.values(entry.labels).join(", ")}: ${format(value)}`;
    return `<circle cx="${round(left + (place + 0.5) * step + aside)}" cy="${y(value)}" r="3" fill="var(--series-${tone})" data-column="${entry.column.index}"><title>${escapeHtml(said)}</title></circle>`;
  });
  const grid = [top / 2.1, top / 1.05].map(
    (value) => `<path d="M${left} ${y(value)}H${round(width - right)}" stroke="var(--grid)"/>`,
  );
  return (
    words(left, 12, shorten(title, Math.floor(width / 6.5)), ' font-weight="bold"') +
    grid.join("") +
    `<path d="M${left} ${last}H${round(width - right)}" stroke="var(--muted)"/>` +
    words(left, y(top / 1.05) - 2, format(top / 1.05), ' fill-opacity="0.7"') +
    names.join("") +
    marks.join("")
  );
}

function legendOf({ labels }: MatrixAxis, narrow: boolean): string {
  const perRow = narrow ? 2 : 4;
  return labels
    .map((label, at) => {
      const [x, y] = [8 + (at % perRow) * (narrow ? 196 : 236), 12 + Math.floor(at / perRow) * 20];
      return `<circle cx="${x + 4}" cy="${y - 4}" r="5" fill="var(--series-${at})"/>${words(x + 14, y, shorten(label, narrow ? 28 : 34))}`;
    })
    .join("");
}
