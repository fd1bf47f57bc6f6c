/** The page's style sheet: `page.css`, `content.css` and `windows.css`, and the colours of light, dark and print. */
import { seriesColors } from "../charts/palette.ts";
import { pageStyle } from "./texts.generated.ts";

const light = {
  text: "#1b1b1b",
  muted: "#5c5c5c",
  grid: "#dcdcdc",
  surface: "#ffffff",
  raised: "#f5f6f8",
  good: "#b9dff5",
  fair: "#f7e2a0",
  poor: "#efb08c",
  accent: "#7a3e9d",
  bad: "#a3300a",
  link: "#005a9c",
};
const dark = {
  text: "#ececec",
  muted: "#a8a8a8",
  grid: "#3d4248",
  surface: "#15181c",
  raised: "#1f2429",
  good: "#1d5273",
  fair: "#6b5710",
  poor: "#84391a",
  accent: "#c792ea",
  bad: "#ffa07a",
  link: "#7cc4ff",
};

/** Okabe and Ito's blue is too dark for a dark page; the others have enough contrast. */
const darkSeries = ["#4aa3e0", ...seriesColors.slice(1)].map((color, index) =>
  index === 6 ? "#c2a24a" : index === 7 ? "#a0a0a0" : color,
);

function variables(theme: Record<string, string>, series: readonly string[]): string {
  const named = Object.entries(theme).map(([name, value]) => `--${name}:${value}`);
  return [...named, ...series.map((color, index) => `--series-${index}:${color}`)].join(";");
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
  ).join("\n");
  return `
:root{color-scheme:light dark;${variables(light, seriesColors)}}
@media (prefers-color-scheme:dark){:root{${variables(dark, darkSeries)}}}
@media print{:root{color-scheme:light;${variables(light, seriesColors)}}}
${pageStyle}${hide}`;
}
