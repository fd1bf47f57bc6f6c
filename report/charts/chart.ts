/**
 * A chart on the page: one picture for wide and one for narrow screens, on a linear and, where useful, a logarithmic scale,
 * with a table of its figures.
 */
import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemParams } from "echarts/types/dist/shared";
import { columnInk, ink } from "./palette.ts";
import { type ChartOption, renderSvg, type SvgRequest } from "./svg.ts";

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One of a chart's pictures: its width and scale. */
export interface Variant {
  readonly narrow: boolean;
  readonly scale: "linear" | "log";
}

interface DrawnVariant extends Variant {
  readonly svg: string;
}

/** A chart: its texts and pictures. */
export interface Chart {
  /** Unique in the page; letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Columns of the comparison that appear, for the legend. */
  readonly columns: readonly number[];
  readonly drawn: readonly DrawnVariant[];
  readonly table: Table;
}

export interface ChartPlan extends Omit<Chart, "drawn"> {
  readonly scales: readonly Variant["scale"][];
  /** Whether a narrow drawing would be too crowded, so that a phone scrolls the wide one. @default false */
  readonly wideOnly?: boolean;
  readonly draw: (variant: Variant) => {
    readonly height: number;
    readonly option: ChartOption;
    readonly tip: SvgRequest["tip"];
  };
}

const WIDE = 960;
const NARROW = 400;

/** A chart whose variants are drawn when they are asked for: drawing takes long, and Markdown only counts charts. */
export function drawChart({ scales, wideOnly = false, draw, ...chart }: ChartPlan): Chart {
  const variants = scales.flatMap((scale) => [
    { narrow: false, scale },
    ...(wideOnly ? [] : [{ narrow: true, scale }]),
  ]);
  const drawn = (variant: Variant): DrawnVariant => {
    const { height, option, tip } = draw(variant);
    const id = `${chart.id}-${variant.narrow ? "n" : "w"}-${variant.scale}`;
    const { title, description } = chart;
    const width = variant.narrow ? NARROW : WIDE;
    return { ...variant, svg: renderSvg({ id, width, height, title, description, option, tip }) };
  };
  return {
    ...chart,
    get drawn() {
      return variants.map(drawn);
    },
  };
}

/** Style of an axis's texts and lines, in the page's colours. */
export function axisLook(name: string) {
  return {
    name,
    nameTextStyle: { color: ink("muted"), fontSize: 12 },
    axisLabel: { color: ink("text"), fontSize: 12 },
    axisLine: { lineStyle: { color: ink("muted") } },
    axisTick: { lineStyle: { color: ink("muted") } },
    splitLine: { lineStyle: { color: ink("grid") } },
  };
}

/** An axis of names from top to bottom; without labels if `headings` puts the names above the marks. */
export function nameAxis(names: readonly string[], axisLabel: object = { show: false }) {
  return {
    ...axisLook(""),
    type: "category",
    inverse: true,
    data: names,
    splitLine: { show: false },
    axisTick: { show: false },
    axisLabel,
  };
}

/** Marks without hover effects, since the picture is static. */
export const still = { emphasis: { disabled: true }, silent: false } as const;

/** Outline of a label in the page's colour, which keeps it readable on a line. */
export const halo = { textBorderColor: ink("surface"), textBorderWidth: 4 } as const;

/** Unit for an axis of bit rates with this maximum. */
export function rateUnit(top: number): { readonly divisor: number; readonly name: string } {
  return top >= 1e9
    ? { divisor: 1e9, name: "Gbit/s" }
    : top >= 1e6
      ? { divisor: 1e6, name: "Mbit/s" }
      : { divisor: 1e3, name: "Kbit/s" };
}

/** Shortens a label that would leave its picture. */
export function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}

/** Case names above their bars, where there is no room beside them. */
export function headings(labels: readonly string[], group: number): ChartOption {
  return {
    type: "custom",
    silent: true,
    data: labels.map((_, at) => [0, at]),
    // Only the category axis matters: the value axis may be logarithmic.
    encode: { x: -1, y: 1 },
    renderItem: (params: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI) => {
      const { x } = params.coordSys as unknown as { x: number };
      const middle = api.coord([1, api.value(1)])[1] ?? 0;
      const style = { text: labels[params.dataIndex], fill: ink("text"), fontSize: 13, fontWeight: "bold" };
      return { type: "text", x: x + 2, y: middle - group / 2 + 4, style };
    },
  };
}

/** Intervals as lines in a column's colour: `[place, low, high]` each. */
export function whiskers(column: number, intervals: readonly (readonly unknown[])[]): ChartOption {
  return {
    type: "custom",
    ...still,
    encode: { x: 0, y: [1, 2] },
    data: intervals,
    renderItem: (_: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI) => {
      const [low, high] = [1, 2].map((dimension) => api.coord([api.value(0), api.value(dimension)]));
      return {
        type: "line",
        shape: { x1: low?.[0], y1: low?.[1], x2: high?.[0], y2: high?.[1] },
        style: { stroke: columnInk(column), lineWidth: 1 },
      };
    },
  };
}
