/** Stored runs that share a name: recreated hosts begin again with run 1. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import type { Results } from "../../../bench/results/index.ts";
import { readRuns, storeRuns } from "../../../cli/store/store.ts";
import { historyMarkdown } from "../../../packages/history/src/page.ts";
import { seriesOf } from "../../../packages/history/src/series.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { directoryOfTest } from "../../helpers/temporary.ts";

const whole = handMadeResults();
const egress = whole.cases.filter(({ id, topology }) => id === "tcp-egress" && topology === "direct");

/** Run 1 measured on a day, each repetition with one of the rates. */
function measured(day: string, ids: readonly string[], rates: readonly number[]): Results {
  const startedAt = `2026-10-${day}T02:00:00.000Z`;
  const repeat = { least: rates.length, most: rates.length, withinPercent: null };
  const cases = ids.flatMap((id) =>
    egress.map((one) =>
      mergeRepetitions(
        rates.map((bitsPerSecond) => ({
          ...{ ...one, id, startedAt },
          measurement: one.measurement && { ...one.measurement, bitsPerSecond },
        })),
        repeat,
      ),
    ),
  );
  return { ...whole, runId: "1", startedAt, plan: { ...whole.plan, repeat }, cases };
}

async function ratesIn(
  store: string,
): Promise<Record<string, readonly (readonly [string, number | null])[]>> {
  const series = seriesOf(await readRuns(store), 5).filter(({ figure }) => figure === "throughput");
  return Object.fromEntries(
    series.map(({ caseId, points }) => [
      caseId,
      points.map(({ at, value }) => [at.slice(8, 10), value] as const),
    ]),
  );
}

it("are all in the history, and are counted", async () => {
  const store = directoryOfTest();
  const runs = ["20", "21", "22"].map((day, index) => measured(day, ["a", "b"], [100 + index]));
  await storeRuns(runs, store, null);
  const points = [
    ["20", 100],
    ["21", 101],
    ["22", 102],
  ];
  expect(await ratesIn(store)).toEqual({ a: points, b: points });
  const series = seriesOf(await readRuns(store), 5);
  const page = { series, tolerancePercent: 5, store, madeAt: "2026-11-01T00:00:00Z", otava: null };
  expect(historyMarkdown(page)).toContain("3 runs in ");
});

it("are not duplicated if one is stored again, with another commit or with more cases and repetitions", async () => {
  const store = directoryOfTest();
  for (const [run, commit] of [
    [measured("20", ["a"], [100]), null],
    [measured("20", ["a"], [100]), "abc123"],
    [measured("20", ["a", "b"], [100, 110]), null],
    [measured("20", ["a"], [100]), null],
    [measured("21", ["a"], [120]), null],
  ] as const) {
    await storeRuns([run], store, commit);
  }
  expect(readdirSync(join(store, "2026-10"))).toHaveLength(4);
  expect(await ratesIn(store)).toEqual({
    a: [
      ["20", 105],
      ["21", 120],
    ],
    b: [["20", 105]],
  });
});

it("have each case that was measured again beside its earlier measurement, and the others once", async () => {
  const store = directoryOfTest();
  const first = measured("20", ["a", "b"], [100]);
  const anew = measured("21", ["a"], [90]);
  const kept = first.cases.filter(({ id }) => id === "b");
  await storeRuns([first, { ...anew, cases: [...anew.cases, ...kept] }], store, null);
  expect(await ratesIn(store)).toEqual({
    a: [
      ["20", 100],
      ["21", 90],
    ],
    b: [["20", 100]],
  });
});
