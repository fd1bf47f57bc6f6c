/**
 * The page's style sheet: light and dark by the reader's preference, print on white, one column on a phone.
 *
 * @module
 */
import { seriesColors } from "../charts/palette.ts";

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

/** Okabe and Ito's blue is too dark for a dark page; the others keep their distance. */
const darkSeries = ["#4aa3e0", ...seriesColors.slice(1)].map((color, index) =>
  index === 6 ? "#c2a24a" : index === 7 ? "#a0a0a0" : color,
);

function variables(theme: Record<string, string>, series: readonly string[]): string {
  const named = Object.entries(theme).map(([name, value]) => `--${name}:${value}`);
  return [...named, ...series.map((color, index) => `--series-${index}:${color}`)].join(";");
}

/** The page around its sections. */
const frame = `*{box-sizing:border-box}
body{margin:0 auto;max-width:1120px;padding:24px 20px 64px;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:var(--text);background:var(--surface);overflow-wrap:break-word}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 4px}
h2{font-size:1.3rem;margin:44px 0 8px;padding-top:16px;border-top:1px solid var(--grid)}
h3{font-size:1.05rem;margin:0}
p{margin:8px 0}
.sub,.note,small{color:var(--muted)}
.sub{margin:0 0 16px}
ul{margin:8px 0;padding-left:22px}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.problems{border:1px solid var(--bad);border-left-width:6px;border-radius:6px;padding:10px 16px;margin:16px 0}
.read-first{background:var(--raised);border-left:6px solid var(--accent);border-radius:6px;padding:6px 16px;margin:12px 0}
nav ul{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;padding:0;margin:0 0 8px;font-size:.9rem}
nav a{display:inline-block;padding:4px 0}`;

/** The answer and the inputs that move it. */
const needsForm = `.sentence{font-size:1.2rem;line-height:1.45;font-weight:600;border-left:6px solid var(--accent);padding:4px 0 4px 16px;margin:14px 0}
td.pick{font-weight:700;color:var(--accent)}
#needs{background:var(--raised);border-radius:8px;padding:10px 16px;margin:20px 0}
#needs legend{font-weight:600;padding:0}
.needs{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:10px 18px;margin:8px 0;align-items:end}
.needs label{display:block;font-size:.9rem}
.needs .unit{color:var(--muted);margin-left:6px}
.needs input:not([type=checkbox]),.needs select{display:block;width:100%;min-height:36px;margin-top:2px;padding:4px 8px;font:inherit;color:var(--text);background:var(--surface);border:1px solid var(--muted);border-radius:5px}
.needs .switch{display:flex;align-items:center;gap:8px;min-height:36px}
#needs-problem{color:var(--bad);font-weight:600}
.problems h2{border:0;margin:0;padding:0;font-size:1rem;color:var(--bad)}`;

/** What may be chosen, tables, pictures. */
const tablesAndPictures = `fieldset{border:0;margin:0;padding:0;min-width:0}
.chooser{position:sticky;top:0;z-index:2;background:var(--surface);border-bottom:1px solid var(--grid);padding:8px 0;margin:12px 0 0}
.chooser legend{float:left;margin:4px 12px 0 0;padding:0;font-weight:600}
.chooser label,.scale label{display:inline-flex;align-items:center;gap:6px;min-height:32px;padding:0 10px 0 2px;cursor:pointer}
.swatch{width:34px;height:14px;flex:none}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;padding:0;margin:6px 0;font-size:.9rem}
.legend li{display:inline-flex;align-items:center;gap:6px}
.scroll{overflow-x:auto;margin:12px 0}
.only{overflow-x:auto}
.only svg{min-width:860px}
table{border-collapse:collapse;font-size:.9rem;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--muted);padding:0 0 6px}
th,td{text-align:left;vertical-align:top;padding:7px 10px;border-bottom:1px solid var(--grid)}
thead th{border-bottom:2px solid var(--muted);vertical-align:bottom;line-height:1.25}
tbody th{font-weight:600}
td small,th small{display:block;font-weight:400;font-size:.9em;line-height:1.35;white-space:pre-wrap}
td.missing{color:var(--muted);font-style:italic}
td.failed,td.limit{color:var(--bad);font-weight:600}
figure{margin:20px 0 28px;break-inside:avoid}
figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:4px 16px;align-items:baseline}
.scale{font-size:.9rem}
svg{display:block;width:100%;height:auto}
.second{display:none}
figure:has(input[value=second]:checked) .second{display:block}
figure:has(input[value=second]:checked) .first{display:none}`;

/** Windows that are narrower than the page; `.cards` are tables that become a card a row. */
const narrowWindows = `@media screen and (max-width:640px){
body{padding:16px 14px 48px}
h1{font-size:1.4rem}
.sentence{font-size:1.05rem}
.wide{display:none!important}
.chooser{position:static}
.chooser legend{float:none;width:100%}
}
@media screen and (min-width:641px){.narrow{display:none!important}}
@media screen and (max-width:960px){
.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards tr{display:block;border:1px solid var(--grid);border-radius:8px;margin:0 0 12px;padding:6px 12px}
.cards th,.cards td{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 12px;border-bottom:1px solid var(--grid);padding:5px 0;text-align:right}
.cards tr>:last-child{border-bottom:0}
.cards tbody th{font-size:1.05rem;text-align:left}
.cards td::before{content:attr(data-head);color:var(--muted);text-align:left;font-weight:400;font-style:normal;max-width:55%}
.cards td small{flex-basis:100%}
}
@media screen and (min-width:641px) and (max-width:960px){
.cards,.cards tbody,.cards caption{display:block}
.cards tbody{display:grid;grid-template-columns:1fr 1fr;gap:12px}
.cards tr{margin:0}
}`;

/** What opens, and the tip at a mark. */
const folded = `details{margin:6px 0}
summary{cursor:pointer;padding:4px 0}
details.case>summary{font-weight:600}
details.case figcaption{display:none}
.mark-on{stroke:var(--accent);stroke-width:3px}
#tip{position:fixed;z-index:3;max-width:min(320px,90vw);padding:6px 10px;border-radius:6px;background:var(--text);color:var(--surface);font-size:.85rem;pointer-events:none}
#tip[hidden]{display:none}
code,pre{font-size:.85rem;white-space:pre-wrap}`;

/** On paper. */
const printed = `@media print{
body{max-width:none;padding:0;font-size:11pt}
.chooser,.scale,#tip,#needs,nav{display:none}
.narrow{display:none!important}
details::details-content{content-visibility:visible;display:block;height:auto}
table{font-size:8pt}th,td{padding:3px 5px}
.scroll{overflow:visible}
thead{display:table-header-group}
tr{break-inside:avoid}
.data{display:none}
}`;

/**
 * @param columns Number of topologies: each gets a rule that hides it when its box is not ticked, without script.
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
${frame}
${needsForm}
${tablesAndPictures}
${narrowWindows}
${folded}
${printed}
${hide}`;
}
