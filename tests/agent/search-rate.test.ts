/** Where searches for a rate go, on simulated paths. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searches } from "../helpers/search-simulation.ts";

const LEAST = 1e6;
const MOST = 1e9;

describe("a search for a rate", () => {
  const rateCase = fc.record({
    goal: fc.constant("ndr"),
    search: fc.record({
      least: fc.constant(LEAST),
      most: fc.constant(MOST),
      streams: fc.constantFrom(1, 3, 128),
      loss_percent: fc.constantFrom(0, 0.5),
      precision_percent: fc.constantFrom(0.5, 1, 5),
      confirmations: fc.integer({ min: 0, max: 3 }),
    }),
    path: fc.record({ capacity: fc.double({ min: LEAST * 1.1, max: MOST * 0.99, noNaN: true }) }),
    max_trials: fc.constant(30),
  });
  const cases = fc.sample(rateCase, 300);
  const bound = ({ path, search }: (typeof cases)[number]) => path.capacity / (1 - search.loss_percent / 100);

  it("comes within the precision of what the path carries, and repeats it", () => {
    for (const [index, answer] of searches(cases).entries()) {
      const { search, ...one } = cases[index]!;
      const highest = Math.min(bound({ search, ...one }), MOST);
      expect(answer.found!).toBeLessThanOrEqual(highest);
      // Streams have equal whole shares: the rate may be less by a bit a second each.
      const lowest = highest / (1 + search.precision_percent / 100) - search.streams;
      expect(answer.found!).toBeGreaterThanOrEqual(lowest);
      expect(answer.limitedBy).toBe("path");
      expect(answer.confirmed).toBe(search.confirmations > 0);
      const held = answer.trials.filter((trial) => trial.offeredBitsPerSecond === answer.found);
      expect(held).toHaveLength(1 + search.confirmations);
      expect(answer.trials.lastIndexOf(held.at(-1)!)).toBe(answer.best);
    }
  });

  it("starts with the highest rate, and takes no more trials than halving needs", () => {
    for (const [index, answer] of searches(cases).entries()) {
      const { search } = cases[index]!;
      const halvings = Math.log2(Math.log(MOST / LEAST) / Math.log(1 + search.precision_percent / 100));
      expect(answer.trials[0]!.offeredBitsPerSecond! / MOST).toBeCloseTo(1, 5);
      expect(answer.trials.length).toBeLessThanOrEqual(2 + Math.ceil(halvings) + 1 + search.confirmations);
    }
  });

  it("finds no less on a path that carries more", () => {
    const ordered = [...cases].sort((a, b) => a.path.capacity - b.path.capacity);
    const one = cases[0]!;
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
        max_trials: fc.integer({ min: 1, max: 30 }),
        seed: fc.integer(),
      }),
      400,
    )
    .map(({ case: one, max_trials, ...path }) => ({ ...one, max_trials, path: { ...one.path, ...path } }));

  it("never claims a rate that failed, nor takes more trials than allowed, on whatever path", () => {
    for (const [index, answer] of searches(noisy).entries()) {
      const { search, max_trials } = noisy[index]!;
      expect(answer.trials.length).toBeLessThanOrEqual(max_trials);
      const failed = answer.trials.filter(
        ({ problem, lostPercent }) => problem === null && lostPercent! > search.loss_percent,
      );
      for (const trial of failed) {
        expect(answer.found ?? 0).toBeLessThan(trial.offeredBitsPerSecond!);
      }
      for (const trial of answer.trials.filter(({ passed }) => passed)) {
        expect(trial.lostPercent).toBeLessThanOrEqual(search.loss_percent);
        expect(trial.sentBitsPerSecond!).toBeGreaterThanOrEqual(0.97 * trial.offeredBitsPerSecond!);
      }
      const best = answer.best === null ? undefined : answer.trials[answer.best];
      expect(best?.passed ?? false).toBe(answer.found !== null);
      if (answer.confirmed) {
        const held = answer.trials.filter(
          (trial) => trial.passed && trial.offeredBitsPerSecond === best?.offeredBitsPerSecond,
        );
        expect(held.length).toBeGreaterThan(search.confirmations);
      }
    }
  });

  const plain = {
    goal: "ndr",
    search: { least: LEAST, most: MOST, confirmations: 2 },
    path: { capacity: 2 * MOST },
    max_trials: 24,
  };
  const on = (path: object, more: object = {}) => searches([{ ...plain, ...more, path }])[0]!;

  it("ends at once where the highest rate passes", () => {
    const answer = on({ capacity: 2 * MOST });
    expect(answer).toMatchObject({ found: MOST, limitedBy: "range", confirmed: true });
    expect(answer.trials).toHaveLength(3);
  });

  it("finds nothing where the lowest fails, and tries that one", () => {
    const answer = on({ capacity: LEAST / 2 });
    expect(answer).toMatchObject({ found: null, limitedBy: "path", confirmed: false, best: null });
    expect(answer.trials.at(-1)!.offeredBitsPerSecond).toBe(LEAST);
  });

  it("takes what the sender really sent, when that is less than asked", () => {
    for (const sender of [2 * LEAST, 123_456_789, 0.96 * MOST]) {
      const answer = on({ capacity: 2 * MOST, sender });
      expect(answer).toMatchObject({ found: sender, limitedBy: "sender", confirmed: true });
      expect(answer.trials[0]).toMatchObject({ offeredBitsPerSecond: MOST, passed: false });
      expect(answer.trials.length).toBeLessThan(10);
    }
  });

  it("finds nothing where the sender cannot send the lowest rate", () => {
    expect(on({ capacity: MOST, sender: LEAST / 2 })).toMatchObject({ found: null, limitedBy: "sender" });
  });

  it("puts up with a trial without figures, and takes two at one rate for a failure there", () => {
    const undisturbed = on({ capacity: 123e6 });
    const one = on({ capacity: 123e6, problems: [3] });
    expect(one.found).toBe(undisturbed.found);
    expect(one.trials[3]).toMatchObject({ problem: "simulated", passed: false, lostPercent: null });
    expect(one.trials[4]!.offeredBitsPerSecond).toBe(one.trials[3]!.offeredBitsPerSecond);
    const two = on({ capacity: 2 * MOST, problems: [0, 1] });
    expect(two.found!).toBeGreaterThan(0.98 * MOST);
    expect(two).toMatchObject({ limitedBy: "path", confirmed: true });
  });

  it("gives up when nothing has figures any more, and keeps what it had", () => {
    expect(on({ dead: true })).toMatchObject({ found: null, limitedBy: "trials", best: null });
    const broken = on({ capacity: 123e6, problems: [4, 5, 6, 7, 8, 9] });
    const before = on({ capacity: 123e6 }, { max_trials: 4 });
    expect(broken.trials).toHaveLength(8);
    expect(broken).toMatchObject({ found: before.found, limitedBy: "trials", confirmed: false });
  });

  it("says so when it had to end too early", () => {
    expect(on({ capacity: 123e6 }, { max_trials: 3 })).toMatchObject({
      limitedBy: "trials",
      confirmed: false,
    });
    // The rate is known then, and only not repeated.
    expect(on({ capacity: 2 * MOST }, { max_trials: 2 })).toMatchObject({
      found: MOST,
      limitedBy: "range",
      confirmed: false,
    });
  });
});
