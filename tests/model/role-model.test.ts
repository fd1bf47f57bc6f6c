/**
 * The role's state machine, explored together with the link, the cloud's API and faults: from each of the states nearest to
 * the start, one machine carries within the bound once faults stop, and none claims for more than three rounds to carry
 * while it does not. The pair's program runs beside the model. Not proved: states farther away.
 */
import { expect, test } from "vitest";
import { pairTrial } from "../helpers/pair-python.ts";
import { samples } from "../helpers/samples.ts";

/** 200,000 when more samples are requested, as each night. */
const STATES = Math.min(samples(20_000), 200_000);

test("one machine carries again within twenty rounds from every reached state, and none claims wrongly to carry for more than three", {
  timeout: samples(120_000),
}, () => {
  const found = JSON.parse(pairTrial("role-model", STATES));
  expect(found).toMatchObject({ states: expect.any(Number), lost: 0 });
  expect(found.states).toBeGreaterThanOrEqual(STATES);
  expect(found.worst).toBeLessThanOrEqual(20);
  // A look is due after two rounds, and its answer is awaited for one more.
  expect(found.lying).toBeLessThanOrEqual(3);
});

test.each([20, 50, 200])(
  "machines that stall every %s ticks and do not hear each other give up, as those that do not stall",
  (every) => {
    expect(Number(pairTrial("stalling", every))).toBeLessThan(Number(pairTrial("stalling", 1_000_000)) + 5);
  },
);

test("a pair that takes eight seconds to load its table changes roles no more often than a fast one", () => {
  const takeOvers = (...args: number[]) => Number(pairTrial("slow-commit", ...args));
  expect(takeOvers(8)).toBe(takeOvers(0.3));
  // Each of the two gave up on the other one after five seconds.
  expect(takeOvers(8, 5)).toBeGreaterThan(10);
});

test("the program does the same as the model in each round, through the same faults", {
  timeout: samples(120_000),
}, () => {
  const walks = samples(40);
  expect(Number(pairTrial("daemon-walk", walks, 300, 1))).toBe(walks * 300);
});

test("the whole program claims wrongly to be active for at most 15 seconds, and carries at most 15 seconds after all faults", {
  timeout: samples(120_000),
}, () => {
  const found = JSON.parse(pairTrial("program-walk", samples(4), 1));
  expect(found.failures).toEqual([]);
  // A look is due after five seconds, and takes up to six, or ten if it asks for keys.
  expect(found.lying, found.lie).toBeLessThan(15);
  expect(found.lying).toBeGreaterThan(1);
  expect(found.settles, `walk ${found.settling}`).toBeLessThan(15);
});
