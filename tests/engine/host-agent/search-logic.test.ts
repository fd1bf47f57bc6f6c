/** Where searches go, on simulated paths: many searches a start of Python. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Search, searchSchema } from "../../../bench/results/index.ts";
import { evaluate } from "../../helpers/agent-host.ts";

/**
 * Rate trials lose what exceeds `capacity`, with `noise` (a share) on it; the sender cannot do more than `sender`.
 * Peak trials carry `each` a stream up to `total`, and lose a share `decline` for each stream beyond `knee`.
 * Trials at the places in `problems` have no figures.
 */
const simulation = `
import random
from search_logic import PeakSearch, RateSearch, drive

def simulate(path, goal):
    dice, count = random.Random(path.get("seed", 0)), iter(range(1000))
    def noisy(value):
        return value * (1 + path.get("noise", 0) * dice.uniform(-1, 1))
    def trial(streams, rate):
        problem = "simulated" if next(count) in path.get("problems", []) or path.get("dead") else None
        one = dict(offeredBitsPerSecond=rate, streams=streams, sentBitsPerSecond=None, receivedBitsPerSecond=None,
                   packets=None, lostPackets=None, lostPercent=None, passed=False, problem=problem)
        if problem is None and goal == "peak":
            carried = min(streams * path["each"], path["total"])
            carried *= 1 - path["decline"] * max(0, streams - path["knee"])
            one["receivedBitsPerSecond"] = round(noisy(carried))
        elif problem is None:
            sent = min(rate, path.get("sender", rate))
            received = min(sent, noisy(path["capacity"]))
            one.update(sentBitsPerSecond=sent, receivedBitsPerSecond=round(received),
                       lostPercent=100 * (sent - received) / sent)
        return one
    return trial

def answer(case):
    search = PeakSearch(**case["search"]) if case["goal"] == "peak" else RateSearch(**case["search"])
    trials = drive(search, simulate(case["path"], case["goal"]), case["max_trials"])
    return dict(search.result(), goal=case["goal"], trials=trials, best=search.best())
`;

type Answer = Search & { readonly best: number | null };

/** The searches' documents, each of the results' shape. */
function searches(cases: readonly object[]): Answer[] {
  const run = `(lambda space: (exec(${JSON.stringify(simulation)}, space), list(map(space["answer"], data)))[1])({})`;
  const answers = evaluate(run, cases) as { best: number | null }[];
  return answers.map((answer) => ({ ...searchSchema.parse(answer), best: answer.best }));
}

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
      // Counts nearer than a sixteenth are not told apart; a stream more or less is all there is between.
      const lowest = (most * 15) / 16 - (most * search.tolerance_percent) / 100 - 2 * path.noise * most;
      expect(carries(path, found!)).toBeGreaterThanOrEqual(lowest);
      expect(trials.map(({ streams }) => streams)).toEqual(expect.arrayContaining([1, search.most]));
    }
  });

  it("prefers the fewest of those that carry the same, and has them exactly where they are few", () => {
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

  it("is confirmed by repetitions only that carry the same", () => {
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

  it("takes no more trials than allowed, whatever happens", () => {
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
