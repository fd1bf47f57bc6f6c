/**
 * The example of a Grafana dashboard: its grid, and the unit, the aggregation and the legend of each query. That each metric is
 * written: tests/lab/nat-instance/published-metrics.test.ts. That each query has figures: tests/languages/alerts.test.ts.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { overlaps } from "../../helpers/grid.ts";

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: {
    readonly defaults: { readonly unit: string; readonly decimals?: number };
  };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const example = new URL("../../../docs/examples/nat-instance-dashboard.json", import.meta.url);
const { panels } = JSON.parse(readFileSync(example, "utf8")) as { panels: readonly Panel[] };
const queries = panels.flatMap(({ title, fieldConfig, targets }) =>
  targets.map((target) => ({ title, ...fieldConfig.defaults, ...target })),
);

/** Grafana's unit for a query's figure. */
function unitOf(expr: string): string {
  const rate = /\brate\(/.test(expr);
  if (/ \/ /.test(expr)) return "percentunit";
  if (rate && /_bytes_total/.test(expr)) return expr.startsWith("8 * ") ? "bps" : "Bps";
  if (rate && /_(packets|dropped)_total|allowance_exceeded/.test(expr)) return "pps";
  return rate ? "cps" : "short";
}

test("panels have ids of their own, and none covers another", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const places = panels.map(({ gridPos: { x, y, w, h } }) => ({ x, y, width: w, height: h }));
  expect(overlaps(places)).toEqual([]);
  for (const { x, width } of places) expect(x + width).toBeLessThanOrEqual(24);
  // Such a test can fail.
  const [first] = places;
  expect(overlaps([...places, { x: 1, y: 1, width: 2, height: 2 }])).toEqual([[0, places.length]]);
  expect(first).toMatchObject({ x: 0, y: 0 });
});

test.each(queries)("$expr has its unit", ({ expr, unit }) => expect(unit).toBe(unitOf(expr)));

// An increase over a window is no whole number: one take-over would read 1.4.
test.each(queries)("$expr draws a counter as its rate, or whole since boot", ({ expr, title, decimals }) => {
  expect(expr).not.toMatch(/\bincrease\(/);
  if (/_total|_exceeded/.test(expr) && !/\brate\(/.test(expr)) {
    expect(title).toMatch(/since boot/);
    expect(decimals).toBe(0);
  }
});

test.each(queries)("$legendFormat names labels that $expr keeps", ({ expr, legendFormat }) => {
  const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
  expect(named).toContain("instance");
  const [, kept] = / by \(([a-z, ]+)\)/.exec(expr) ?? [];
  if (kept !== undefined) expect(named.sort()).toEqual(kept.split(", ").sort());
  expect(expr).toMatch(/job=~"\$job",instance=~"\$instance"/);
});
