/** Renders the history as a page and as Markdown, in the report's style. */
import { figures } from "../../../bench/figures/index.ts";
import { groupBy } from "../../../bench/group-by.ts";
import { LEAST_RUNS } from "../../../bench/statistics/change-points.ts";
import {
  type Block,
  box,
  chartBlock,
  type Document,
  list,
  table,
  text,
} from "../../../report/document/document.ts";
import { toMarkdownText } from "../../../report/document/markdown.ts";
import { textTable } from "../../../report/document/table.ts";
import { pageOf } from "../../../report/page/page.ts";
import { counted, timeOf } from "../../../report/text/format.ts";
import { trendChart } from "./chart.ts";
import type { OtavaChange } from "./otava.ts";
import { type Change, levelText, pointText, type Series, seriesLabel } from "./series.ts";

export interface History {
  readonly series: readonly Series[];
  /** Smaller changes are ignored, in percent. */
  readonly tolerancePercent: number;
  readonly store: string;
  readonly madeAt: string;
  /** Findings of Apache Otava. Null: it was not run. */
  readonly otava: readonly OtavaChange[] | null;
}

/** Most charts: more would make the page unusable; tables and CSV have every series and run. */
const MOST_CHARTS = 60;
/** Most lines that a chart can show apart. */
const MOST_LINES = 8;
const MOST_RUNS = 100;
/** Most runs of all drawings together. */
const MOST_POINTS = 5000;

export function historyPage(history: History): string {
  return pageOf(documentOf(history), { columns: 0, data: null });
}

/** The whole text. */
export function historyMarkdown(history: History): string {
  return toMarkdownText(documentOf(history));
}

function placeOf({ cloud, stack, region }: Series): string {
  return [cloud, stack, ...(region === null ? [] : [region])].join(", ");
}

/** Number of runs. Recreated hosts begin again with run 1, so a series has each named run once. */
function runsOf(series: readonly Series[]): number {
  let runs = 0;
  for (const own of groupBy(series, placeOf).values()) {
    const most = new Map<string, number>();
    for (const { points } of own) {
      const counts = new Map<string, number>();
      for (const { runId } of points) {
        const count = (counts.get(runId) ?? 0) + 1;
        counts.set(runId, count);
        most.set(runId, Math.max(count, most.get(runId) ?? 0));
      }
    }
    runs += [...most.values()].reduce((sum, count) => sum + count, 0);
  }
  return runs;
}

function documentOf(history: History): Document {
  const { series, store, madeAt } = history;
  return {
    title: "History of the figures",
    heading: "History of the figures",
    origin: `${counted(runsOf(series), "run")} in ${store}. Made ${timeOf(madeAt)} by egress-bench.`,
    opening: [box("read-first", summaryOf(history))],
    sections: [
      { id: "changes", heading: "Changes of level", blocks: changesTable(series) },
      { id: "trends", heading: "Trends", blocks: charts(series) },
      { id: "otava", heading: "Found by Apache Otava", blocks: otavaTable(history) },
      { id: "circumstances", heading: "What else changed", blocks: circumstancesTable(series) },
      { id: "figures", heading: "All figures", blocks: allFigures(series) },
    ],
  };
}

function summaryOf({ series, tolerancePercent }: History): Block[] {
  const judged = series.flatMap(({ changes }) => (changes === null ? [] : [changes]));
  const changes = judged.flat();
  const worse = changes.filter(({ isBetter }) => isBetter === false).length;
  const better = changes.filter(({ isBetter }) => isBetter === true).length;
  const short = series.length - judged.length;
  const headline =
    judged.length === 0
      ? `No series has ${LEAST_RUNS} runs yet: nothing is judged.`
      : changes.length === 0
        ? `No level changed by ${tolerancePercent} % or more; ${judged.length} series were judged.`
        : `${counted(changes.length, "change")} of level in ${judged.length} series: ${worse} for the worse, ${better} for the better.`;
  return [
    text(headline, "answer"),
    ...list(
      short === 0 || judged.length === 0
        ? []
        : [`${short} series have fewer than ${LEAST_RUNS} runs: they are shown and not judged.`],
    ),
  ];
}

function changesTable(series: readonly Series[]): Block[] {
  const rows = series
    .flatMap((one) =>
      (one.changes ?? []).map((change) => ({ one, change, at: one.points[change.at]?.at ?? "" })),
    )
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .map(({ one, change, at }) => [
      timeOf(at),
      placeOf(one),
      one.topology,
      `${one.caseId}, ${seriesLabel(one)}`,
      levelText(one.figure, change.before),
      levelText(one.figure, change.after),
      changeText(change),
      // The new level may have begun at any run since the one before.
      (one.points[change.at]?.changed ?? []).join("; ") || "nothing that is recorded",
    ]);
  const head = ["First run", "Stack", "Topology", "Figure", "Before", "After", "Change", "Changed with it"];
  return table(textTable(head, rows), "Changes of level, newest first.");
}

/** `12.3 % worse`. */
export function changeText({
  before,
  after,
  percent,
  isBetter,
}: Pick<Change, "before" | "after" | "percent" | "isBetter">): string {
  if (before === null || after === null) {
    return after === null ? "most without a value: worse" : "most with a value again: better";
  }
  const size = percent === null ? "from 0" : `${Math.abs(percent).toFixed(1)} %`;
  const words =
    isBetter === null ? (percent !== null && percent < 0 ? "less" : "more") : isBetter ? "better" : "worse";
  return `${size} ${words}`;
}

function charts(series: readonly Series[]): Block[] {
  const leading = series.filter(
    ({ figure, points }) => figures[figure].answers.length > 0 && points.length > 1,
  );
  const groups = [...groupBy(leading, (one) => `${placeOf(one)}: ${one.caseId}, ${seriesLabel(one)}`)];
  const drawn: Block[] = [];
  let points = 0;
  for (const [title, own] of groups.slice(0, MOST_CHARTS)) {
    // Changed lines first, then in their order.
    const shown = own
      .toSorted((a, b) => Math.sign(b.changes?.length ?? 0) - Math.sign(a.changes?.length ?? 0))
      .slice(0, MOST_LINES)
      .map((one) => newestOf(one, MOST_RUNS));
    points += shown.reduce((sum, one) => sum + one.points.length, 0);
    if (points > MOST_POINTS && drawn.length > 0) {
      break;
    }
    const index = drawn.length;
    const parts = [
      ...(shown.length < own.length ? [`${shown.length} of ${own.length} topologies`] : []),
      ...(own.some((one) => one.points.length > MOST_RUNS) ? [`the newest ${MOST_RUNS} runs`] : []),
    ];
    const heading = parts.length === 0 ? title : `${title} (${parts.join(", ")})`;
    drawn.push(
      chartBlock(
        () => trendChart(`trend-${index}`, heading, shown),
        shown.map(({ topology }, at) => ({ index: at, label: topology })),
      ),
    );
  }
  const left = groups.length - drawn.length;
  return [
    ...drawn,
    ...(left > 0 ? [text(`${left} more are in the tables and in history.csv.`, "note")] : []),
  ];
}

/** The newest runs of a series, and the changes of level among them. */
function newestOf(series: Series, count: number): Series {
  const cut = Math.max(0, series.points.length - count);
  const changes = series.changes
    ?.filter(({ at }) => at > cut)
    .map((change) => ({
      ...change,
      from: Math.max(0, change.from - cut),
      at: change.at - cut,
      to: change.to - cut,
    }));
  return { ...series, points: series.points.slice(cut), changes: changes ?? null };
}

function otavaTable({ otava }: History): Block[] {
  if (otava === null) {
    return [];
  }
  const rows = otava.map(({ test, time, before, after, percent }) => [
    timeOf(time),
    test,
    before,
    after,
    `${percent} %`,
  ]);
  return rows.length === 0
    ? [text("Otava found no change.")]
    : table(textTable(["First run", "Series", "Before", "After", "Change"], rows), "Change points by Otava.");
}

/** Each change of a version or machine once, with the runs in which it appeared. */
function circumstancesTable(series: readonly Series[]): Block[] {
  const seen = new Map<string, string[]>();
  for (const one of series) {
    for (const { at, changed } of one.points) {
      for (const words of changed) {
        const key = [timeOf(at).slice(0, 10), placeOf(one), one.topology, words].join("\n");
        seen.set(key, key.split("\n"));
      }
    }
  }
  const rows = [...seen.values()].toSorted((a, b) => (b[0] ?? "").localeCompare(a[0] ?? ""));
  return table(
    textTable(["Day", "Stack", "Topology", "Change"], rows),
    "Tools, kernels, sizes, zones and versions that differ from the run before.",
    "folded",
  );
}

function allFigures(series: readonly Series[]): Block[] {
  const rows = series.map((one) => {
    const { format } = figures[one.figure];
    const values = one.points.flatMap(({ value }) => value ?? []);
    const [first, last] = [one.points[0], one.points.at(-1)].map((point) =>
      point === undefined ? "" : pointText(one.figure, point),
    );
    return [
      placeOf(one),
      one.topology,
      `${one.caseId}, ${seriesLabel(one)}`,
      String(one.points.length),
      ...[first ?? "", last ?? ""],
      values.length === 0 ? "" : format(Math.min(...values)),
      values.length === 0 ? "" : format(Math.max(...values)),
      one.changes === null ? "not judged" : String(one.changes.length),
    ];
  });
  const head = ["Stack", "Topology", "Figure", "Runs", "First", "Last", "Least", "Most", "Changes"];
  return table(textTable(head, rows), "Every series.", "folded");
}
