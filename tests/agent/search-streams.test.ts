/** Searches for the best number of streams on simulated paths. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searches } from "../helpers/search-simulation.ts";

describe("a search for the best number of streams", () => {
  const peakCase = fc.record({
    goal: fc.constant("peak"),
    search: fc.record({
      most: fc.integer({ min: 1, max: 128 }),
      tolerance_percent: fc.constantFrom(1, 3),
      confirmations: fc.integer({ min: 0, max: 2 }),
    }),
    path: fc.record({
      each: fc.integer({ min: 1e6, max: 5e9 }),
      total: fc.integer({ min: 1e8, max: 1e11 }),
      knee: fc.integer({ min: 1, max: 128 }),
      decline: fc.double({ min: 0, max: 0.005, noNaN: true }),
      noise: fc.constantFrom(0, 0, 0.01, 0.05),
      seed: fc.integer(),
    }),
    max_trials: fc.constant(60),
  });
  const cases = fc.sample(peakCase, 300);
  type Path = (typeof cases)[number]["path"];
  const carries = ({ each, total, knee, decline }: Path, streams: number) =>
    Math.min(streams * each, total) * (1 - decline * Math.max(0, streams - knee));

  it("ends within the tolerance of the most that any number carries", () => {
    for (const [index, { found, trials }] of searches(cases).entries()) {
      const { path, search } = cases[index]!;
      const most = Math.max(...Array.from({ length: search.most }, (_, n) => carries(path, n + 1)));
      // Counts nearer than a sixteenth are not distinguished; in between lies a stream more or less.
      const lowest = (most * 15) / 16 - (most * search.tolerance_percent) / 100 - 2 * path.noise * most;
      expect(carries(path, found!)).toBeGreaterThanOrEqual(lowest);
      expect(trials.map(({ streams }) => streams)).toEqual(expect.arrayContaining([1, search.most]));
    }
  });

  it("prefers the fewest streams of equal throughput, and finds small counts exactly", () => {
    const plateau = (total: number) => ({
      goal: "peak",
      search: { most: 128 },
      path: { each: 1e9, total, knee: 200, decline: 0 },
      max_trials: 40,
    });
    const totals = [1, 2, 3, 5, 8, 13, 21, 27];
    const answers = searches(totals.map((gigabits) => plateau(gigabits * 1e9)));
    expect(answers.map(({ found }) => found)).toEqual(totals);
    expect(answers.every(({ limitedBy, confirmed }) => limitedBy === "path" && confirmed)).toBe(true);
  });

  it("ends at the most allowed where each stream adds", () => {
    const path = { each: 1e9, total: 1e12, knee: 200, decline: 0 };
    const [answer] = searches([{ goal: "peak", search: { most: 48 }, path, max_trials: 24 }]);
    expect(answer).toMatchObject({ found: 48, limitedBy: "range", confirmed: true, lossBoundPercent: null });
    expect(answer!.trials[answer!.best!]!.streams).toBe(48);
  });

  it("counts only repetitions of equal throughput as confirmations", () => {
    const answers = searches(cases);
    const held = answers.map(({ found, trials }, index) => {
      const { tolerance_percent, confirmations } = cases[index]!.search;
      const own = trials.filter(({ streams }) => streams === found).map((one) => one.receivedBitsPerSecond!);
      const spread = 1 - Math.min(...own) / Math.max(...own);
      return confirmations > 0 && own.length > confirmations && spread <= tolerance_percent / 100;
    });
    expect(answers.map(({ confirmed }) => confirmed)).toEqual(held);
    expect(new Set(held).size).toBe(2);
    for (const { best, found, trials } of answers) {
      expect(best).toBe(trials.findLastIndex(({ streams }) => streams === found));
    }
  });

  it.each([0.05, 0.1])(
    "publishes the path's capacity, not the best of its trials, at a scatter of %d",
    (scatter) => {
      const [total, runs] = [1e10, 1200];
      const answers = searches(
        Array.from({ length: runs }, (_, seed) => ({
          goal: "peak",
          search: { most: 128 },
          path: { each: [1e10, 2.5e9, 1.25e9][seed % 3], total, knee: 200, decline: 0, scatter, seed },
          max_trials: 24,
        })),
      );
      const published = answers.map(({ best, trials }) => trials[best!]!.receivedBitsPerSecond!);
      const bias = published.reduce((sum, value) => sum + value, 0) / runs / total - 1;
      expect(Math.abs(bias)).toBeLessThan(0.01);
      const highest = answers.map(({ trials }) =>
        Math.max(...trials.map((one) => one.receivedBitsPerSecond!)),
      );
      expect(highest.reduce((sum, value) => sum + value, 0) / runs / total - 1).toBeGreaterThan(
        1.5 * scatter,
      );
      expect(answers.filter(({ limitedBy }) => limitedBy === "trials")).toEqual([]);
    },
  );

  it("never takes more trials than allowed", () => {
    const limited = fc.sample(
      fc.record({
        case: peakCase,
        max_trials: fc.integer({ min: 1, max: 24 }),
        problems: fc.uniqueArray(fc.integer({ min: 0, max: 20 })),
      }),
      300,
    );
    const answers = searches(
      limited.map((one) => ({
        ...one.case,
        max_trials: one.max_trials,
        path: { ...one.case.path, problems: one.problems },
      })),
    );
    for (const [index, answer] of answers.entries()) {
      expect(answer.trials.length).toBeLessThanOrEqual(limited[index]!.max_trials);
      const best = answer.best === null ? null : answer.trials[answer.best]!;
      expect(best?.streams ?? null).toBe(answer.found);
      expect(best?.problem ?? null).toBeNull();
    }
  });
});
