/** A history of more series and runs than a page can draw. */
import { expect, test } from "vitest";
import { historyPage } from "../../../packages/history/src/page.ts";
import { type RunFigure, seriesOf, toHistoryCsv } from "../../../packages/history/src/series.ts";
import { stored } from "./fixture.ts";

const RUNS = 120;
const levels = (fallsAt = RUNS) =>
  Array.from({ length: RUNS }, (_, run) => (run < fallsAt ? 1e9 : 8e8) + (run % 7));
const runs = ["a", "b", "c", "d", "e", "f", "g", "h"].flatMap((caseId) =>
  Array.from({ length: 12 }, (_, at): RunFigure[] =>
    // The last topology alone changes its level.
    stored({ levels: levels(at === 11 ? 60 : RUNS), caseId, topology: `t${String(at).padStart(2, "0")}` }),
  ).flat(),
);

test("draws changed lines first, the newest runs, and notes what is left out", () => {
  const series = seriesOf(runs, 5);
  const history = {
    series,
    tolerancePercent: 5,
    store: "history",
    madeAt: "2026-06-01T00:00:00Z",
    otava: null,
  };
  const html = historyPage(history).replaceAll("\u00a0", " ");
  expect(html).toContain("azure, night, eastus: a, Throughput (8 of 12 topologies, the newest 100 runs)");
  // 6 charts of 8 lines of 100 runs are the most.
  expect(html.match(/id="trend-\d+-w-linear-title"/g)).toHaveLength(6);
  expect(html).toContain("2 more are in the tables and in history.csv.");
  const chart = html.slice(html.indexOf('id="trend-0-'), html.indexOf('id="trend-1-'));
  expect(chart).toContain(">t11<");
  expect(chart).not.toContain(">t10<");
  expect(chart).not.toContain(">run-19<");
  expect(chart).toContain(">run-20<");
  expect(toHistoryCsv(series).split("\r\n")).toHaveLength(runs.length + 2);
});
