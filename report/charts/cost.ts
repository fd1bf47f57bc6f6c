/**
 * Monthly cost by traffic, one line per way out, with break-evens and the needed traffic marked. Drawn without ECharts,
 * which is ten times as large as everything else that the page needs to redraw it.
 */
import { groupBy } from "../../bench/group-by.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { type Answer, costAt } from "../choice/answer.ts";
import type { Assessed } from "../choice/assess.ts";
import { costKey } from "../choice/twins.ts";
import { breakEvenSentence } from "../choice/words.ts";
import { HOURS_PER_MONTH } from "../cost/bill.ts";
import { escapeHtml } from "../text/escape.ts";
import { count, money } from "../text/format.ts";
import type { Chart, Variant } from "./chart.ts";
import { lineLook, seriesColors } from "./palette.ts";
import { picture, round, words } from "./shapes.ts";

/** One line of the chart; ways out with equal costs share it. */
interface Line {
  readonly one: Assessed;
  readonly label: string;
  readonly at: (gb: number) => number;
}

/** GB per month: 10 GB to 100 TB, evenly spaced on a logarithmic axis. */
const logarithmic = Array.from({ length: 33 }, (_, index) => 10 ** (1 + index / 8));
const shownTraffic = [10, 100, 1000, 10_000, 100_000];

/** @returns null when no way out has all its prices. */
export function costChart(answer: Answer): Chart | null {
  const { assessed, needs, breakEvens, cloud, currency } = answer;
  const lines = [...groupBy(assessed, costKey).values()].flatMap((same): Line[] => {
    const [one] = same;
    return one === undefined || costAt(one, needs, 1) === null
      ? []
      : [{ one, label: labelOf(one, same.length - 1), at: (gb) => costAt(one, needs, gb) ?? 0 }];
  });
  if (lines.length === 0) {
    return null;
  }
  const chart = {
    id: `cost-${cloud}`,
    title: `Cost a month and traffic, ${cloudRecords[cloud].title}`,
    description: `Cost of ${HOURS_PER_MONTH} hours against GB a month, in and out in your proportion.${breakEvens.length === 0 ? "" : " Circles: break-evens of the pick."}`,
    columns: lines.map(({ one }) => one.way.look),
    table: {
      head: ["Way out", ...shownTraffic.map((gb) => `${count(gb)} GB`)],
      rows: lines.map(({ label, at }) => [label, ...shownTraffic.map((gb) => money(at(gb), currency))]),
    },
  };
  const variants = (["log", "linear"] as const).flatMap((scale) => [
    { narrow: false, scale },
    { narrow: true, scale },
  ]);
  return {
    ...chart,
    drawn: variants.map((variant) => ({ ...variant, svg: draw(chart, lines, answer, variant) })),
  };
}

function labelOf({ id }: Assessed, others: number): string {
  return others === 0 ? id : `${id} and ${count(others)} of the same cost`;
}

/** Positions of figures in the picture. */
interface Frame {
  readonly x: (gb: number) => number;
  readonly y: (amount: number) => number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

type Texts = Pick<Chart, "id" | "title" | "description">;

function draw(texts: Texts, lines: readonly Line[], answer: Answer, { narrow, scale }: Variant): string {
  const readersGb = answer.needs.gbIn + answer.needs.gbOut;
  const log = scale === "log";
  // On a linear axis the largest traffic would squeeze everything else into a corner.
  const shown = log
    ? logarithmic
    : Array.from({ length: 21 }, (_, index) => (index * Math.max(readersGb, 1)) / 10);
  const [width, height] = narrow ? ([400, 320] as const) : ([960, 360] as const);
  const frame = frameOf(lines, shown, log, width, height);
  const id = `${texts.id}-${narrow ? "n" : "w"}-${scale}`;
  return picture(
    id,
    texts,
    [width, height],
    ' font-family="sans-serif" font-size="12"',
    axes(frame, shown, lines, answer.currency, { narrow, log }) +
      reader(frame, readersGb, shown) +
      lines.map((line) => lineOf(line, shown, frame, answer.currency)).join("") +
      breakEvenMarks(frame, answer, shown),
  );
}

function frameOf(
  lines: readonly Line[],
  shown: readonly number[],
  log: boolean,
  width: number,
  height: number,
): Frame {
  const [first, last] = [shown[0] ?? 0, shown.at(-1) ?? 1];
  const top = Math.max(10, ...lines.flatMap(({ at }) => shown.map(at)));
  const place = { left: 64, right: width - 16, top: 34, bottom: height - 44 };
  const share = (value: number, from: number, to: number) =>
    log
      ? (Math.log10(Math.max(value, from)) - Math.log10(from)) / (Math.log10(to) - Math.log10(from))
      : (value - from) / (to - from);
  return {
    ...place,
    x: (gb) => round(place.left + share(gb, first, last) * (place.right - place.left)),
    y: (amount) =>
      round(
        place.bottom -
          share(amount, log ? 1 : 0, log ? 10 ** Math.ceil(Math.log10(top)) : top * 1.05) *
            (place.bottom - place.top),
      ),
  };
}

function axes(
  { x, y, left, right, top, bottom }: Frame,
  shown: readonly number[],
  lines: readonly Line[],
  currency: string,
  { narrow, log }: { readonly narrow: boolean; readonly log: boolean },
): string {
  const highest = Math.max(10, ...lines.flatMap(({ at }) => shown.map(at)));
  const across = log ? shownTraffic : ticks(shown.at(-1) ?? 1, narrow ? 3 : 6);
  const up = log
    ? Array.from({ length: Math.ceil(Math.log10(highest)) + 1 }, (_, index) => 10 ** index)
    : ticks(highest, 5);
  const short = (value: number) =>
    value >= 1e6 ? `${value / 1e6}M` : value >= 1e4 ? `${value / 1e3}k` : count(value);
  return (
    up
      .map(
        (amount) =>
          `<path d="M${left} ${y(amount)}H${right}" stroke="var(--grid)"/>${words(left - 6, y(amount) + 4, short(amount), ' text-anchor="end"')}`,
      )
      .join("") +
    across
      .map(
        (gb) =>
          `<path d="M${x(gb)} ${bottom}v5" stroke="var(--muted)"/>${words(x(gb), bottom + 19, short(gb), ' text-anchor="middle"')}`,
      )
      .join("") +
    `<path d="M${left} ${top}V${bottom}H${right}" stroke="var(--muted)" fill="none"/>` +
    words(8, 16, `${currency} a month`) +
    words((left + right) / 2, bottom + 38, "GB a month", ' text-anchor="middle"')
  );
}

function ticks(most: number, about: number): number[] {
  const rough = most / about;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * ([1, 2, 5, 10].find((one) => one * size >= rough) ?? 10);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

function reader({ x, top, bottom }: Frame, gb: number, shown: readonly number[]): string {
  const [first, last] = [shown[0] ?? 0, shown.at(-1) ?? 0];
  return gb < first || gb > last
    ? ""
    : `<path d="M${x(gb)} ${top - 4}V${bottom}" stroke="var(--accent)" stroke-dasharray="6 4" stroke-width="1.5"/>` +
        words(x(gb), top - 10, `yours: ${count(Math.round(gb))} GB`, ' text-anchor="middle"');
}

function lineOf(
  { one, label, at }: Line,
  shown: readonly number[],
  { x, y }: Frame,
  currency: string,
): string {
  const { look } = one.way;
  const color = `var(--series-${look % seriesColors.length})`;
  const { type } = lineLook(look).lineStyle;
  const dash = Array.isArray(type) ? ` stroke-dasharray="${type.join(" ")}"` : "";
  const path = shown.map((gb, index) => `${index === 0 ? "M" : "L"}${x(gb)} ${y(at(gb))}`).join("");
  const points = shown.filter((_, index) => index % 4 === 0);
  const marks = points.map(
    (gb) =>
      `<circle cx="${x(gb)}" cy="${y(at(gb))}" r="3" fill="${color}"><title>${escapeHtml(`${label}, ${count(Math.round(gb))} GB: ${money(at(gb), currency)}`)}</title></circle>`,
  );
  return `<g data-column="${look}"><path d="${path}" stroke="${color}" stroke-width="2" fill="none"${dash}/>${marks.join("")}</g>`;
}

/** Rings without labels, which would cover the lines; the text below has their figures. */
function breakEvenMarks({ x, y }: Frame, { breakEvens, currency }: Answer, shown: readonly number[]): string {
  const [first, last] = [shown[0] ?? 0, shown.at(-1) ?? 0];
  return breakEvens
    .filter(({ gb }) => gb >= first && gb <= last)
    .map(
      (one) =>
        `<circle cx="${x(one.gb)}" cy="${y(one.cost)}" r="7" fill="none" stroke="var(--text)" stroke-width="2"><title>${escapeHtml(breakEvenSentence(one, currency))}</title></circle>`,
    )
    .join("");
}
