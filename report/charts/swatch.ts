/** A topology's legend entry: colour and pattern of its bars, dash and symbol of its line. */
import { lineLook, seriesColors } from "./palette.ts";

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
