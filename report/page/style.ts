/** Styles of a page's series: their colours, and a rule per topology. */
import { seriesColors } from "../charts/palette.ts";

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
