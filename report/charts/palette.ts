/**
 * Colours of the charts. ECharts draws with stand-in colours, which `svg.ts` turns into CSS variables. So one picture serves light,
 * dark and print, and every mark's topology is known.
 */

/** Colours that are not a topology's. */
const inks = ["text", "muted", "grid", "surface", "good", "fair", "poor", "accent"] as const;
export type Ink = (typeof inks)[number];

/**
 * Okabe and Ito's colours, which people with any colour vision can tell apart, lightest last.
 * Source: https://jfly.uni-koeln.de/color/
 */
export const seriesColors = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#d55e00",
  "#cc79a7",
  "#56b4e9",
  "#8c6d1f",
  "#6b6b6b",
] as const;

/** Marks that distinguish topologies besides colour: dashes and symbols of lines, patterns of bars. */
const dashes = ["solid", [8, 4], [2, 3], [10, 3, 2, 3]] as const;
const symbols = ["circle", "rect", "triangle", "diamond"] as const;
const decals = [
  null,
  { rotation: Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  { rotation: -Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  {
    symbol: "circle",
    symbolSize: 0.6,
    dashArrayX: [
      [6, 6],
      [0, 6, 6, 0],
    ],
    dashArrayY: [6, 0],
  },
  { rotation: 0, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  { rotation: Math.PI / 2, dashArrayX: [1, 0], dashArrayY: [2, 4] },
] as const;

const hex = (value: number) => value.toString(16).padStart(2, "0");

/** Stand-in for a colour that is not a topology's. */
export function ink(name: Ink): string {
  return `#f0e1${hex(inks.indexOf(name))}`;
}

function columnColor(index: number): string {
  return `#f0e2${hex(index % 256)}`;
}

/** Stand-in for the text colour, for marks of a topology such as whiskers and value labels. */
export function columnInk(index: number): string {
  return `#f0e3${hex(index % 256)}`;
}

/** Dash and symbol of a topology's line. */
export function lineLook(index: number) {
  const type = dashes[index % dashes.length] ?? "solid";
  return {
    symbol: symbols[index % symbols.length] ?? "circle",
    itemStyle: { color: columnColor(index) },
    lineStyle: { color: columnColor(index), width: 2, type: typeof type === "string" ? type : [...type] },
  };
}

/** Colour and pattern of a topology's bars. */
export function barLook(index: number) {
  const decal = decals[index % decals.length] ?? null;
  return {
    color: columnColor(index),
    borderColor: columnColor(index),
    borderWidth: 1,
    decal: decal === null ? { symbol: "none" } : { ...decal, color: `#f0e4${hex(index % 256)}` },
  };
}

/** CSS and topology of a stand-in colour. */
export function resolveStandIn(color: string): { css: string; column: number | null } | null {
  const match = /^#f0e([1-4])([0-9a-f]{2})$/.exec(color);
  if (match === null) {
    return null;
  }
  const index = Number.parseInt(match[2] ?? "", 16);
  const own = `var(--series-${index % seriesColors.length})`;
  const css = [`var(--${inks[index] ?? "text"})`, own, "var(--text)", "var(--surface)"][Number(match[1]) - 1];
  return { css: css ?? "var(--text)", column: match[1] === "1" ? null : index };
}

/** Patterns for a bar of 14 x 12, in the order of the charts' own. */
const hatches = [
  "",
  "M0 8L8 0M0 14L14 0M6 14L14 6",
  "M0 6L8 14M0 0L14 14M6 0L14 8",
  "M3 3h2M9 3h2M6 7h2M3 11h2M9 11h2",
  "M0 3H14M0 7H14M0 11H14",
  "M3 0V14M7 0V14M11 0V14",
];
const symbolPaths: Readonly<Record<string, string>> = {
  circle: "M21 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  rect: "M21 3h8v8h-8z",
  triangle: "M25 2L30 11H20z",
  diamond: "M25 1L30 7L25 13L20 7z",
};

/** A small picture of a topology's bar and line, as decoration beside its name. */
export function swatch(index: number): string {
  const { symbol, lineStyle } = lineLook(index);
  const color = `var(--series-${index % seriesColors.length})`;
  const dash = Array.isArray(lineStyle.type) ? ` stroke-dasharray="${lineStyle.type.join(" ")}"` : "";
  const hatch = hatches[index % hatches.length];
  return (
    `<svg class="swatch" viewBox="0 0 34 14" aria-hidden="true"><path d="M0 1h14v12h-14z" fill="${color}"/>` +
    (hatch ? `<path d="${hatch}" stroke="var(--surface)" stroke-width="1.5" fill="none"/>` : "") +
    `<path d="M17 7H34" stroke="${color}" stroke-width="2" fill="none"${dash}/>` +
    `<path d="${symbolPaths[symbol] ?? symbolPaths.circle}" fill="${color}"/></svg>`
  );
}

/** Okabe and Ito's blue is too dark for a dark page; the others have enough contrast. */
const darkSeries = ["#4aa3e0", ...seriesColors.slice(1)].map((color, index) =>
  index === 6 ? "#c2a24a" : index === 7 ? "#a0a0a0" : color,
);

function variables(series: readonly string[]): string {
  return `:root{${series.map((color, index) => `--series-${index}:${color}`).join(";")}}`;
}

/**
 * Styles beyond the style sheets of `texts/`.
 *
 * @param columns Number of topologies: each gets a rule that hides it while its box is not ticked, without script.
 */
export function seriesStyles(columns: number): string[] {
  const hide = Array.from(
    { length: columns },
    (_, index) => `body:has(#show-${index}:not(:checked)) [data-column="${index}"]{display:none}`,
  );
  const dark = `@media screen and (prefers-color-scheme:dark){${variables(darkSeries)}}`;
  return [variables(seriesColors), dark, ...hide];
}
