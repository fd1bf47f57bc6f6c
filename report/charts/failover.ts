/** Outages of NAT instances that failed, a dot a repetition, and how many of the flows that were held survived. */
import { formatMicroseconds } from "../../bench/plan/quantities.ts";
import type { CaseResult, Failover } from "../../bench/results/index.ts";
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
  /** Milliseconds, one a repetition. */
  readonly outages: readonly number[];
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
      "How long no new connection came up, a dot a repetition; under the name the fewest held flows that survived.",
    columns: [...new Set(lines.map(({ column }) => column.index))],
    scales: ["linear"],
    table: {
      head: ["Topology", "Failure", "Outages", "Survived, at the least"],
      rows: lines.map(({ column, failure, outages, survivors }) => [
        column.label,
        failure,
        outages.map(words).join(", "),
        survivors,
      ]),
    },
    draw: (variant) => draw(lines, variant),
  });
}

function line(column: Column, failure: string, results: readonly CaseResult[]): Line[] {
  const of = (field: string, read: (failover: Failover) => number) =>
    results.flatMap(({ measurement, repetitions }) => {
      const single = measurement?.failover ? [read(measurement.failover)] : [];
      return (repetitions?.metrics[field]?.values ?? single).filter((value) => value !== null);
    });
  const outages = of("failover.outages.new.ms", (failover) => failover.outages.new.ms);
  const held = results.find(({ measurement }) => measurement?.failover)?.measurement?.failover?.flows;
  if (outages.length === 0 || !held) {
    return [];
  }
  const least = (protocol: "tcp" | "udp") => {
    const survived = of(`failover.flows.${protocol}.survived`, ({ flows }) => flows[protocol].survived);
    return `${protocol.toUpperCase()} ${count(Math.min(...survived))} of ${count(held[protocol].opened)}`;
  };
  return [{ column, failure, outages, survivors: `${least("tcp")}, ${least("udp")}` }];
}

function words(ms: number): string {
  return formatMicroseconds(ms * 1000);
}

const ROW = 76;

function draw(lines: readonly Line[], { narrow }: Variant) {
  const longest = Math.max(...lines.flatMap(({ outages }) => outages));
  const [divisor, unit] = longest >= 1000 ? [1000, "s"] : [1, "ms"];
  const labels = lines.map(
    ({ column, failure, survivors }) =>
      `${shorten(`${column.label}, ${failure}`, narrow ? 50 : 110)}\n${survivors} survived`,
  );
  return {
    height: lines.length * ROW + 50,
    tip: (series: number, item: number) => {
      const found = lines[series];
      const ms = found?.outages[item];
      return found && ms !== undefined ? `${found.column.label}, ${found.failure}: ${words(ms)}` : undefined;
    },
    option: {
      grid: { left: 12, right: 36, top: 34, bottom: 8 },
      xAxis: { ...axisLook(unit), type: "value", min: 0, position: "top", splitNumber: narrow ? 3 : 6 },
      yAxis: nameAxis(labels),
      series: [
        ...lines.map(({ column, outages }, at) => ({
          type: "scatter",
          ...still,
          ...lineLook(column.index),
          symbolSize: 9,
          symbolOffset: [0, 18],
          data: outages.map((ms) => [ms / divisor, at]),
        })),
        headings(labels, ROW),
      ],
    },
  };
}
