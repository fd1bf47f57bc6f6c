/** The order in which cells start; shards; and spending. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type LedgerEntry, openCells, readLedger, spentUsd } from "../../../cli/run/ledger.ts";
import { budgetOf, cellsOf, parseShard } from "../../../cli/run/plan-cells.ts";
import { type Bounds, decide, expectedSeconds, type Task } from "../../../cli/run/schedule.ts";

const task = (name: string, tokens: Record<string, number> = {}, usd = 1): Task => ({
  name,
  usd,
  seconds: 60,
  tokens: Object.entries(tokens).map(([pool, amount]) => ({ pool, amount })),
});
const bounds = (limits: Record<string, number> = {}, more: Partial<Bounds> = {}): Bounds => ({
  ...{ maxParallel: 9, budgetUsd: null, limits: new Map(Object.entries(limits)) },
  ...more,
});
const started = (
  waiting: readonly Task[],
  running: readonly Task[],
  own: Bounds,
  spent = 0,
  committed = 0,
) => {
  const { start, never } = decide({ waiting, running, spentUsd: spent, committedUsd: committed }, own);
  return {
    start: start.map(({ name }) => name),
    never: never.map(({ task: { name }, why }) => `${name}: ${why}`),
  };
};

describe("tokens", () => {
  it("let cells of other regions overtake a waiting one", () => {
    const waiting = [task("a", { east: 4 }), task("b", { west: 4 })];
    expect(started(waiting, [task("r", { east: 6 })], bounds({ east: 8, west: 8 })).start).toEqual(["b"]);
  });

  it("are kept for a large waiting cell, and not given to small ones behind it", () => {
    const waiting = [task("large", { east: 8 }), task("small", { east: 1 })];
    expect(started(waiting, [task("r", { east: 4 })], bounds({ east: 8 })).start).toEqual([]);
  });

  it("refuse a cell that needs more than the quota, and name it", () => {
    expect(started([task("a", { east: 9 }), task("b", { east: 1 })], [], bounds({ east: 8 }))).toEqual({
      start: ["b"],
      never: ["a: it takes 9 of east, whose limit is 8"],
    });
  });
});

describe("the budget", () => {
  it("counts the possible cost of running cells, and waits for them", () => {
    const own = bounds({}, { budgetUsd: 10 });
    expect(started([task("a", {}, 4)], [task("r")], own, 3, 4)).toEqual({ start: [], never: [] });
    expect(started([task("a", {}, 3)], [task("r")], own, 3, 4).start).toEqual(["a"]);
  });

  it("gives up cells that no longer fit when nothing runs", () => {
    expect(started([task("a", {}, 4)], [], bounds({}, { budgetUsd: 10 }), 7).never).toEqual([
      "a: it may cost 4.00 USD; 7.00 of 10.00 USD are spent",
    ]);
  });

  it("is divided among shards in proportion to their cells' prices", () => {
    expect(budgetOf(100, 30, 120) + budgetOf(100, 90, 120)).toBe(100);
    expect(budgetOf(5, 0, 0)).toBe(5);
  });
});

test("nothing ever runs beyond width, quota or budget, and every cell is started or refused", () => {
  const tokens = fc.record({ east: fc.integer({ min: 0, max: 9 }), west: fc.integer({ min: 0, max: 9 }) });
  fc.assert(
    fc.property(
      fc.array(fc.record({ tokens, usd: fc.integer({ min: 0, max: 5 }) }), { maxLength: 25 }),
      fc.record({ east: fc.integer({ min: 1, max: 12 }), west: fc.integer({ min: 1, max: 12 }) }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 60 }),
      (given, limits, maxParallel, budgetUsd) => {
        const own = bounds(limits, { maxParallel, budgetUsd });
        let waiting: readonly Task[] = given.map((one, at) => task(`${at}`, one.tokens, one.usd));
        let running: Task[] = [];
        let spent = 0;
        const seen = new Set<string>();
        for (let step = 0; step <= 2 * given.length; step += 1) {
          const committedUsd = running.reduce((sum, { usd }) => sum + usd, 0);
          const { start, never } = decide({ waiting, running, spentUsd: spent, committedUsd }, own);
          for (const one of [...start, ...never.map((refused) => refused.task)]) seen.add(one.name);
          waiting = waiting.filter(({ name }) => !seen.has(name));
          running = [...running, ...start];
          const used = (pool: string) =>
            running
              .flatMap((one) => one.tokens)
              .filter((token) => token.pool === pool)
              .reduce((sum, { amount }) => sum + amount, 0);
          expect(running.length).toBeLessThanOrEqual(maxParallel);
          expect(used("east")).toBeLessThanOrEqual(limits.east);
          expect(used("west")).toBeLessThanOrEqual(limits.west);
          expect(spent + running.reduce((sum, { usd }) => sum + usd, 0)).toBeLessThanOrEqual(budgetUsd);
          spent += running.shift()?.usd ?? 0;
        }
        expect([...seen]).toHaveLength(given.length);
      },
    ),
  );
});

describe("expected time", () => {
  it.each([50, 500])("of %i cells is their sum in one lab, and divided by the width in a cloud", (count) => {
    const labs = Array.from({ length: count }, (_, at) => task(`${at}`, { "this machine": 1 }));
    expect(expectedSeconds(labs, bounds({ "this machine": 1 }))).toBe(60 * count);
    expect(expectedSeconds(labs, bounds({}, { maxParallel: 5 }))).toBe(12 * count);
  });
});

describe("shards", () => {
  test("have every cell once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 40 }), (count, of) => {
        const cells = Array.from({ length: count }, (_, at) => at);
        const parts = Array.from({ length: of }, (_, at) => cellsOf(cells, parseShard(`${at + 1}/${of}`)));
        expect(parts.flat().sort((a, b) => a - b)).toEqual(cells);
        const sizes = parts.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each(["0/2", "3/2", "1", "a/b", "1/0", "-1/2", "1/2/3"])("refuse %s", (text) => {
    expect(() => parseShard(text)).toThrow(
      `--shard: expected I/N with I from 1 to N, such as 2/5; got "${text}"`,
    );
  });
});

describe("what was spent", () => {
  const entry = (cell: string, event: LedgerEntry["event"], minute: number): LedgerEntry => ({
    ...{ cell, event, hourlyUsd: 6, trafficUsd: 0.5 },
    at: new Date(minute * 60_000).toISOString(),
  });

  it("counts the hours that stacks were deployed, crashed ones until now, and traffic", () => {
    const entries = [
      ...[entry("a", "up", 0), entry("a", "measured", 20), entry("a", "down", 30)],
      // Crashed at 10, resumed at 40, still up.
      ...[entry("b", "up", 0), entry("b", "up", 40)],
      entry("c", "down", 5),
    ];
    expect(spentUsd(entries, 60 * 60_000)).toBeCloseTo(3 + 0.5 + 6, 9);
  });

  it("is read from a ledger whose last line a crash cut short", () => {
    const line = JSON.stringify(entry("a", "up", 0));
    expect(readLedger(`\n${line}\n${line.slice(0, 20)}\n${line}`, "l")).toHaveLength(2);
  });

  it.each([
    ["null", /l, line 2: expected an entry of money spent; got null/],
    [JSON.stringify({ ...entry("a", "up", 0), at: "noon" }), /line 2: .*\(at: /],
    [JSON.stringify({ ...entry("a", "up", 0), hourlyUsd: -1 }), /line 2: .*\(hourlyUsd: /],
  ])("refuses a complete invalid line: %s", (line, message) => {
    expect(() => readLedger(`${JSON.stringify(entry("b", "up", 0))}\n${line}`, "l")).toThrow(message);
  });

  it("continues for stacks without an end entry", () => {
    const entries = [
      entry("a", "up", 0),
      entry("b", "up", 0),
      entry("a", "down", 1),
      entry("b", "measured", 1),
    ];
    expect(openCells(entries)).toEqual(["b"]);
  });
});
