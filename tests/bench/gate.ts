/**
 * How often the regression gate alarms without a change, and how often it sees a change: simulated, 28 figures per
 * comparison, whose repetitions scatter normally around a known level. Then the same where the first three repetitions
 * decide their number: false alarms of tests and gate, coverage of intervals. And false alarms of figures with two values.
 */
import { contrast, contrastOfMeans, type Estimate, summarize } from "../../bench/figures/estimate.ts";
import { type FigureId, figures } from "../../bench/figures/index.ts";
import { SIGNIFICANCE } from "../../bench/statistics/difference.ts";
import {
  belowNormal,
  type Interval,
  meanConfidence95,
  repetitionsNeeded,
} from "../../bench/statistics/sample.ts";
import { judgeFigures } from "../../report/comparison/gate.ts";
import { randomFrom } from "../fixtures/results/hand-made.ts";

const RUNS = 2000;
/** Runs with adaptive repetitions: a share of 5 % is then known to 0.15 %. */
const ADAPTIVE_RUNS = 20_000;
const FIGURES = 28;
const TOLERANCE_PERCENT = 1;
const LEVEL = 100;
const LEAST = 3;
const WITHIN_PERCENT = 5;
/** Scatter in percent, from figures that repeat exactly to README's busy lab. */
const ANY_SCATTER = [0.5, 50] as const;

const random = randomFrom(1);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const draw = (n: number, level: number, scatterPercent: number) =>
  Array.from({ length: n }, () => level * (1 + (scatterPercent / 100) * normal()));

/** Share of comparisons in which the first `changed` figures, worsened by that much, were called worse; and any other. */
function alarms(
  make: (level: number) => Estimate,
  dropPercent: number,
  changed: number,
  of = FIGURES,
  metric: FigureId = "throughput",
  runs = RUNS,
) {
  let [seen, falseAlarms] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const pairs = Array.from({ length: of }, (_, index) => ({
      metric,
      before: make(LEVEL),
      after: make(index < changed ? LEVEL - dropPercent : LEVEL),
    }));
    const worse = judgeFigures(pairs, TOLERANCE_PERCENT).map(({ verdict }) => verdict === "worse");
    seen += worse.slice(0, changed).filter(Boolean).length / Math.max(1, changed);
    falseAlarms += worse.slice(changed).some(Boolean) ? 1 : 0;
  }
  return { seen: seen / runs, falseAlarms: falseAlarms / runs };
}

function fixedRow(n: number, scatterPercent: number): string {
  const make = (level: number) => summarize(draw(n, level, scatterPercent));
  const shares = [
    alarms(make, 0, 0).falseAlarms,
    alarms(make, 10, 1).seen,
    alarms(make, 20, 1).seen,
    alarms(make, 20, 7).seen,
    alarms(make, 20, 1, 1).seen,
  ];
  return `${String(n).padStart(2)}  ${`${scatterPercent} %`.padStart(7)}  ${shares.map(percent).join("  ")}`;
}

/** Repetitions until the first ones' scatter shows that they are within 5 %, at most that many. */
function adaptive(level: number, scatterPercent: number, most: number, least = LEAST) {
  const values = draw(most, level, scatterPercent);
  const needed = repetitionsNeeded(values.slice(0, least), WITHIN_PERCENT);
  const own = values.slice(0, Math.min(most, needed));
  return { ...summarize(own, { pilot: least }), rounds: own, isSettled: needed <= most };
}

/** Cases with unknown scatter: each size within these bounds is equally likely, on a logarithmic scale. */
function anyScatterRow(least: number, most: number): string {
  const [low, high] = ANY_SCATTER;
  const counts = { covered: 0, converged: 0, coveredConverged: 0 };
  for (let run = 0; run < ADAPTIVE_RUNS; run++) {
    const one = adaptive(LEVEL, low * (high / low) ** random(), most, least);
    const [isCovered, isConverged] = [covers(one.interval, LEVEL), one.isSettled && isNarrow(one)];
    counts.covered += isCovered ? 1 : 0;
    counts.converged += isConverged ? 1 : 0;
    counts.coveredConverged += isCovered && isConverged ? 1 : 0;
  }
  const { covered, converged, coveredConverged } = counts;
  const shares = [covered / ADAPTIVE_RUNS, converged / ADAPTIVE_RUNS, coveredConverged / converged];
  return `${String(least).padStart(5)}  ${String(most).padStart(4)}  ${shares.map(percent).join("  ")}`;
}

function adaptiveRow(scatterPercent: number, most: number): string {
  const make = (level: number) => adaptive(level, scatterPercent, most);
  const counts = { covered: 0, converged: 0, wrong: 0, means: 0, ratio: 0, rounds: 0, needed: 0 };
  for (let run = 0; run < ADAPTIVE_RUNS; run++) {
    const [a, b] = [make(LEVEL), make(LEVEL)];
    const isCovered = covers(a.interval, LEVEL);
    const isConverged = a.isSettled && isNarrow(a);
    counts.needed += a.n;
    counts.covered += isCovered ? 1 : 0;
    counts.converged += isConverged ? 1 : 0;
    counts.wrong += isConverged && !isCovered ? 1 : 0;
    const means = contrastOfMeans(a, b);
    counts.means += (means.chance ?? 1) < SIGNIFICANCE ? 1 : 0;
    counts.ratio += covers(means.ratio?.interval ?? null, 1) ? 1 : 0;
    counts.rounds += (contrast(a, b).chance ?? 1) < SIGNIFICANCE ? 1 : 0;
  }
  const share = (name: keyof typeof counts) => percent(counts[name] / ADAPTIVE_RUNS);
  const gates = [1, 20].map((figures) => percent(alarms(make, 0, 0, figures).falseAlarms));
  return [
    `${`${scatterPercent} %`.padStart(7)}  ${String(most).padStart(4)}`,
    (counts.needed / ADAPTIVE_RUNS).toFixed(1).padStart(6),
    ...(["covered", "ratio", "means", "rounds"] as const).map(share),
    ...gates,
    share("converged"),
    share("wrong"),
    percent(1 - counts.wrong / Math.max(1, counts.converged)),
    percent(mostCovered(scatterPercent, most)),
  ].join("  ");
}

/**
 * Highest share of 5 % intervals that can cover the truth with at most so many repetitions: a mean tells nothing of its
 * scatter, so no rule can choose narrow intervals that cover more often.
 */
function mostCovered(scatterPercent: number, most: number): number {
  return 2 * belowNormal((WITHIN_PERCENT * Math.sqrt(most)) / scatterPercent) - 1;
}

function covers(interval: Interval | null, truth: number): boolean {
  return interval !== null && interval.low <= truth && truth <= interval.high;
}

/** Whether an interval counts as `converged` in results. */
function isNarrow({ rounds, mean }: ReturnType<typeof adaptive>): boolean {
  const { low, high } = meanConfidence95(rounds);
  return (high - low) / 2 <= (WITHIN_PERCENT / 100) * mean;
}

/** A row of figures with two values. @param metric Compared by ranks, or by means. */
function coinRow(n: number, metric: FigureId): string {
  const make = () =>
    summarize(
      Array.from({ length: n }, () => (random() < 0.5 ? 60 : 120) * (1 + normal() / 100)),
      figures[metric],
    );
  const [one, twenty] = [alarms(make, 0, 0, 1, metric, ADAPTIVE_RUNS), alarms(make, 0, 0, 20, metric)];
  return `${percent(one.falseAlarms)}  ${percent(twenty.falseAlarms)}`;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(8);

/** The rows, each once simulated. */
export function* gate(): Generator<string> {
  yield `share of ${RUNS} comparisons of ${FIGURES} figures with an alarm where nothing changed, and of figures that got worse that were seen`;
  yield " n  scatter  no change  one 10 %  one 20 %  7 by 20 %  one of one 20 %";
  for (const n of [2, 3, 5, 10]) for (const scatter of [2, 5]) yield fixedRow(n, scatter);
  yield "";
  yield `repetitions whose number the first ${LEAST} decide, within ${WITHIN_PERCENT} %: intervals that cover the truth, false alarms of`;
  yield "two means, of rounds, and of a gate of 1 and 20 figures (by chance 5 % are 4.0 to 6.0 % there, 4.7 to 5.3 % in the others); cases called converged, and those of them that miss (of all); the";
  yield "share of converged intervals that cover, and the most that any rule for intervals of so many percent can reach";
  yield "scatter  most  needed  interval     ratio     means    rounds    gate 1   gate 20  converged  missing    cover  at most";
  for (const scatter of [2, 5, 10, 20]) for (const most of [10, 100]) yield adaptiveRow(scatter, most);
  yield "";
  yield `cases of any scatter, from ${ANY_SCATTER.join(" to ")} %: intervals that cover, cases called converged, and those of them that cover`;
  yield "least  most  interval  converged     cover";
  for (const least of [3, 5, 7]) for (const most of [10, 20, 100]) yield anyScatterRow(least, most);
  yield "";
  yield `figures of two levels by a coin, compared by ranks and by means: false alarms of ${ADAPTIVE_RUNS} comparisons of 1 figure, and of ${RUNS} of 20`;
  yield " n  ranks: one  20 figures  means: one  20 figures";
  for (const n of [2, 3, 4, 5, 7, 10]) {
    yield [String(n).padStart(2), coinRow(n, "idleTimeout"), coinRow(n, "throughput")].join("  ");
  }
}
