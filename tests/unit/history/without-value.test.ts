/** History of runs whose repetitions never recovered or found no rate. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { openDatabase } from "../../../cli/database.ts";
import { storeRuns } from "../../../cli/store/store.ts";
import { otavaFiles } from "../../../packages/history/src/otava.ts";
import { historyMarkdown, historyPage } from "../../../packages/history/src/page.ts";
import { columns } from "../../../packages/history/src/rows.ts";
import {
  newestFigures,
  type RunFigure,
  seriesOf,
  toHistoryCsv,
} from "../../../packages/history/src/series.ts";
import { runsSql, writeSql } from "../../../packages/history/src/sql.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { directoryOfTest } from "../../helpers/temporary.ts";
import { searched } from "../bench/summary-results.ts";
import { stored } from "./fixture.ts";

const none = { mean: null, median: null, stddev: null, n: 0, pilot: 0, absent: 3 };
const series = (figure: RunFigure["figure"], first: number, change: (run: RunFigure) => Partial<RunFigure>) =>
  seriesOf(
    stored({ figure, levels: Array.from({ length: 16 }, (_, index) => 500 + (index % 2) / 1000) }).map(
      (run, index) => (index < first ? run : { ...run, ...change(run) }),
    ),
    5,
  );

it.each(["noDropRate", "failoverOutage"] as const)(
  "of %s without any value are worse, and shown",
  (figure) => {
    const found = series(figure, 10, () => none);
    expect(found[0]?.points).toHaveLength(16);
    expect(found[0]?.changes).toMatchObject([{ at: 10, to: 16, after: null, isBetter: false }]);
    expect(newestFigures(found)).toEqual([]);
    const history = { series: found, tolerancePercent: 5, store: "history", madeAt: "2026-02-01T00:00:00Z" };
    const markdown = historyMarkdown({ ...history, otava: null });
    expect(markdown).toContain("1 for the worse, 0 for the better");
    expect(markdown).toContain("3 of 3");
    expect(historyPage({ ...history, otava: null })).toContain("3 of 3");
    expect(toHistoryCsv(found).split("\r\n")).toHaveLength(18);
    expect(otavaFiles(found)["0.csv"]?.split("\n")).toHaveLength(12);
  },
);

it("do not export an older run's value of another figure as the newest", () => {
  const caseId = "ndr";
  const rates = stored({ figure: "throughput", caseId, levels: [5, 5] });
  const found = stored({ figure: "noDropRate", caseId, levels: [5, 5, 5] });
  const failed = found.map((run, index) => (index < 2 ? run : { ...run, ...none }));
  expect(newestFigures(seriesOf([...rates, ...failed], 5))).toEqual([]);
  expect(newestFigures(seriesOf([...rates, ...failed.slice(0, 2)], 5))).toHaveLength(2);
});

it("are shown for a leading figure without any value, and left out for others", () => {
  expect(series("partialDropRate", 0, () => none)).toEqual([]);
  const found = series("failoverOutage", 0, () => none);
  expect(found[0]).toMatchObject({ changes: [] });
  const history = { series: found, tolerancePercent: 5, store: "history", madeAt: "2026-02-01T00:00:00Z" };
  expect(historyPage({ ...history, otava: null })).toContain("3 of 3 never recovered");
});

it("with better values are worse if most never recover, and not better if more never recover", () => {
  const better = { mean: 400, median: 400 };
  const most = series("failoverOutage", 8, () => ({ ...better, n: 1, absent: 4 }));
  expect(most[0]?.changes).toMatchObject([{ at: 8, after: null, isBetter: false }]);
  const some = series("failoverOutage", 8, () => ({ ...better, n: 3, absent: 2 }));
  expect(some[0]?.changes).toMatchObject([{ at: 8, after: 400, isBetter: null }]);
  expect(series("failoverOutage", 8, () => better)[0]?.changes).toMatchObject([{ isBetter: true }]);
});

it("are absent if a store's file has no number", async () => {
  const directory = directoryOfTest();
  const file = join(directory, "rows.parquet");
  const database = await openDatabase();
  const names = Object.entries(columns).map(([name, { type }]) => `null::${type} as "${name}"`);
  const values = ["'nan'", "'inf'", "'-inf'", "7"].map((value) => `(${value}::double)`);
  await database.run(`copy (select * exclude (v) replace ('throughput' as figure, timestamp '2026-01-01' as measuredAt, v as value)
    from (select ${names.join(", ")}), (values ${values.join(", ")}) as given(v)) to '${file}' (format parquet)`);
  expect(await database.rows(runsSql([file]))).toMatchObject([{ mean: 7, median: 7, n: 1, absent: 0 }]);
  database.close();
});

it("are read from the store", async () => {
  const directory = directoryOfTest();
  const [lines, file] = [join(directory, "rows.json"), join(directory, "rows.parquet")];
  const row = Object.fromEntries(Object.keys(columns).map((name) => [name, null]));
  const own = { ...row, figure: "failoverOutage", measuredAt: "2026-01-01T00:00:00Z", runId: "one" };
  writeFileSync(lines, [own, own].map((one) => `${JSON.stringify(one)}\n`).join(""));
  const database = await openDatabase();
  await database.rows(writeSql(lines, file));
  expect(await database.rows(runsSql([file]))).toMatchObject([{ mean: null, median: null, n: 0, absent: 2 }]);
  database.close();
});

it("have the goal and the rounds without a rate in the store, beside files of an earlier release without these columns", async () => {
  const whole = handMadeResults();
  const template = whole.cases.find(({ id, topology }) => id === "tcp-egress" && topology === "direct")!;
  const repeat = { least: 3, most: 3, withinPercent: null };
  const rounds = [1e8, null, 1.1e8].map((found) => {
    const { search } = searched("ndr", found);
    const trials = search.trials.map((one) => ({ ...one, durationSeconds: 1 }));
    const measurement = { ...nothingMeasured, bitsPerSecond: found, search: { ...search, trials } };
    return { ...template, id: "ndr", tool: "search", measurement };
  });
  const directory = directoryOfTest();
  const cases = [mergeRepetitions(rounds, repeat)];
  const [stored] = await storeRuns([{ ...whole, plan: { ...whole.plan, repeat }, cases }], directory, null);
  const database = await openDatabase();
  const old = join(directory, "old.parquet");
  const known = Object.keys(columns).filter((name) => name !== "goal");
  await database.run(
    `copy (select ${known.map((name) => `"${name}"`).join(", ")} from read_parquet('${stored!.file}') where value is not null) to '${old}' (format parquet)`,
  );
  const read = async (file: string) => (await database.rows(runsSql([file]))) as unknown as RunFigure[];
  const [now, before] = [await read(stored!.file), await read(old)];
  database.close();
  const lineOf = (runs: readonly RunFigure[]) =>
    toHistoryCsv(seriesOf(runs, 5))
      .split("\r\n")
      .find((line) => line.includes(",noDropRate,"));
  expect(lineOf(now)).toMatch(/,105000000,.*,2,,"loss goal 0 %, trials of 1 s",1 of 3 found no rate$/);
  expect(lineOf(before)).toMatch(/,105000000,.*,2,,,$/);
});
