/** What runs side by side: within width, quotas and budget; shards; and spending. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseShard } from "../../../cli/run/arguments.ts";
import { type LedgerEntry, openCells, readLedger, spentUsd } from "../../../cli/run/ledger.ts";
import { budgetOf, cellsOf } from "../../../cli/run/plan-cells.ts";
import { type Bounds, expectedSeconds, nothingOf, runCells, type Task } from "../../../cli/run/run-cells.ts";
import { ProgressBoard } from "../../../cli/terminal/progress-board.ts";

const task = (name: string, tokens: Record<string, number> = {}, usd = 1): Task => ({
  ...{ name, usd, seconds: 60 },
  tokens: Object.entries(tokens).map(([pool, amount]) => ({ pool, amount })),
});
const bounds = (limits: Record<string, number> = {}, more: Partial<Bounds> = {}): Bounds => ({
  ...{ maxParallel: 9, budgetUsd: null, limits: new Map(Object.entries(limits)) },
  ...more,
});

/** Runs cells that each end after some turns, at their expected price. @returns their starts, and how those ended that did not start */
async function run(
  cells: readonly Task[],
  own: Bounds,
  during: (running: readonly Task[], spentUsd: number) => void = () => {},
) {
  const spent = new Map<string, number>();
  const running = new Set<Task>();
  const started: string[] = [];
  const outcomes = await runCells({
    ...{ cells, bounds: own, spent: () => spent, interrupt: new AbortController().signal },
    board: new ProgressBoard({ write: () => {} }),
    attempt: async (cell) => {
      started.push(cell.name);
      running.add(cell);
      const sum = [...spent.values()].reduce((all, usd) => all + usd, 0);
      during([...running], sum);
      for (let turn = 0; turn <= cell.name.length; turn += 1) await Promise.resolve();
      spent.set(cell.name, cell.usd);
      running.delete(cell);
      return nothingOf(cell.name);
    },
  });
  return { started, never: outcomes.flatMap(({ stack, errors }) => errors.map((why) => `${stack}: ${why}`)) };
}

describe("quotas", () => {
  it("let cells of other regions overtake a waiting one", async () => {
    const cells = [task("a", { east: 6 }), task("b", { east: 4 }), task("c", { west: 4 })];
    expect((await run(cells, bounds({ east: 8, west: 8 }))).started).toEqual(["a", "c", "b"]);
  });

  it("are kept for a large waiting cell, and not given to small ones behind it", async () => {
    const cells = [task("a", { east: 4 }), task("large", { east: 8 }), task("small", { east: 1 })];
    expect((await run(cells, bounds({ east: 8 }))).started).toEqual(["a", "large", "small"]);
  });

  it("refuse a cell that needs more than the quota, and name it", async () => {
    expect(await run([task("a", { east: 9 }), task("b", { east: 1 })], bounds({ east: 8 }))).toEqual({
      started: ["b"],
      never: ["a: not started: it takes 9 of east, whose limit is 8"],
    });
  });
});

describe("the budget", () => {
  it("counts the possible cost of running cells, waits for them, and gives up what no longer fits", async () => {
    const cells = [task("a", {}, 6), task("b", {}, 3), task("c", {}, 4)];
    expect(await run(cells, bounds({}, { budgetUsd: 10 }))).toEqual({
      started: ["a", "b"],
      never: ["c: not started: it may cost 4.00 USD; 9.00 of 10.00 USD are spent"],
    });
  });

  it("is divided among shards in proportion to their cells' prices", () => {
    expect(budgetOf(100, 30, 120) + budgetOf(100, 90, 120)).toBe(100);
    expect(budgetOf(5, 0, 0)).toBe(5);
  });
});

test("cells without quotas fill the width, in their order", async () => {
  const names = ["a", "bbbb", "cc", "d", "eee", "f", "gg"];
  let most = 0;
  const { started } = await run(
    names.map((name) => task(name)),
    bounds({}, { maxParallel: 3 }),
    ({ length }) => {
      most = Math.max(most, length);
    },
  );
  expect({ started, most }).toEqual({ started: names, most: 3 });
});

test("nothing ever runs beyond width, quota or budget, and every cell is started or refused", async () => {
  const tokens = fc.record({ east: fc.integer({ min: 0, max: 9 }), west: fc.integer({ min: 0, max: 9 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ tokens, usd: fc.integer({ min: 0, max: 5 }) }), { maxLength: 25 }),
      fc.record({ east: fc.integer({ min: 1, max: 12 }), west: fc.integer({ min: 1, max: 12 }) }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 60 }),
      async (given, limits, maxParallel, budgetUsd) => {
        const cells = given.map((one, at) => task(`${at}`, one.tokens, one.usd));
        const { started, never } = await run(
          cells,
          bounds(limits, { maxParallel, budgetUsd }),
          (running, spent) => {
            const used = (pool: string) =>
              running
                .flatMap((one) => one.tokens)
                .filter((token) => token.pool === pool)
                .reduce((sum, { amount }) => sum + amount, 0);
            expect(running.length).toBeLessThanOrEqual(maxParallel);
            expect(used("east")).toBeLessThanOrEqual(limits.east);
            expect(used("west")).toBeLessThanOrEqual(limits.west);
            expect(spent + running.reduce((sum, { usd }) => sum + usd, 0)).toBeLessThanOrEqual(budgetUsd);
          },
        );
        expect(started.length + never.length).toBe(given.length);
        expect(new Set(started).size).toBe(started.length);
      },
    ),
  );
});

describe("expected time", () => {
  it.each([50, 500])("of %i cells is their sum in one lab, and divided by the width in a cloud", (count) => {
    const labs = Array.from({ length: count }, (_, at) => task(`${at}`, { "this machine": 1 }));
    expect(expectedSeconds(labs, bounds({ "this machine": 1 }))).toBe(60 * count);
    const apart = labs.map((one) => ({ ...one, tokens: [] }));
    expect(expectedSeconds(apart, bounds({}, { maxParallel: 5 }))).toBe(12 * count);
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
