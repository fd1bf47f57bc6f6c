/** Series, their changes, and the page that shows them. */
import { describe, expect, test } from "vitest";
import { historyMarkdown, historyPage } from "../../../packages/history/src/page.ts";
import {
  newestFigures,
  type RunFigure,
  seriesOf,
  toHistoryCsv,
} from "../../../packages/history/src/series.ts";
import { stored } from "./fixture.ts";

const step = (before: number, after: number) => [
  ...Array.from({ length: 8 }, (_, index) => before + index / 1000),
  ...Array.from({ length: 8 }, (_, index) => after + index / 1000),
];
const page = (runs: readonly RunFigure[]) => {
  const history = {
    series: seriesOf(runs, 5),
    tolerancePercent: 5,
    store: "history",
    madeAt: "2026-02-01T00:00:00.000Z",
    otava: null,
  };
  return { html: historyPage(history), markdown: historyMarkdown(history) };
};

describe("a change", () => {
  test.each([
    ["throughput", 1e9, 8e8, -20, false],
    ["throughput", 8e8, 1e9, 25, true],
    ["latencyP50", 100, 120, 20, false],
    ["latencyP50", 120, 90, -25, true],
  ] as const)("of %s from %d to %d is %d %%, better: %s", (figure, before, after, percent, isBetter) => {
    const [found] = seriesOf(stored({ levels: step(before, after), figure }), 5);
    expect(found?.changes).toHaveLength(1);
    expect(found?.changes?.[0]).toMatchObject({ at: 8, isBetter });
    expect(found?.changes?.[0]?.percent).toBeCloseTo(percent, 1);
  });

  test("under the tolerance is ignored", () => {
    const runs = stored({ levels: step(1000, 960) });
    expect(seriesOf(runs, 5)[0]?.changes).toEqual([]);
    expect(seriesOf(runs, 3)[0]?.changes).toHaveLength(1);
  });

  test("of fewer than ten runs is not judged, and the page says so", () => {
    const runs = stored({ levels: step(1000, 500).slice(4, 13) });
    expect(seriesOf(runs, 5)[0]?.changes).toBeNull();
    expect(page(runs).markdown).toContain("No series has 10 runs yet: nothing is judged.");
  });
});

test("runs are in order of time, whatever the order of the files", () => {
  const runs = stored({ levels: [1, 2, 3, 4] });
  const [found] = seriesOf([runs[2], runs[0], runs[3], runs[1]] as RunFigure[], 5);
  expect(found?.points.map(({ value }) => value)).toEqual([1, 2, 3, 4]);
});

test("the interval is Student's, and a single repetition has none", () => {
  const [runs] = [stored({ levels: [100], n: 3, stddev: 1 })];
  // t(0.975, 2) = 4.3027; times 1 / sqrt(3).
  expect(seriesOf(runs, 5)[0]?.points[0]?.interval?.high).toBeCloseTo(102.484, 3);
  expect(
    seriesOf(stored({ levels: [100], n: 1, pilot: 1, stddev: null }), 5)[0]?.points[0]?.interval,
  ).toBeNull();
});

test("if the first repetitions decided the number, their scatter gives the interval", () => {
  const runs = stored({ levels: [100], n: 9, pilot: 3, stddev: 1 });
  // t(0.975, 2) = 4.3027; times 1 / sqrt(9).
  expect(seriesOf(runs, 5)[0]?.points[0]?.interval?.high).toBeCloseTo(101.434, 3);
});

test("circumstances that changed with a level are shown beside it", () => {
  const runs = stored({ levels: step(1e9, 8e8) }).map((run, index) => ({
    ...run,
    kernel: index < 8 ? "6.8.0-1021-azure" : "6.8.0-1030-azure",
  }));
  expect(seriesOf(runs, 5)[0]?.points[8]?.changed).toEqual(["kernel 6.8.0-1021-azure → 6.8.0-1030-azure"]);
  const { markdown } = page(runs);
  expect(markdown).toContain("1 change of level in 1 series: 1 for the worse, 0 for the better.");
  expect(markdown).toMatch(/20\.0 % worse.*kernel 6\.8\.0-1021-azure → 6\.8\.0-1030-azure/);
});

test("a figure that this release does not know is left out", () => {
  expect(seriesOf(stored({ levels: [1, 2], figure: "speed" as "throughput" }), 5)).toEqual([]);
});

test("texts of a store are shown as text on the page", () => {
  const runs = stored({ levels: [1e9, 2e9], topology: "<script>alert(1)</script>", stack: "a|b" });
  const { html, markdown } = page(runs);
  expect(html).not.toContain("<script>alert");
  expect(markdown).not.toContain("<script>");
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
});

test("the CSV marks the first run of a new level, and judges nothing of a short series", () => {
  const marks = (levels: readonly number[]) =>
    toHistoryCsv(seriesOf(stored({ levels }), 5))
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",")[13]);
  expect(marks(step(1e9, 8e8))).toEqual([...Array(8).fill("0"), "1", ...Array(7).fill("0")]);
  expect(marks([1, 2])).toEqual(["", ""]);
});

test("failures without recovery come before the time, and a searched rate has its goal: page, Markdown, CSV, services", () => {
  const goal = "loss goal 0.50 %, trials of 1 s";
  const failed = stored({ levels: [500, 520], figure: "failoverOutage", absent: 2 });
  const searched = stored({ levels: [1e9, 2e9], figure: "noDropRate", goal });
  const runs = [...failed, ...searched];
  const { html, markdown } = page(runs);
  for (const text of [html, markdown].map((one) => one.replaceAll("\u00a0", " "))) {
    expect(text).toContain("2 of 5 never recovered, 520.0 ms");
    expect(text).toContain(`Rate held within the loss bound (${goal})`);
  }
  const csv = toHistoryCsv(seriesOf(runs, 5));
  expect(csv.split("\r\n")[0]).toMatch(/,goal,without_value$/);
  expect(csv).toMatch(/,failoverOutage,ms,.*,,2 of 5 never recovered\r\n/);
  expect(csv).toContain(`,"${goal}",`);
  expect(newestFigures(seriesOf(runs, 5)).map(({ said }) => said)).toEqual([
    ["2 of 5 never recovered"],
    [goal],
  ]);
});

test("an interval of a run does not reach below 0", () => {
  const runs = stored({ levels: [100], n: 3, stddev: 200 });
  expect(seriesOf(runs, 5)[0]?.points[0]?.interval?.low).toBe(0);
});

test("services get the newest run", () => {
  expect(newestFigures(seriesOf(stored({ levels: [1, 2, 3] }), 5))).toMatchObject([
    { id: "throughput", name: "nat-instance (night) tcp-egress", found: { value: 3 } },
  ]);
});

test.each([
  ["one day", 20, /^01-01 \d\d:\d\d$/],
  ["twenty days", 24 * 60, /^2026-01-\d\d$/],
])("runs of %s have ticks that differ", (_, minutes, form) => {
  const runs = stored({ levels: Array.from({ length: 20 }, () => 1e9) }).map((run, at) => ({
    ...run,
    measuredAt: new Date(Date.parse("2026-01-01T00:00:00Z") + at * minutes * 60_000).toISOString(),
  }));
  const ticks = [...page(runs).html.matchAll(/<text[^>]*>([\d: -]*-\d\d[\d: ]*)<\/text>/g)].map(
    ([, tick]) => tick,
  );
  expect(ticks.length).toBeGreaterThan(2);
  for (const tick of ticks) expect(tick).toMatch(form);
  // A wide and a narrow drawing.
  expect(new Set(ticks).size).toBeGreaterThan(ticks.length / 3);
});
