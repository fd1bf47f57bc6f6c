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

/** Draws one chart. @throws {Error} with code `MODULE_NOT_FOUND` if ECharts is not installed */
export function renderSvg(request: SvgRequest): string {
  const { id, width, height } = request;
  const chart = echarts().init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: "sans-serif" }, ...request.option });
    const body = chart
      .renderToSVGString()
      .replace(/^<svg[^>]*>/, "")
      .replace(/<\/svg>\s*$/, "")
      .replace(/<style[\s\S]*?<\/style>/g, "")
      .replaceAll(/zr\d+-/g, `${id}-`)
      // Invisible boxes of texts.
      .replace(/<path(?=[^>]*fill="none")(?![^>]*stroke)[^>]*><\/path>\n?/g, "");
    const patterns = patternColumns(body);
    const marks = body.replace(/<(\w+)([^>]*)>/g, (_, name: string, attributes: string) =>
      openTag(name, attributes, patterns, request.tip),
    );
    const closed = marks.trim().replace(/(<path[^>]*)><\/path>/g, "$1/>");
    return picture(id, request, [width, height], ` font-size="${FONT_SIZE}"`, closed);
  } finally {
    chart.dispose();
  }
}

/** The topology of each fill pattern, by the colour inside. */
function patternColumns(svg: string): Map<string, number> {
  const found = svg.matchAll(/<pattern[^>]*id="([^"]+)"[^>]*>[\s\S]*?<\/pattern>/g);
  return new Map(
    [...found].flatMap(([whole, id = ""]) => {
      const column = resolveStandIn(/fill="(#f0e4..)"/.exec(whole)?.[1] ?? "")?.column;
      return typeof column === "number" ? [[id, column] as const] : [];
    }),
  );
}

/** Rewrites one opening tag. ECharts escapes quotes and angle brackets in texts, so matches are real attributes. */
function openTag(
  name: string,
  attributes: string,
  patterns: Map<string, number>,
  tip: SvgRequest["tip"],
): string {
  const found = new Map(
    [...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  let column: number | null = null;
  for (const key of ["fill", "stroke"]) {
    const value = found.get(key) ?? "";
    const color = resolveStandIn(value);
    column ??= color?.column ?? patterns.get(/^url\(#(.+)\)$/.exec(value)?.[1] ?? "") ?? null;
    if (color !== null) {
      found.set(key, color.css);
    }
  }
  const [series, item] = [found.get("ecmeta_series_index"), found.get("ecmeta_data_index")];
  const words = series === undefined || item === undefined ? undefined : tip(Number(series), Number(item));
  for (const [key, value] of fontAttributes(found.get("style") ?? "")) {
    found.set(key, value);
  }
  for (const key of [...found.keys()].filter((key) =>
    /^(style|class|pointer-events|ecmeta_.*|xml:space)$/.test(key),
  )) {
    found.delete(key);
  }
  // A pattern covers its bar, which has the title.
  if (found.get("fill")?.startsWith("url(")) {
    found.set("pointer-events", "none");
  }
  const kept = [...found]
    .map(([key, value]) => ` ${key}="${shape.has(key) ? rounded(value) : value}"`)
    .join("");
  const owner = column === null ? "" : ` data-column="${column}"`;
  return `<${name}${kept}${owner}>${words === undefined ? "" : `<title>${escapeHtml(words)}</title>`}`;
}

/** Attributes that hold coordinates. */
const shape = new Set(["d", "transform", "x", "y"]);

/** Rounds coordinates to tenths, which makes a page of many pictures a third smaller without visible change. */
function rounded(coordinates: string): string {
  return coordinates.replace(/-?\d*\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10));
}

/** `font-size:12px` as `font-size="12px"`: a style attribute would need a less strict content security policy. */
function fontAttributes(style: string): [string, string][] {
  return style.split(";").flatMap((rule): [string, string][] => {
    const [key, value] = rule.split(":");
    return key &&
      value &&
      value.trim() !== FONT_SIZE &&
      /^(font-size|font-weight|font-style)$/.test(key.trim())
      ? [[key.trim(), value.trim()]]
      : [];
  });
}
