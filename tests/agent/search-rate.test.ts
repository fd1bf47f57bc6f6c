/** Searches for a rate on simulated paths; `npm run bench -- search` has more paths, and compares. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";
import { searches } from "../helpers/search-simulation.ts";

const LEAST = 1e6;
const MOST = 1e9;

describe("the verdict of trials on a rate", () => {
  /** Trials as `[seconds, lost percent]`, for a bound of 1 % and trials of 2 s for a sum of 10 s. */
  const isLower = (trials: number[][], exceed = 0.5) =>
    evaluate(
      "load_bounds.is_lower_bound([load_bounds.Record(s, l, False, 1, 0) for s, l in data[0]], 1, data[1], load_bounds.Phase(1, 2, 10))",
      [trials, exceed],
    );
  const good = [2, 0.5];
  const bad = [2, 50];
  const shortGood = [1, 0];
  const shortBad = [1, 2];

  it.each<[string, number[][], number, boolean | null]>([
    ["nothing without trials", [], 0.5, null],
    ["undecided after one good trial", [good], 0.5, null],
    ["undecided after one bad trial", [bad], 0.5, null],
    ["good, once bad ones cannot exceed half", [good, good, bad, good], 0.5, true],
    ["bad, once more than half are bad", [good, bad, bad, bad], 0.5, false],
    ["bad by one bad trial, where none is allowed", [good, good, good, good, bad], 0, false],
    ["good where none is allowed and none was bad", [good, good, good, good, good], 0, true],
    ["good despite a stray loss, with enough seconds", [bad, ...Array(9).fill(good)], 0.2, true],
    ["undecided by short good trials", Array(20).fill(shortGood), 0.5, null],
    ["bad by short bad trials", Array(6).fill(shortBad), 0.5, false],
    [
      "undecided by short trials that balance each other",
      [...Array(6).fill(shortBad), ...Array(6).fill(shortGood)],
      0.5,
      null,
    ],
  ])("tell %s", (_, trials, exceed, expected) => {
    expect(isLower(trials, exceed)).toBe(expected);
  });
});

describe("a search for a rate", () => {
  const rateCase = fc.record({
    goal: fc.constant("ndr"),
    search: fc.record({
      least: fc.constant(LEAST),
      most: fc.constant(MOST),
      streams: fc.constantFrom(1, 3, 128),
      loss_percent: fc.constantFrom(0, 0.5),
      precision_percent: fc.constantFrom(0.5, 1, 5),
      seconds: fc.constantFrom(1, 5, 30),
      exceed: fc.constantFrom(0, 50),
    }),
    path: fc.record({ capacity: fc.double({ min: LEAST * 1.1, max: MOST * 0.99, noNaN: true }) }),
    max_trials: fc.constant(200),
  });
  const cases = fc.sample(rateCase, 200);
  const answers = searches(cases);
  const bound = ({ path, search }: (typeof cases)[number]) => path.capacity / (1 - search.loss_percent / 100);

  it("comes within the precision of what the path carries", () => {
    for (const [index, answer] of answers.entries()) {
      const one = cases[index]!;
      const highest = Math.min(bound(one), MOST);
      expect(answer.found!).toBeLessThanOrEqual(highest);
      // Streams have equal whole shares, so the rate may be lower by a bit a second for each.
      const lowest = highest / (1 + one.search.precision_percent / 100) - 2 * one.search.streams;
      expect(answer.found!).toBeGreaterThanOrEqual(lowest);
      expect(answer).toMatchObject({ limitedBy: "path", confirmed: one.search.seconds < 21 });
      const best = answer.trials[answer.best!]!;
      expect(best).toMatchObject({ offeredBitsPerSecond: answer.found, passed: true });
      expect(best.durationSeconds).toBe(one.search.seconds);
      const carried =
        answer.goals![0]!.conditionalBitsPerSecond! / Math.min(answer.found!, one.path.capacity);
      expect(carried).toBeCloseTo(1, 6);
    }
  });

  it("starts with the highest rate, and needs few trials beyond those that decide", () => {
    for (const [index, answer] of answers.entries()) {
      const { search } = cases[index]!;
      expect(answer.trials[0]!.offeredBitsPerSecond! / MOST).toBeCloseTo(1, 5);
      const deciding = 2 * Math.ceil(21 / search.seconds);
      expect(answer.trials.length).toBeLessThanOrEqual(deciding + 10);
    }
  });

  it("finds each of several goals: at a residual loss of 1e-5, trials of 10 s hold a tenth of what those of 1 s do", () => {
    // Name, percent of loss, seconds of a trial and of all, share that may lose more.
    const more = [
      ["pdr", 0.5, 1, 21, 0.5],
      ["ndr", 0, 10, 60, 0.5],
    ];
    const runs = Array.from({ length: 15 }, (_, seed) => ({
      ...{ goal: "ndr", search: { least: LEAST, most: MOST, more }, max_trials: 400 },
      path: { capacity: 5e8, residual: 1e-5, seed },
    }));
    const rates = searches(runs).map(({ goals }) => goals!.map(({ found }) => found! / 5e8));
    // The rate at which half of the trials lose nothing: n datagrams of 8,000 bits, (1 - 1e-5)^n = 1/2.
    const halfway = (seconds: number) => (Math.LN2 / 1e-5) * (8e3 / seconds / 5e8);
    const medianOf = (goal: number) => rates.map((one) => one[goal]!).sort((a, b) => a - b)[7]!;
    expect(medianOf(0) / Math.min(1, halfway(1))).toBeCloseTo(1, 1);
    expect(medianOf(1)).toBeCloseTo(1, 1);
    expect(Math.abs(medianOf(2) / halfway(10) - 1)).toBeLessThan(0.4);
    expect(medianOf(0) / medianOf(2)).toBeGreaterThan(5);
    // The short trials alone find the same: long trials with losses do not count against them.
    const alone = searches(runs.map((one) => ({ ...one, search: { least: LEAST, most: MOST } })));
    expect(alone.map(({ found }) => found! / 5e8)).toEqual(rates.map(([first]) => first));
  });

  it("finds no less on a path that carries more", () => {
    const one = cases[0]!;
    const ordered = [...cases].sort((a, b) => a.path.capacity - b.path.capacity);
    const found = searches(ordered.map(({ path }) => ({ ...one, path }))).map((answer) => answer.found!);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(new Set(found).size).toBeGreaterThan(50);
  });

  const noisy = fc
    .sample(
      fc.record({
        case: rateCase,
        noise: fc.double({ min: 0, max: 0.3, noNaN: true }),
        sender: fc.double({ min: LEAST / 2, max: MOST, noNaN: true }),
        problems: fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 6 }),
        max_trials: fc.integer({ min: 1, max: 60 }),
        seed: fc.integer(),
      }),
      200,
    )
    .map(({ case: one, max_trials, ...path }) => ({ ...one, max_trials, path: { ...one.path, ...path } }));

  it("claims no rate without a good trial, and takes no more trials than allowed, on any path", () => {
    for (const [index, answer] of searches(noisy).entries()) {
      const { search, max_trials } = noisy[index]!;
      expect(answer.trials.length).toBeLessThanOrEqual(max_trials);
      for (const trial of answer.trials.filter(({ passed }) => passed)) {
        expect(trial.lostPercent).toBeLessThanOrEqual(search.loss_percent);
        expect(trial.sentBitsPerSecond!).toBeGreaterThanOrEqual(0.97 * trial.offeredBitsPerSecond!);
      }
      const best = answer.best === null ? undefined : answer.trials[answer.best];
      expect(best?.passed ?? false).toBe(answer.found !== null);
      if (answer.confirmed) {
        const at = answer.trials.filter(
          ({ problem, offeredBitsPerSecond }) =>
            problem === null && offeredBitsPerSecond === best?.offeredBitsPerSecond,
        );
        const good = at.filter(({ passed }) => passed);
        expect(good.length).toBeGreaterThan(1);
        expect(good.length).toBeGreaterThanOrEqual(at.length * (1 - search.exceed / 100));
      }
    }
  });

  const plain = {
    goal: "ndr",
    search: { least: LEAST, most: MOST },
    path: { capacity: 2 * MOST },
    max_trials: 120,
  };
  const on = (path: object, more: object = {}) => searches([{ ...plain, ...more, path }])[0]!;

  it("finds two rates in one pass, sharing trials", () => {
    const both = { search: { ...plain.search, pdr_loss_percent: 20 } };
    const answer = on({ capacity: 100e6 }, both);
    const [ndr, pdr] = answer.goals!;
    expect(ndr).toMatchObject({ goal: "ndr", found: answer.found, confirmed: true });
    expect(pdr).toMatchObject({ goal: "pdr", lossBoundPercent: 20, confirmed: true });
    expect(answer.found! / 100e6).toBeCloseTo(0.995, 2);
    expect(pdr!.found! / 125e6).toBeCloseTo(0.995, 2);
    expect(pdr!.conditionalBitsPerSecond! / 100e6).toBeCloseTo(1, 2);
    const apart = on({ capacity: 100e6 }).trials.length;
    expect(answer.trials.length).toBeLessThan(2 * apart);
  });

  it("does not take a hiccup for the path's limit", () => {
    const seeds = Array.from({ length: 40 }, (_, seed) => seed);
    const path = { capacity: 100e6, hiccups: 0.04, hiccup: 0.02 };
    const found = searches(seeds.map((seed) => ({ ...plain, path: { ...path, seed } }))).map(
      (answer) => answer.found! / 100e6,
    );
    const sorted = found.sort((a, b) => a - b);
    expect(sorted[20]!).toBeGreaterThan(0.98);
    expect(sorted[2]!).toBeGreaterThan(0.97);
    expect(sorted.at(-1)!).toBeLessThanOrEqual(1);
  });

  it.each([1, 10])("takes no rate for held that a deep queue absorbed in trials of %d s", (seconds) => {
    for (const loss_percent of [0, 0.5]) {
      const answer = on(
        { capacity: 20e6, buffer: 64e6 },
        { search: { ...plain.search, seconds, loss_percent } },
      );
      expect(answer).toMatchObject({ limitedBy: "path" });
      for (const rate of [answer.found!, answer.goals![0]!.conditionalBitsPerSecond!]) {
        expect(rate / 20e6).toBeGreaterThan(0.99);
        // A queue may grow by 30 ms, or by a hundredth of the trial.
        expect(rate / 20e6).toBeLessThan(seconds === 1 ? 1.031 : 1.011 / (1 - loss_percent / 100));
      }
    }
  });

  it("ends where the highest rate passes for long enough", () => {
    const answer = on({ capacity: 2 * MOST });
    expect(answer).toMatchObject({ found: MOST, limitedBy: "range", confirmed: true });
    expect(answer.trials).toHaveLength(11);
  });

  it("finds nothing where the lowest fails, and tries that one", () => {
    const answer = on({ capacity: LEAST / 2 });
    expect(answer).toMatchObject({ found: null, limitedBy: "path", confirmed: false, best: null });
    expect(answer.goals![0]!.conditionalBitsPerSecond).toBeNull();
    expect(answer.trials.at(-1)!.offeredBitsPerSecond).toBe(LEAST);
  });

  it("takes the sent rate, if lower than the requested one", () => {
    for (const sender of [2 * LEAST, 123_456_789, 0.96 * MOST]) {
      const answer = on({ capacity: 2 * MOST, sender });
      expect(answer).toMatchObject({ found: sender, limitedBy: "sender", confirmed: true });
      expect(answer.trials[0]).toMatchObject({ offeredBitsPerSecond: MOST, passed: false });
    }
  });

  it("finds nothing where the sender cannot send the lowest rate", () => {
    expect(on({ capacity: MOST, sender: LEAST / 2 })).toMatchObject({ found: null, limitedBy: "sender" });
  });

  it("tolerates a trial without figures, and takes two at one rate for a failure there", () => {
    const undisturbed = on({ capacity: 123e6 });
    const one = on({ capacity: 123e6, problems: [3] });
    expect(one.found).toBe(undisturbed.found);
    expect(one.trials[3]).toMatchObject({ problem: "simulated", passed: false, lostPercent: null });
    expect(one.trials[4]!.offeredBitsPerSecond).toBe(one.trials[3]!.offeredBitsPerSecond);
    const two = on({ capacity: 2 * MOST, problems: [0, 1] });
    expect(two.found!).toBeGreaterThan(0.98 * MOST);
    expect(two).toMatchObject({ limitedBy: "path", confirmed: true });
  });

  it("gives up when no trial has figures any more, and keeps its result", () => {
    expect(on({ dead: true })).toMatchObject({ found: null, limitedBy: "trials", best: null });
    const broken = on({ capacity: 123e6, problems: [4, 5, 6, 7, 8, 9] });
    const before = on({ capacity: 123e6 }, { max_trials: 4 });
    expect(broken.trials).toHaveLength(8);
    expect(broken).toMatchObject({ found: before.found, limitedBy: "trials", confirmed: false });
  });

  it("reports that it had to end early", () => {
    expect(on({ capacity: 123e6 }, { max_trials: 3 })).toMatchObject({
      limitedBy: "trials",
      confirmed: false,
    });
    expect(on({ capacity: 2 * MOST }, { max_trials: 2 })).toMatchObject({
      found: MOST,
      limitedBy: "trials",
      confirmed: false,
    });
  });
});
