/**
 * Repetitions, order, pauses and latency under load, for real. Proves what is run and said, and that a queue shows;
 * not how sure any figure is.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { type LabStack, openLabStack, shortCase } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";

const plan = {
  order: "shuffled",
  seed: 11,
  pauseSeconds: 1,
  // Half of an interval as wide as the mean itself: any two figures of one machine agree so far.
  repeat: { least: 2, most: 3, withinPercent: 100 },
  cases: [
    shortCase("tcp", { bitrate: "1M" }),
    { id: "rest", tool: "connect", durationSeconds: 1 },
    { tool: "connect", durationSeconds: 1, load: { streams: 4 } },
  ],
};

let lab: LabStack;
let results: Results;

beforeAll(async () => {
  const links = { client: { rate: "50M" } };
  lab = await openLabStack({ topologies: ["direct"], local: { links }, plan }, savingAtEnd);
  ({ results } = await lab.up());
});
afterAll(() => lab.dispose());

const find = (id: string) => results.cases.find((one) => one.id === id)!;

test("each case is one result of its repetitions", () => {
  expect(results.cases.map(({ id, failure }) => [id, failure]).toSorted()).toEqual([
    ["rest", null],
    ["tcp", null],
    ["tcp-connect-under-tcp-egress-p4", null],
  ]);
  const { repetitions, attempts } = find("tcp");
  expect(repetitions).toMatchObject({ metric: "bitsPerSecond", failed: 0, withinPercent: 100 });
  expect(repetitions!.values).toHaveLength(attempts.length);
});

test("repetition ends when the figures agree", () => {
  const { repetitions } = find("tcp");
  expect(repetitions).toMatchObject({ converged: true });
  expect(repetitions!.values).toHaveLength(2);
});

test("the order's seed is recorded, and a pause is kept between two measurements", () => {
  expect(results.plan).toMatchObject({ order: "shuffled", seed: 11, pauseSeconds: 1 });
  const attempts = results.cases
    .flatMap((one) => one.attempts)
    .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
  const gaps = attempts.slice(1).map((one, index) => {
    return Date.parse(one.startedAt) - Date.parse(attempts[index]!.finishedAt);
  });
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
});

test("latency under load is above latency at rest, and the load's throughput is with it", () => {
  const rest = find("rest").measurement!;
  const loaded = find("tcp-connect-under-tcp-egress-p4").measurement!;
  expect(loaded.latencyUs!.p50).toBeGreaterThan(2 * rest.latencyUs!.p50!);
  expect(loaded.streams).toHaveLength(4);
  expect(loaded.bitsPerSecond).toBeGreaterThan(25e6);
});

test("nothing is measured again when nothing has changed", async () => {
  const { changes } = await lab.up();
  expect(Object.keys(changes)).toEqual(["same"]);
});
