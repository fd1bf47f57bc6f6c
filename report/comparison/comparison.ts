/**
 * Compares the topologies of any number of results: one column per topology, one row per case, with ratios to
 * `direct`, failures, and limits.
 */

import {
  type Contrast,
  contrast,
  contrastOfMeans,
  type Estimate,
  estimate,
  measuredOf,
} from "../../bench/figures/estimate.ts";
import { comparedIds, type FigureId, figures } from "../../bench/figures/index.ts";
import { groupBy } from "../../bench/group-by.ts";
import type { CaseResult, Failure, Limit, Results, TopologyResult } from "../../bench/results/index.ts";
import { describeLimits } from "../../bench/summary/limit-words.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import type { Input } from "../inputs.ts";
import { type CaseInfo, describeCases } from "./cases.ts";

/** One topology of one results document. */
export interface Column {
  /** Position among the columns; also the number of its colour and pattern. */
  readonly index: number;
  /** Unique among the columns. */
  readonly label: string;
  readonly topology: TopologyResult;
  readonly results: Results;
  readonly source: string;
  /** The column its ratios refer to: `direct` of the same results, else the only one of the same cloud. */
  readonly baseline: number | null;
  /** Whether the baseline was measured in the same run, so that both share its rounds. */
  readonly sharesRounds: boolean;
}

/** A limit, and the clause that describes it. */
export interface StatedLimit extends Limit {
  readonly words: string;
}

/** One case on one topology. */
export interface Cell {
  readonly status: "ok" | "failed" | "missing";
  readonly failure: Failure | null;
  readonly repetitions: readonly CaseResult[];
  readonly estimates: Readonly<Partial<Record<FigureId, Estimate>>>;
  /** Repetitions that failed, of how many. */
  readonly lost: { readonly failed: number; readonly of: number };
  /** Limits that were reached in any of the repetitions. */
  readonly limits: readonly StatedLimit[];
}

/** A case, with each column's measurement. */
export interface Row {
  readonly info: CaseInfo;
  /** One entry per column, in the columns' order. */
  readonly cells: readonly Cell[];
}

/** Topologies side by side: one column each, one row per case. */
export interface Comparison {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Whether there is so much that pictures must leave something out to keep the page usable. */
  readonly large: boolean;
  readonly problems: readonly string[];
}

/** Cells from which a comparison is large: ten topologies of forty cases make a page of a megabyte. */
const LARGE_CELLS = 400;

export function compare(inputs: readonly Input[]): Comparison {
  const columns = makeColumns(inputs);
  const infos = new Map<string, CaseInfo>();
  const problems: string[] = [];
  for (const { source, results } of inputs) {
    for (const info of describeCases(results)) {
      const other = infos.get(info.id);
      if (other === undefined) {
        infos.set(info.id, info);
      } else if (other.title !== info.title) {
        problems.push(`${source}: case ${info.id} is "${info.title}" here and "${other.title}" elsewhere`);
      }
    }
  }
  const byCase = columns.map(({ results, topology }) => ({
    own: groupBy(
      results.cases.filter((one) => one.topology === topology.name),
      ({ id }) => id,
    ),
    plan: results.plan,
  }));
  const rows = [...infos.values()].map((info) => ({
    info,
    cells: byCase.map(({ own, plan }) => makeCell(own.get(info.id) ?? [], plan)),
  }));
  return {
    columns,
    rows,
    large: columns.length * rows.length > LARGE_CELLS,
    problems: [...problems, ...commonCaseProblems(inputs)],
  };
}

function makeColumns(inputs: readonly Input[]): Column[] {
  const found = inputs.flatMap(({ results, source }) =>
    results.topologies.map((topology) => ({ topology, results, source })),
  );
  const labels = uniqueLabels(found);
  return found.map((column, index) => {
    const baselines = found.flatMap(({ topology, results }, at) =>
      results.cloud === column.results.cloud && topologyNamed(topology.topology)?.baseline ? [at] : [],
    );
    const own = baselines.find((at) => found[at]?.results === column.results);
    const baseline = own ?? (baselines.length === 1 ? (baselines[0] ?? null) : null);
    return { ...column, index, label: labels[index] ?? "", baseline, sharesRounds: own !== undefined };
  });
}

/** Column labels: the shortest of three ways to name topologies that makes all unique. */
function uniqueLabels(columns: readonly { topology: TopologyResult; results: Results }[]): string[] {
  const ways = columns.map(({ topology: { name }, results: { stack, cloud, runId } }) => [
    name,
    `${name} (${stack})`,
    `${name} (${stack}, ${cloud}, run ${runId})`,
  ]);
  const sharing = [0, 1, 2].map((way) => groupBy(ways, (labels) => labels[way]));
  return ways.map((labels, index) => {
    const short = labels.find((label, way) => sharing[way]?.get(label)?.length === 1);
    return short ?? `${labels[2]} #${index + 1}`;
  });
}

function makeCell(repetitions: readonly CaseResult[], plan: Results["plan"]): Cell {
  const good = repetitions.filter(({ status, measurement }) => status === "ok" && measurement !== null);
  const failed = repetitions.find(({ status }) => status === "failed");
  return {
    status: good.length > 0 ? "ok" : failed ? "failed" : "missing",
    failure: failed?.failure ?? null,
    repetitions,
    estimates: Object.fromEntries(
      comparedIds.flatMap((id) => {
        const found = estimate(id, good, plan);
        return found === null ? [] : [[id, found]];
      }),
    ),
    lost: lostOf(repetitions),
    limits: limitsOf(good),
  };
}

function lostOf(results: readonly CaseResult[]): Cell["lost"] {
  const lost = { failed: 0, of: 0 };
  for (const { repetitions, status } of results) {
    lost.failed += repetitions?.failed ?? (status === "failed" ? 1 : 0);
    lost.of += repetitions === null ? 1 : repetitions.failed + measuredOf(repetitions);
  }
  return lost;
}

/** Each limit once, even if several repetitions have it; the first one's wording is used. */
function limitsOf(results: readonly CaseResult[]): StatedLimit[] {
  const stated = results.flatMap((result) => {
    const words = describeLimits(result);
    return (result.limits ?? []).map(
      (limit, index): StatedLimit => ({ ...limit, words: words[index] ?? "" }),
    );
  });
  const keyOf = ({ host, role, kind }: StatedLimit) => JSON.stringify([host, role, kind]);
  return stated.filter((one, index) => stated.findIndex((other) => keyOf(other) === keyOf(one)) === index);
}

/** A figure compared with its baseline's; null where either is missing, or a ratio is meaningless. */
export function contrastToBaseline(row: Row, column: Column, metric: FigureId): Contrast | null {
  if (column.baseline === null || column.baseline === column.index || !figures[metric].hasRatio) {
    return null;
  }
  const own = row.cells[column.index]?.estimates[metric];
  const base = row.cells[column.baseline]?.estimates[metric];
  if (own === undefined || base === undefined) {
    return null;
  }
  return column.sharesRounds ? contrast(own, base) : contrastOfMeans(own, base);
}

/** Ratio of a figure to its baseline's; null where {@link contrastToBaseline} has none. */
export function ratioToBaseline(row: Row, column: Column, metric: FigureId): number | null {
  return contrastToBaseline(row, column, metric)?.ratio?.value ?? null;
}

function commonCaseProblems(inputs: readonly Input[]): string[] {
  if (inputs.length < 2) {
    return [];
  }
  const found = inputs.map(({ results }) => [...new Set(results.cases.map(({ id }) => id))]);
  const sharing = groupBy(found.flat(), (id) => id);
  return inputs.flatMap(({ source }, index) => {
    const own = found[index] ?? [];
    return own.length === 0 || own.some((id) => sharing.get(id)?.length !== 1)
      ? []
      : [
          `${source}: cases: none of its cases (${own.join(", ")}) is in the other results, so nothing compares with it`,
        ];
  });
}
