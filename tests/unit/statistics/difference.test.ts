/** Tests of difference, against published examples, counted ranks and simulated truths. */
import { describe, expect, it } from "vitest";
import { contrast, summarize } from "../../../bench/figures/estimate.ts";
import {
  chanceOfDifference,
  chanceOfRise,
  chanceOfRounds,
  corrected,
  type Round,
} from "../../../bench/statistics/difference.ts";
import { chanceOfRankRise } from "../../../bench/statistics/ranks.ts";
import { repetitionsNeeded } from "../../../bench/statistics/sample.ts";
import { randomFrom } from "../../fixtures/results/hand-made.ts";

/** Student (1908): hours of sleep gained with two drugs, the same 10 patients; in R as `sleep`. */
const first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
const second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

describe("Student's sleep data", () => {
  it("differ pair by pair as R's t.test(paired = TRUE) says", () => {
    const pairs = first.map((one, index): Round => [one, second[index]!]);
    expect(chanceOfRounds(pairs)).toBeCloseTo(0.002833, 6);
  });

  it("differ by their means as R's Welch test says", () => {
    expect(chanceOfDifference(summarize(first), summarize(second))).toBeCloseTo(0.07939, 5);
  });
});

describe("ranks", () => {
  // Shares of all ways to pick as many of the ranks, counted one by one in another program.
  it.each([
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 1 / 252],
    [[1, 2, 3], [4, 5, 6], 1 / 20],
    [[1, 2, 2, 3], [2, 3, 3, 5], 1 / 7],
    [[520, 480, 530, 510, 500], [900, 505, 880, 870, 910], 1 / 36],
  ])("%j below %j: %d", (a, b, chance) => {
    expect(chanceOfRankRise(a, b)).toBeCloseTo(chance, 10);
  });

  const series = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => from + 2 * index);
  const negative = (values: readonly number[]) => values.map((value) => -value);
  const equal = (value: number, count: number) => Array<number>(count).fill(value);

  // scipy.stats.mannwhitneyu(b, a, alternative="greater", method="exact"), where no values are equal. Of two values it is the
  // hypergeometric distribution: scipy.stats.hypergeom.sf(k - 1, N, K, n).
  it.each([
    ["15 and 15", series(0, 15), series(9, 15), 0.008216],
    [
      "6 of 60, two of them in the last 3",
      [...equal(0, 53), ...equal(1, 4)],
      [0, 1, 1],
      0.024254821741671533,
    ],
    ["6 of 120, all of the last 3", [...equal(0, 114), ...equal(1, 3)], [1, 1, 1], 7.121492664862556e-5],
    [
      "10 of 200, four of them in the last 20",
      [...equal(0, 174), ...equal(1, 6)],
      [...equal(0, 16), ...equal(1, 4)],
      0.010475764852888075,
    ],
  ])("of many values give the exact chance: %s", (_, a, b, chance) => {
    expect(chanceOfRankRise(a, b) / chance).toBeCloseTo(1, 4);
    expect(chanceOfRankRise(negative(b), negative(a)) / chance).toBeCloseTo(1, 4);
  });

  it("of more equal values than can be counted never give a chance below the exact one", () => {
    const halves = (ones: number) =>
      chanceOfRankRise(
        [...equal(0, 460 + ones), ...equal(1, 40 - ones)],
        [...equal(0, 500 - ones), ...equal(1, ones)],
      );
    expect(halves(30)).toBeGreaterThan(0.0009041746595489167); // scipy.stats.hypergeom.sf(29, 1000, 40, 500)
    expect(halves(38)).toBeLessThan(0.005);
    // The same number of distinct values uses the normal approximation.
    expect(chanceOfRankRise(series(0, 500), series(1, 500))).toBeCloseTo(0.5, 1);
  });

  it("judge a median only if they could show a change", () => {
    const outages = (...values: number[]) => summarize(values, { centre: "median", byRanks: true });
    expect(chanceOfRise(outages(500, 510, 520), outages(900, 910, 920))).toBeNull();
    expect(chanceOfRise(outages(1, 2, 3, 4), outages(5, 6, 7, 8))).toBeCloseTo(1 / 70, 10);
  });
});

// R lacks this test: the smaller degrees of freedom bound it from above (Hsu and Scheffe).
it("ten runs against two give the difference one degree of freedom", () => {
  const [ten, two] = [summarize(first), summarize([5.5, 6.5])];
  const error = Math.sqrt(ten.stddev! ** 2 / 10 + 0.5 / 2);
  // Student's t with one degree is Cauchy's distribution.
  const chance = 1 - (2 / Math.PI) * Math.atan((6 - 0.75) / error);
  expect(chanceOfDifference(ten, two)).toBeCloseTo(chance, 6);
});

it("a single run is not compared", () => {
  expect(chanceOfRise(summarize([9.99, 10, 10.01]), summarize([20]))).toBeNull();
});

describe("simulated", () => {
  const random = randomFrom(6);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const runs = 1000;
  const share = (test: () => boolean) => Array.from({ length: runs }, test).filter(Boolean).length / runs;

  /** Two topologies of five shared rounds that drift by 15 %, one of them slower by a share. */
  function drifting(slower: number) {
    const drift = Array.from({ length: 5 }, () => 1 + 0.15 * normal());
    const values = (level: number) => drift.map((round) => 100 * level * round * (1 + 0.005 * normal()));
    return [values(1), values(1 - slower)].map((own) => ({ ...summarize(own), rounds: own }));
  }

  it("a difference of 10 % under a drift of 15 % is seen round by round, and not by means", () => {
    const seen = { rounds: 0, means: 0 };
    for (let run = 0; run < runs; run++) {
      const [a, b] = drifting(0.1);
      seen.rounds += contrast(a!, b!).chance! < 0.05 ? 1 : 0;
      seen.means += chanceOfDifference(a!, b!)! < 0.05 ? 1 : 0;
    }
    expect(seen.rounds / runs).toBeGreaterThan(0.99);
    expect(seen.means / runs).toBeLessThan(0.3);
  });

  it("rounds alarm falsely in 5 %, and their ratio covers the truth in 95 %", () => {
    const alarms = share(() => {
      const [a, b] = drifting(0);
      return contrast(a!, b!).chance! < 0.05;
    });
    expect(Math.abs(alarms - 0.05)).toBeLessThan(0.022); // three standard errors of 1,000 runs
    const covered = share(() => {
      const [a, b] = drifting(0.1);
      const { low, high } = contrast(b!, a!).ratio!.interval!;
      return low <= 0.9 && 0.9 <= high;
    });
    expect(Math.abs(covered - 0.95)).toBeLessThan(0.022);
  });

  it("of values that jump between two levels, whose first four may be equal, alarm falsely in 5 %", () => {
    const coins = () => {
      const all = Array.from({ length: 10 }, () => (random() < 0.5 ? 90 : 110));
      return summarize(all.slice(0, repetitionsNeeded(all.slice(0, 4), 5)), { pilot: 4 });
    };
    expect(share(() => chanceOfRise(coins(), coins())! < 0.05)).toBeLessThan(0.05);
  });

  it("repetitions that the first three decide alarm falsely in 5 %, in means and in rounds", () => {
    const adaptive = () => {
      const all = Array.from({ length: 40 }, () => 100 + 5 * normal());
      const own = all.slice(0, Math.min(40, repetitionsNeeded(all.slice(0, 3), 5)));
      return { own, pilot: summarize(own, { pilot: 3 }), all: summarize(own) };
    };
    let [pilots, wholes, rounds] = [0, 0, 0];
    for (let run = 0; run < 2 * runs; run++) {
      const [a, b] = [adaptive(), adaptive()];
      pilots += chanceOfDifference(a.pilot, b.pilot)! < 0.05 ? 1 : 0;
      wholes += chanceOfDifference(a.all, b.all)! < 0.05 ? 1 : 0;
      rounds += contrast({ ...a.pilot, rounds: a.own }, { ...b.pilot, rounds: b.own }).chance! < 0.05 ? 1 : 0;
    }
    expect(pilots / (2 * runs)).toBeLessThan(0.06);
    expect(rounds / (2 * runs)).toBeLessThan(0.065);
    // The scatter of all repetitions, as used before, alarms more often.
    expect(wholes).toBeGreaterThan(pilots);
  });
});

it("Benjamini and Hochberg's own example is judged as they do", () => {
  // Benjamini and Hochberg (1995), section 3.2: 15 tests, of which their procedure rejects four at 5 %.
  const chances = [
    ...[0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719],
    ...[0.6528, 0.759, 1],
  ];
  expect(corrected(chances).filter((chance) => chance < 0.05)).toHaveLength(4);
});
