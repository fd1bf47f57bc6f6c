/** By chance, the gate and the report find a difference where there is none in at most one of twenty: simulated. */
import { describe, expect, it } from "vitest";
import { contrast, contrastOfMeans, summarize } from "../../bench/figures/estimate.ts";
import { type FigureId, figures } from "../../bench/figures/index.ts";
import { chanceOfRounds, corrected } from "../../bench/statistics/difference.ts";
import { judgeFigures } from "../../report/comparison/gate.ts";
import { randomFrom } from "../fixtures/results/hand-made.ts";

const random = randomFrom(7);
const some = <Value>(n: number, make: () => Value) => Array.from({ length: n }, make);
const noise = () => 1 + (random() - 0.5) / 50;
/** Knuth's algorithm: the number of uniform random numbers until their product is small. */
const poisson = (level: number) => () => {
  let [count, product] = [-1, 1];
  while (product > Math.exp(-level)) {
    count++;
    product *= random();
  }
  return count;
};
const RUNS = 400;
const share = (happens: () => boolean) => some(RUNS, happens).filter(Boolean).length / RUNS;
/** One of twenty, and what simulating it so often adds: three standard deviations. */
const MOST = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / RUNS);
const isSmall = (chance: number) => chance < 0.05;

describe.each<[string, FigureId, () => number]>([
  // As where a flow's hash chooses one of two queues.
  ["two levels", "throughput", () => (random() < 0.5 ? 70 : 130) * noise()],
  ["outliers", "throughput", () => (random() < 0.2 ? 500 : 100) * noise()],
  ...[0.5, 1, 3].map((level): [string, FigureId, () => number] => [
    `counts around ${level}`,
    "packetsForwardedDropped",
    poisson(level),
  ]),
  ["two values", "idleTimeout", () => (random() < 0.5 ? 60 : 120)],
  [
    "survivors of failures that lose all in a fifth",
    "failoverTcpSurvived",
    () => (random() < 0.2 ? 0 : 1000),
  ],
])("%s", (_, metric, make) => {
  const one = (n: number) => {
    const rounds = some(n, make);
    return { ...summarize(rounds, figures[metric]), rounds };
  };

  it.each([2, 3, 5].flatMap((n) => [1, 8, 20].map((of) => [n, of] as const)))(
    "n = %d, comparisons %d",
    (n, of) => {
      const alarms = share(() =>
        judgeFigures(
          some(of, () => ({ metric, before: one(n), after: one(n) })),
          5,
        ).some(({ verdict }) => verdict === "worse"),
      );
      const differ = share(() =>
        corrected(some(of, () => contrast(one(n), one(n)).chance).filter((chance) => chance !== null)).some(
          isSmall,
        ),
      );
      const byRound = share(() =>
        corrected(some(of, () => chanceOfRounds(some(n, () => [make(), make()] as const)) ?? 1)).some(
          isSmall,
        ),
      );
      const ofMeans = share(() => isSmall(contrastOfMeans(one(n), one(n)).chance ?? 1));
      expect(
        Math.max(alarms, differ, byRound, ofMeans),
        JSON.stringify({ alarms, differ, byRound, ofMeans }),
      ).toBeLessThanOrEqual(MOST);
    },
  );
});
