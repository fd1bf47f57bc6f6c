/** The page's style sheet: the style sheets beside this file, the colours of series, and a rule per topology. */
import { seriesColors } from "../charts/palette.ts";
import { pageStyle } from "./texts.generated.ts";

/** Okabe and Ito's blue is too dark for a dark page; the others have enough contrast. */
const darkSeries = ["#4aa3e0", ...seriesColors.slice(1)].map((color, index) =>
  index === 6 ? "#c2a24a" : index === 7 ? "#a0a0a0" : color,
);

function variables(series: readonly string[]): string {
  return `:root{${series.map((color, index) => `--series-${index}:${color}`).join(";")}}`;
}

/**
 * The style sheet of a page.
 *
 * @param columns Number of topologies: each gets a rule that hides it while its box is not ticked, without script.
 */
export function styleSheet(columns: number): string {
  const hide = Array.from(
    { length: columns },
    (_, index) => `body:has(#show-${index}:not(:checked)) [data-column="${index}"]{display:none}`,
  );
  const dark = `@media screen and (prefers-color-scheme:dark){${variables(darkSeries)}}`;
  return [pageStyle, variables(seriesColors), dark, ...hide].join("\n");
}
