/**
 * Trends of the same stack's runs: the deciding figures over time, with the gate's verdict of the newest run against the
 * first.
 */

import type { FigureId } from "../../bench/figures/index.ts";
import type { Input } from "../inputs.ts";
import { timeOf } from "../text/format.ts";
import { type Comparison, compare } from "./comparison.ts";
import { type GateRow, judge } from "./gate.ts";
import { verdictFigures } from "./verdict.ts";

interface TrendRow {
  readonly topology: string;
  readonly heading: string;
  readonly metric: FigureId;
  /** In the order of the runs; null: not measured. */
  readonly values: readonly (number | null)[];
  /** Null: the first or last run did not measure it. */
  readonly verdict: GateRow["verdict"] | null;
}

export interface Trend {
  readonly stack: string;
  readonly cloud: Input["results"]["cloud"];
  /** Oldest first, by start time, else by id. */
  readonly runs: readonly string[];
  readonly rows: readonly TrendRow[];
  readonly tolerancePercent: number;
}

/** One trend per stack that ran at least twice. @param tolerancePercent As for the gate. */
export function trendsOf(inputs: readonly Input[], tolerancePercent: number): Trend[] {
  const keyOf = ({ results }: Input) => JSON.stringify([results.cloud, results.stack]);
  const keys = [...new Set(inputs.map(keyOf))];
  return keys.flatMap((key) => {
    const runs = inputs
      .filter((input) => keyOf(input) === key)
      .toSorted((a, b) => startOf(a).localeCompare(startOf(b)));
    return runs.length < 2 ? [] : [trendOf(runs, tolerancePercent)];
  });
}

function startOf({ results }: Input): string {
  return results.startedAt ?? results.finishedAt ?? "";
}

function trendOf(inputs: readonly Input[], tolerancePercent: number): Trend {
  const runs = inputs.map((input) => compare([input]));
  const [first, newest] = [runs[0], runs.at(-1)];
  const { stack = "", cloud = "local" } = inputs[0]?.results ?? {};
  const gate = first && newest ? judge(first, newest, tolerancePercent) : [];
  const rows = newest === undefined ? [] : rowsOf(newest, runs, gate);
  const names = inputs.map(({ results }) =>
    results.startedAt === null ? `run ${results.runId}` : timeOf(results.startedAt),
  );
  return { stack, cloud, runs: names, rows, tolerancePercent };
}

function rowsOf(newest: Comparison, runs: readonly Comparison[], gate: readonly GateRow[]): TrendRow[] {
  return verdictFigures(newest).flatMap(({ row, metric, heading }) =>
    newest.columns.map(({ topology }): TrendRow => {
      const name = topology.name;
      const judged = gate.find(
        (one) => one.topology === name && one.caseId === row.info.id && one.metric === metric,
      );
      const values = runs.map((run) => figureOf(run, name, row.info.id, metric));
      return { topology: name, heading, metric, values, verdict: judged?.verdict ?? null };
    }),
  );
}

function figureOf(
  { columns, rows }: Comparison,
  topology: string,
  id: string,
  metric: FigureId,
): number | null {
  const column = columns.find((one) => one.topology.name === topology);
  const cells = rows.find(({ info }) => info.id === id)?.cells;
  return column === undefined ? null : (cells?.[column.index]?.estimates[metric]?.value ?? null);
}
