/** Judges changes against earlier results with the gate, and words them for the report. */
import { figures } from "../../bench/figures/index.ts";
import { said } from "../../bench/said.ts";
import { runsToTell } from "../../bench/statistics/difference.ts";
import type { ReadInputs } from "../inputs.ts";
import { counted } from "../text/format.ts";
import { type Comparison, compare } from "./comparison.ts";
import { type GateRow, judge } from "./gate.ts";

/** The comparison of each figure with earlier results, and its wording. */
export interface BaselineVerdict {
  /** File or stack of the earlier results. */
  readonly source: string;
  readonly tolerancePercent: number;
  readonly rows: readonly GateRow[];
  /** Sentences on how many got worse, what could have been seen, and what was not judged. */
  readonly sentences: readonly string[];
  readonly problems: readonly string[];
  /** `not-judged`: no judged figure got worse, and some case had too few repetitions to judge any of its figures. */
  readonly verdict: "good" | "worse" | "not-judged";
  /** Topology and case without any judged figure, or with too few repetitions to confirm that it got worse. */
  readonly unjudgedCases: readonly string[];
  /** Whether the gate passes despite unjudged cases. */
  readonly allowNotJudged: boolean;
}

/** Most case names in a sentence. */
const MOST_NAMED = 5;

/** Earlier results for comparison, and the tolerance of the gate. */
export interface Baseline {
  readonly read: ReadInputs;
  readonly source: string;
  readonly tolerancePercent: number;
  /** Whether cases with too few repetitions to judge are allowed. @default false */
  readonly allowNotJudged?: boolean;
}

/** Compares a comparison with an earlier one. */
export function baselineVerdict(
  after: Comparison,
  { read, source, tolerancePercent, allowNotJudged = false }: Baseline,
): BaselineVerdict {
  const before = compare(read.inputs);
  const rows = judge(before, after, tolerancePercent);
  const nothing =
    rows.length === 0 && read.inputs.length > 0
      ? [`${source}: no case and topology in common with the results, so nothing was compared`]
      : [];
  const unjudgedCases = unjudgedOf(rows);
  const isWorse = rows.some(({ verdict }) => verdict === "worse");
  return {
    ...{ source, tolerancePercent, rows, unjudgedCases, allowNotJudged },
    verdict: isWorse ? "worse" : unjudgedCases.length > 0 ? "not-judged" : "good",
    sentences:
      rows.length === 0
        ? []
        : [...sentencesOf(rows, tolerancePercent), ...orderOf(before, after), ...uncompared(before, after)],
    problems: [...read.problems, ...nothing],
  };
}

/** A case on a topology, as {@link BaselineVerdict.unjudgedCases} names it. */
export function caseKey({ topology, caseId }: Pick<GateRow, "topology" | "caseId">): string {
  return `${topology} ${caseId}`;
}

/** Cases without any judged figure, or with too few repetitions to confirm that they got worse. */
function unjudgedOf(rows: readonly GateRow[]): string[] {
  const judged = new Set(rows.filter(({ verdict }) => verdict !== "not judged").map(caseKey));
  const undecided = new Set(rows.filter((row) => row.undecided).map(caseKey));
  return [...new Set(rows.map(caseKey))].filter((key) => !judged.has(key) || undecided.has(key));
}

function orderOf(before: Comparison, after: Comparison): string[] {
  const startOf = ({ columns }: Comparison) =>
    Math.max(...columns.map(({ results }) => Date.parse(results.startedAt ?? "")));
  const identityOf = ({ columns }: Comparison) =>
    JSON.stringify(columns.map(({ results }) => [results.stack, results.runId, results.startedAt]));
  if (identityOf(before) === identityOf(after)) {
    return ["The baseline is the same run as the results."];
  }
  return startOf(before) > startOf(after)
    ? ["The baseline is newer than the results: check that the two are not swapped."]
    : [];
}

function uncompared(before: Comparison, after: Comparison): string[] {
  const keysOf = ({ columns, rows }: Comparison, statuses: readonly string[]) =>
    rows.flatMap(({ info, cells }) =>
      columns.flatMap(({ index, topology }) =>
        statuses.includes(cells[index]?.status ?? "")
          ? [caseKey({ topology: topology.name, caseId: info.id })]
          : [],
      ),
    );
  const known = new Set(keysOf(before, ["ok", "failed"]));
  const added = [...new Set(keysOf(after, ["ok"]))].filter((key) => !known.has(key));
  const more = added.length > MOST_NAMED ? ` and ${added.length - MOST_NAMED} more` : "";
  return added.length === 0
    ? []
    : [`Not in the baseline, so not compared: ${added.slice(0, MOST_NAMED).join(", ")}${more}.`];
}

function sentencesOf(rows: readonly GateRow[], tolerancePercent: number): string[] {
  const worse = rows.filter(({ verdict }) => verdict === "worse").length;
  const unjudged = rows.filter(({ verdict }) => verdict === "not judged").length;
  const byRanks = rows.some(
    ({ verdict, metric }) =>
      verdict === "not judged" &&
      metric !== "status" &&
      (figures[metric].byRanks || figures[metric].countsSurvivors),
  );
  const isAlone = rows.some(({ undecided, metric }) => undecided && metric !== "status");
  return said(
    `Baseline: ${counted(rows.length, "figure")} compared, ${worse} worse by more than ${tolerancePercent} %.`,
    powerSentence(rows),
    unjudged > 0 &&
      `${unjudged} of them are not judged: they need more repetitions. Most figures need ${runsToTell(1)} on each side, and more where more repetitions failed than before.`,
    unjudged > 0 &&
      isAlone &&
      `To tell a change of a single figure among ${rows.length} takes ${runsToTell(rows.length)} on each side.`,
    unjudged > 0 && byRanks && "Outages, survivors, idle time-outs and counts need 4 on each side.",
  );
}

/**
 * The smallest change that the comparison could have seen: the median over judged figures. Null: none was judged by its mean.
 */
export function powerSentence(rows: readonly GateRow[]): string | null {
  const visible = rows.flatMap((row) => row.visiblePercent ?? []).sort((a, b) => a - b);
  const middle = visible[Math.floor(visible.length / 2)];
  return middle === undefined
    ? null
    : `A change under ${middle.toFixed(1)} % is missed in more than one of five comparisons, in half of the judged figures.`;
}
