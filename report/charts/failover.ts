/** Outages of failed NAT instances, one dot per repetition, with the number of held flows that survived. */

import { absenceOf, absencesOf, estimate, repetitionValues } from "../../bench/figures/estimate.ts";
import { figures } from "../../bench/figures/index.ts";
import type { CaseResult } from "../../bench/results/index.ts";
import { cutWords, worstHeld } from "../../bench/summary/failover-summary.ts";
import type { Column, Comparison } from "../comparison/comparison.ts";
import { count } from "../text/format.ts";
import {
  axisLook,
  type Chart,
  drawChart,
  headings,
  nameAxis,
  shorten,
  still,
  type Variant,
} from "./chart.ts";
import { lineLook } from "./palette.ts";

/** One failure of one topology. */
interface Line {
  readonly column: Column;
  readonly failure: string;
  /** Milliseconds, one value per repetition whose new connections recovered. */
  readonly outages: readonly number[];
  /** Number of repetitions whose new connections did not recover. */
  readonly absent: number;
  /** How often new or held traffic did not recover, and how long it was watched, if known. Empty: it always recovered. */
  readonly never: readonly string[];
  readonly survivors: string;
}

/** @returns null when nothing failed. */
export function failoverChart({ columns, rows }: Comparison): Chart | null {
  const lines = rows
    .filter(({ info }) => info.question === "failover")
    .flatMap(({ info, cells }) =>
      columns.flatMap((column) => line(column, info.title, cells[column.index]?.repetitions ?? [])),
    );
  if (lines.length === 0) {
    return null;
  }
  return drawChart({
    id: "failover",
    title: "Outages when a NAT instance fails",
    description:
      "Time without new connections, one dot per repetition; a triangle at the end: none came up again. Under each name: the fewest held flows that survived.",
    columns: [...new Set(lines.map(({ column }) => column.index))],
    scales: ["linear"],
    table: {
      head: ["Topology", "Failure", "Outages", "Survived, at the least"],
      rows: lines.map(({ column, failure, never, outages, survivors }) => [
        column.label,
        failure,
        [...never, ...outages.map(words)].join(", "),
        survivors,
      ]),
    },
    draw: (variant) => draw(lines, variant),
  });
}

function line(column: Column, failure: string, results: readonly CaseResult[]): Line[] {
  const outages = results
    .flatMap((result) => repetitionValues(result, "failoverOutage"))
    .flatMap(({ value }) => value ?? []);
  const { absent } = absenceOf("failoverOutage", results);
  const held = results.find(({ measurement }) => measurement?.failover)?.measurement?.failover?.flows;
  if (outages.length + absent === 0 || !held) {
    return [];
  }
  const least = (protocol: "tcp" | "udp") => {
    const { survived, opened } = worstHeld(protocol, held[protocol], (id) => estimate(id, results));
    return `${protocol.toUpperCase()} ${count(survived)} of ${count(opened)}`;
  };
  const survivors = `${least("tcp")}, ${least("udp")}`;
  return [{ column, failure, outages, absent, never: neverOf(results, outages.length === 0), survivors }];
}

/** Words for repetitions that never recovered. @param all Whether none recovered, which adds the time watched. */
function neverOf(results: readonly CaseResult[], all: boolean): string[] {
  const { absent, of } = absencesOf("failoverOutage", results);
  const cut = results.flatMap(({ measurement }) => measurement?.failover?.outages.new ?? []);
  const [watched] = all ? cut.filter(({ ended }) => !ended) : [];
  const count_ = of < 2 ? "never recovered" : `${absent} of ${of} never recovered`;
  return absent === 0 ? [] : [count_, ...(watched === undefined ? [] : [cutWords(watched, null)])];
}

const words = figures.failoverOutage.format;

const ROW = 76;

function draw(lines: readonly Line[], { narrow }: Variant) {
  const known = lines.flatMap(({ outages }) => outages);
  const longest = Math.max(1, ...known);
  const [divisor, unit] = longest >= 1000 ? [1000, "s"] : [1, "ms"];
  const labels = lines.map(
    ({ column, failure, never, survivors }) =>
      `${shorten(`${column.label}, ${failure}`, narrow ? 50 : 110)}\n${[...never, `${survivors} survived`].join(", ")}`,
  );
  return {
    height: lines.length * ROW + 50,
    tip: (series: number, item: number) => {
      const found = lines[series];
      const ms = found?.outages[item];
      const said = ms === undefined ? "new connections never came back" : words(ms);
      return found && item < found.outages.length + found.absent
        ? `${found.column.label}, ${found.failure}: ${said}`
        : undefined;
    },
    option: {
      grid: { left: 12, right: 36, top: 34, bottom: 8 },
      xAxis: { ...axisLook(unit), type: "value", min: 0, position: "top", splitNumber: narrow ? 3 : 6 },
      yAxis: nameAxis(labels),
      series: [
        ...lines.map(({ column, outages, absent }, at) => ({
          type: "scatter",
          ...still,
          ...lineLook(column.index),
          symbolSize: 9,
          symbolOffset: [0, 18],
          data: [
            ...outages.map((ms) => ({ value: [ms / divisor, at] })),
            ...Array.from({ length: absent }, () => ({
              ...{ value: [longest / divisor, at], symbol: "triangle", symbolRotate: -90, symbolSize: 12 },
            })),
          ],
        })),
        headings(labels, ROW),
      ],
    },
  };
}
