/**
 * Renders ECharts' options as SVG text for an HTML page with a strict content security policy: no style element or
 * attribute, no script, unique ids, colours by CSS variable, a title for every mark.
 */
import { createRequire } from "node:module";
import { escapeHtml } from "../text/escape.ts";
import { resolveStandIn } from "./palette.ts";
import { picture } from "./shapes.ts";

/** Default font size of texts, in pixels. */
const FONT_SIZE = "12px";

/** Options of ECharts; its own type would be required of everybody who imports the report. */
export type ChartOption = Readonly<Record<string, unknown>>;

/** A chart for ECharts to draw, and its size in pixels. */
export interface SvgRequest {
  /** Unique in the page; letters, digits and hyphens. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly description: string;
  readonly option: ChartOption;
  /** Tip of a mark, by series and item; undefined: none. */
  readonly tip: (series: number, item: number) => string | undefined;
}

/** Loaded with the first chart, because ECharts is optional. The bundle: the separate modules take 300 ms and 75 MB more. */
const echarts = () =>
  createRequire(import.meta.url)(
    "echarts/dist/echarts.esm.min",
  ) as typeof import("echarts/dist/echarts.esm.min");

/** An element as ECharts' SVG painter makes it. */
interface Element {
  readonly tag: string;
  readonly attrs?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly children?: readonly (Element | null | undefined)[];
  readonly text?: string;
}

/** Draws one chart. @throws {Error} with code `MODULE_NOT_FOUND` if ECharts is not installed */
export function renderSvg(request: SvgRequest): string {
  const { id, width, height } = request;
  const chart = echarts().init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: "sans-serif" }, ...request.option });
    const painter = chart.getZr().painter as unknown as { renderToVNode(options: object): Element };
    const elements = (painter.renderToVNode({ compress: true }).children ?? []).filter((one) => one != null);
    const patterns = new Map(elements.flatMap(patternColumns));
    const body = elements.map((one) => markup(one, request, patterns)).join("");
    return picture(id, request, [width, height], ` font-size="${FONT_SIZE}"`, body);
  } finally {
    chart.dispose();
  }
}

/** The topologies of fill patterns, by the reference to them: a pattern has its topology's stand-in colour. */
function patternColumns({ tag, attrs, children = [] }: Element): (readonly [string, number])[] {
  const inner = children.filter((one) => one != null);
  if (tag !== "pattern") {
    return inner.flatMap(patternColumns);
  }
  const column = inner
    .map((one) => resolveStandIn(String(one.attrs?.fill))?.column)
    .find((one) => one != null);
  return column == null ? [] : [[`url(#${attrs?.id})`, column]];
}

/** An element as text, in the page's colours, with the tip of a mark. */
function markup(
  { tag, attrs = {}, children = [], text = "" }: Element,
  request: SvgRequest,
  patterns: ReadonlyMap<string, number>,
): string {
  const { fill, stroke, style, ecmeta_series_index: series, ecmeta_data_index: item } = attrs;
  // An invisible box of a text.
  if (tag === "path" && fill === "none" && stroke === undefined) {
    return "";
  }
  const paints = [fill, stroke].map((value) => ({ value, standIn: resolveStandIn(String(value)) }));
  const columns = paints.map(({ value, standIn }) => standIn?.column ?? patterns.get(String(value)));
  const [fills, strokes] = paints.map(({ value, standIn }) => standIn?.css ?? value);
  const shown = Object.entries({
    ...{ ...attrs, fill: fills, stroke: strokes, ...fontAttributes(String(style)) },
    ...{
      style: undefined,
      class: undefined,
      "xml:space": undefined,
      "data-column": columns.find((one) => one != null),
    },
    // A pattern covers its bar, which has the title.
    "pointer-events": String(fill).startsWith("url(") ? "none" : undefined,
  }).flatMap(([name, value]) =>
    value == null || value === false || name.startsWith("ecmeta_")
      ? []
      : [` ${name}="${escapeHtml(attributeText(name, String(value), request.id))}"`],
  );
  const tip =
    series === undefined || item === undefined ? undefined : request.tip(Number(series), Number(item));
  const title = tip === undefined ? "" : `<title>${escapeHtml(tip)}</title>`;
  const inner = children.map((one) => (one == null ? "" : markup(one, request, patterns)));
  const content = `${title}${escapeHtml(text)}${inner.join("")}`;
  return `<${tag}${shown.join("")}${content === "" ? "/>" : `>${content}</${tag}>`}`;
}

/** Coordinates in tenths, and ids that are the page's own. */
function attributeText(name: string, value: string, id: string): string {
  return shape.has(name) ? rounded(value) : value.replace(/zr\d+-/, `${id}-`);
}

/** Attributes that hold coordinates. */
const shape = new Set(["d", "transform", "x", "y"]);

/** Rounds coordinates to tenths, which makes a page of many pictures a third smaller without visible change. */
function rounded(coordinates: string): string {
  return coordinates.replace(/-?\d*\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10));
}

/** `font-size:12px` as `font-size="12px"`: a style attribute would need a less strict content security policy. */
function fontAttributes(style: string): Record<string, string> {
  const rules = style.split(";").map((rule) => rule.split(":").map((part) => part.trim()));
  return Object.fromEntries(
    rules.flatMap(([key = "", value = ""]) =>
      fontStyles.has(key) && value !== FONT_SIZE && value !== "" ? [[key, value]] : [],
    ),
  );
}

const fontStyles = new Set(["font-size", "font-weight", "font-style"]);
