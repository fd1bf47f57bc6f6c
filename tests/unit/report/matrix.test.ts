/** The report of a matrix: its axes, the best per question, small multiples, every cell, and missing ones. */
import { expect, it } from "vitest";
import { bestOf, matricesOf } from "../../../report/comparison/matrix.ts";
import { makeReport, toHtml, toMarkdown } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { matrixResults } from "../../fixtures/results/matrix.ts";

const madeAt = "2026-11-23T09:00:00Z";
const cells = matrixResults(60, 3);
const read = { inputs: cells.map((results) => ({ source: results.stack, results })), problems: [] };
const unmeasured = [{ name: "m-60", axes: { region: "moon-1", size: "x" }, why: "VcpuLimitExceeded" }];
const report = makeReport(read, { madeAt, unmeasured });
const html = toHtml(report);
const [view] = matricesOf(report.comparison);

/** Throughput of each cell's first case, as the results have it. */
const rates = cells.map(
  ({ cases }) => cases.find(({ id }) => id === "tcp-egress")?.measurement?.bitsPerSecond ?? 0,
);

it("has the axes of several values, with their values", () => {
  expect(view?.axes.map(({ name, labels }) => [name, labels.length])).toEqual([
    ["region", 5],
    ["size", 10],
    ["tuning", 2],
    ["topologies", new Set(cells.map(({ topologies }) => topologies[0]?.topology)).size],
  ]);
});

it("names the best cell of a question, by the results", () => {
  const figure = view?.figures.find(({ row }) => row.info.id === "tcp-egress");
  const best = figure === undefined || view === undefined ? null : bestOf(figure, view.entries);
  expect(best?.value).toBeCloseTo(Math.max(...rates), 0);
  expect(best?.entry.column.results.stack).toBe(cells[rates.indexOf(Math.max(...rates))]?.stack);
});

it("has one row per cell, with figures sorted as numbers", () => {
  const table = /<table class="plain sortable">.*?<\/table>/s.exec(html)?.[0] ?? "";
  expect(table.match(/<tr/g)?.length).toBe(61);
  const values = [...table.matchAll(/data-value="([^"]+)"/g)].map(([, value]) => Math.round(Number(value)));
  expect(rates.map(Math.round).filter((rate) => rate > 0 && !values.includes(rate))).toEqual([]);
});

it("draws each measured cell in a labelled panel", () => {
  const chart = /<figure id="chart-facets-0-0">.*?<\/figure>/s.exec(html)?.[0] ?? "";
  const wide = /<svg.*?<\/svg>/s.exec(chart)?.[0] ?? "";
  expect(wide.match(/<circle[^>]*data-column/g)?.length).toBe(rates.filter((rate) => rate > 0).length);
  expect(wide).toContain("us-east-1, c7g.large, none");
  expect(chart).not.toMatch(/ style=|NaN/);
});

it("is named after the matrix, not after each of its stacks", () => {
  expect(/<title>(.*?)<\/title>/.exec(html)?.[1]).toBe("Egress comparison: matrix m (azure)");
});

it("names cells without results, and why", () => {
  expect(toMarkdown(report)).toMatch(/m-60 +\| +moon-1, x +\| +VcpuLimitExceeded/);
});

it("does not mention a matrix of one cell or none", () => {
  const alone = { inputs: read.inputs.slice(0, 1), problems: [] };
  const plain = { inputs: [{ source: "s", results: handMadeResults() }], problems: [] };
  for (const one of [alone, plain]) {
    expect(toHtml(makeReport(one, { madeAt }))).not.toContain('<section id="matrix">');
  }
});

it("shows hostile labels as text", () => {
  const label = `<img src=x onerror="a">`;
  const hostile = cells.slice(0, 2).map((one, at) => ({
    ...one,
    matrixCell: { matrix: `m"><b>`, axes: { region: `${label}${at}`, [label]: String(at) } },
  }));
  const inputs = hostile.map((results) => ({ source: results.stack, results }));
  const page = toHtml(makeReport({ inputs, problems: [] }, { madeAt }));
  expect(page.includes("&lt;img src=x")).toBe(true);
  expect(/<img|m"><b>/.test(page)).toBe(false);
});
