/** Builds series of the history: a figure of one case on one topology, run by run. */
import { type FigureId, figures } from "../../../bench/figures/index.ts";
import { groupBy } from "../../../bench/group-by.ts";
import { type ChangePoint, changePoints, LEAST_RUNS } from "../../../bench/statistics/change-points.ts";
import {
  type Interval,
  intervalOfMean,
  mean,
  median,
  possiblePart,
} from "../../../bench/statistics/sample.ts";
import type { BenchmarkFigure } from "../../../report/exports/benchmarks.ts";
import { escapeCsv } from "../../../report/text/escape.ts";

/** Circumstances that may change between runs and affect a figure, with their wording. */
const circumstances = {
  toolVersion: "tool",
  kernel: "kernel",
  size: "size",
  zone: "zone",
  egressBenchVersion: "egress-bench",
  commit: "commit",
  goal: "goal",
} as const;
type Circumstance = keyof typeof circumstances;
const circumstanceNames = Object.keys(circumstances) as Circumstance[];

/** One run's measurement of a figure: a row of {@link runsSql}. */
export interface RunFigure extends Readonly<Record<Circumstance, string | null>> {
  readonly cloud: string;
  readonly stack: string;
  readonly region: string | null;
  readonly topology: string;
  readonly caseId: string;
  readonly figure: FigureId;
  readonly runId: string;
  /** ISO 8601, in UTC. */
  readonly measuredAt: string;
  readonly n: number;
  /** Repetitions that never recovered or found no rate; no other number here includes them. */
  readonly absent: number;
  /** Null: no repetition has a value. */
  readonly mean: number | null;
  readonly median: number | null;
  /** Number of first repetitions that decided the total; `n` where it was fixed. */
  readonly pilot: number;
  /** Scatter of the pilot's repetitions. Null: one repetition. */
  readonly stddev: number | null;
}

export interface Point {
  readonly runId: string;
  readonly at: string;
  /** Null: no repetition has a value. */
  readonly value: number | null;
  /** `2 of 5 never recovered`; null: each repetition has a value. */
  readonly absent: string | null;
  /** 95 % confidence interval of the mean. Null: one repetition, or the figure is a median. */
  readonly interval: Interval | null;
  readonly n: number;
  /** Circumstances that differ from the previous run, such as `kernel 6.1.0-28 → 6.1.0-29`. */
  readonly changed: readonly string[];
}

export interface Change extends ChangePoint {
  /** Level before. Null: most repetitions of most runs have no value. */
  readonly before: number | null;
  readonly after: number | null;
  /** Change in percent. Null: the level was 0, or one of the two is null. */
  readonly percent: number | null;
  /** Null: neither direction is better, or the values are better while more repetitions have none. */
  readonly isBetter: boolean | null;
}

/** A figure of one case on one topology, over its runs. */
export interface Series
  extends Pick<RunFigure, "cloud" | "stack" | "region" | "topology" | "caseId" | "figure"> {
  /** Loss goal and trial length of a searched rate, from the newest run that has them. Null: not searched for. */
  readonly goal: string | null;
  /** Oldest first. */
  readonly points: readonly Point[];
  /** Null: too few runs to judge. */
  readonly changes: readonly Change[] | null;
}

const keyOf = ({ cloud, stack, region, caseId, figure, topology }: RunFigure) =>
  JSON.stringify([cloud, stack, region, caseId, figure, topology]);

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The series of some runs, judged together.
 *
 * @param tolerancePercent Smaller changes are ignored.
 */
export function seriesOf(runs: readonly RunFigure[], tolerancePercent: number): Series[] {
  const known = runs.filter(({ figure }) => Object.hasOwn(figures, figure));
  const all = [...groupBy(known, keyOf)]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .map(([, own]) => own.toSorted((a, b) => compareTexts(a.measuredAt, b.measuredAt)))
    // Without a value in any run, only a leading figure is certain to belong to the case.
    .filter((own) => own.some(({ n, figure }) => n > 0 || figures[figure].answers.length > 0));
  const found = changePoints(all.map((own) => own.map(judgedLevel)));
  return all.flatMap((own, index) => {
    const [first] = own;
    if (first === undefined) {
      return [];
    }
    const { cloud, stack, region, topology, caseId, figure } = first;
    const changes = (found[index] ?? [])
      .map((change) => changeOf(change, own, figure))
      .filter(({ percent, before, after }) => {
        const { leastChange } = figures[figure];
        if (before === null || after === null) {
          return before !== after;
        }
        return (
          Math.abs(percent ?? Number.POSITIVE_INFINITY) >= tolerancePercent &&
          Math.abs(after - before) > leastChange
        );
      });
    return {
      ...{ cloud, stack, region, topology, caseId, figure },
      goal: own.findLast((run) => run.goal !== null)?.goal ?? null,
      points: own.map((run, at) => pointOf(run, own[at - 1])),
      changes: own.length < LEAST_RUNS ? null : changes,
    };
  });
}

/** The figure's name, with its goal for a searched rate. */
export function seriesLabel({ figure, goal }: Pick<Series, "figure" | "goal">): string {
  return `${figures[figure].label}${goal === null ? "" : ` (${goal})`}`;
}

/** A run's value, preceded by its repetitions without one. */
export function pointText(figure: FigureId, { absent, value }: Pick<Point, "absent" | "value">): string {
  return [absent ?? [], value === null ? [] : figures[figure].format(value)].flat().join(", ");
}

/** The level of a change in words. */
export function levelText(figure: FigureId, level: number | null): string {
  const { format, absentMeans } = figures[figure];
  return level === null ? absentMeans : format(level);
}

function levelOf({ figure, mean, median }: RunFigure): number | null {
  return figures[figure].centre === "mean" ? mean : median;
}

/** Whether most repetitions have no value, so that the rest does not represent the run. */
function hasFailed({ n, absent }: RunFigure): boolean {
  return absent > n;
}

/** A failed run counts as worse than any value. */
function judgedLevel(run: RunFigure): number {
  const level = hasFailed(run) ? null : levelOf(run);
  return level ?? (figures[run.figure].better === "lower" ? Number.MAX_VALUE : -Number.MAX_VALUE);
}

function pointOf(run: RunFigure, before: RunFigure | undefined): Point {
  const { runId, measuredAt, n, pilot, stddev, figure, absent } = run;
  return {
    ...{ runId, at: measuredAt, n, value: levelOf(run) },
    absent: absent === 0 ? null : `${absent} of ${absent + n} ${figures[figure].absentMeans}`,
    interval:
      pilot < 2 || stddev === null || run.mean === null || figures[figure].byRanks
        ? null
        : possiblePart(
            intervalOfMean(run.mean, stddev, pilot, n),
            figures[figure].unit === "%" ? 100 : undefined,
          ),
    changed: before === undefined ? [] : changedBetween(before, run),
  };
}

function changedBetween(before: RunFigure, run: RunFigure): string[] {
  const changed: string[] = [];
  for (const name of circumstanceNames) {
    const [old, now] = [before[name], run[name]];
    if (old !== null && now !== null && old !== now) {
      changed.push(`${circumstances[name]} ${old} → ${now}`);
    }
  }
  return changed;
}

function changeOf(change: ChangePoint, runs: readonly RunFigure[], figure: FigureId): Change {
  const { better } = figures[figure];
  const [old, now] = [runs.slice(change.from, change.at), runs.slice(change.at, change.to)];
  const [before, after] = [levelOfRuns(old, figure), levelOfRuns(now, figure)];
  if (before === null || after === null) {
    return { ...change, before, after, percent: null, isBetter: before === null };
  }
  const isBetter = better === null ? null : after > before === (better === "higher");
  return {
    ...change,
    ...{ before, after },
    percent: before === 0 ? null : (100 * (after - before)) / Math.abs(before),
    isBetter: isBetter === true && absentShare(now) > absentShare(old) ? null : isBetter,
  };
}

function levelOfRuns(runs: readonly RunFigure[], figure: FigureId): number | null {
  const values = runs.flatMap((run) => (hasFailed(run) ? [] : (levelOf(run) ?? [])));
  const level = figures[figure].centre === "mean" ? mean : median;
  return 2 * values.length <= runs.length ? null : level(values);
}

function absentShare(runs: readonly RunFigure[]): number {
  const sum = (key: "n" | "absent") => runs.reduce((total, run) => total + run[key], 0);
  return sum("absent") / Math.max(1, sum("absent") + sum("n"));
}

const caseOf = ({ cloud, stack, region, topology, caseId }: Series) =>
  JSON.stringify([cloud, stack, region, topology, caseId]);

/** One figure per series. None if the case's newest run has no value: an older run's would mislead. */
export function newestFigures(series: readonly Series[]): BenchmarkFigure[] {
  const newest = new Map<string, string>();
  for (const one of series) {
    const [at, before] = [one.points.at(-1)?.at ?? "", newest.get(caseOf(one)) ?? ""];
    newest.set(caseOf(one), at > before ? at : before);
  }
  return series.flatMap((one) => {
    const { points, stack, topology, caseId, figure, goal } = one;
    const found = points.at(-1);
    const value = found?.value ?? null;
    return found === undefined || value === null || found.at !== newest.get(caseOf(one))
      ? []
      : {
          ...{ id: figure, name: `${topology} (${stack}) ${caseId}`, found: { ...found, value } },
          said: [found.absent, goal].filter((said) => said !== null),
        };
  });
}

const head = [
  ...["cloud", "stack", "region", "topology", "case", "metric", "unit"],
  ...["run", "measured_at", "value", "low95", "high95", "n", "level_changed"],
  ...["goal", "without_value"],
];

/** `level_changed`: 1 at the first run of a new level, 0 elsewhere, empty if there are too few runs to judge. */
export function toHistoryCsv(series: readonly Series[]): string {
  const rows = series.flatMap(({ points, changes, cloud, stack, region, topology, caseId, figure, goal }) => {
    const own = textOf([cloud, stack, region, topology, caseId, figure, figures[figure].unit]);
    const firsts = changes === null ? null : new Set(changes.map(({ at }) => at));
    const goalText = escapeCsv(goal);
    return points.map(({ runId, at, value, interval, n, absent }, index) => {
      const measured = `${escapeCsv(runId)},${at},${value ?? ""},${interval?.low ?? ""},${interval?.high ?? ""},${n}`;
      const changed = firsts === null ? "" : Number(firsts.has(index));
      return `${own},${measured},${changed},${goalText},${escapeCsv(absent)}`;
    });
  });
  return `${[textOf(head), ...rows].join("\r\n")}\r\n`;
}

const textOf = (cells: readonly (string | number | null)[]) => cells.map(escapeCsv).join(",");
