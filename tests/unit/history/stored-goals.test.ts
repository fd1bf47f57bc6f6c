/** Stored repetitions without a value and searched rates, beside an earlier release's files without these columns. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { openDatabase } from "../../../cli/database.ts";
import { storeRuns } from "../../../cli/store/store.ts";
import { columns } from "../../../packages/history/src/rows.ts";
import { type RunFigure, seriesOf, toHistoryCsv } from "../../../packages/history/src/series.ts";
import { runsSql } from "../../../packages/history/src/sql.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();
const template = whole.cases.find(({ id, topology }) => id === "tcp-egress" && topology === "direct")!;
const repeat = { least: 3, most: 3, withinPercent: null };
const trial = {
  ...{ offeredBitsPerSecond: 1e8, streams: 1, durationSeconds: 1, sentBitsPerSecond: 1e8 },
  ...{ receivedBitsPerSecond: 1e8, packets: 9, lostPackets: 0, lostPercent: 0, passed: true, problem: null },
};

const rounds = [1e8, null, 1.1e8].map((found) => {
  const goal = { goal: "ndr" as const, lossBoundPercent: 0, limitedBy: "path" as const, confirmed: true };
  const search = { ...goal, found, goals: null, trials: [trial] };
  return {
    ...{ ...template, id: "ndr", tool: "search" },
    measurement: { ...nothingMeasured, bitsPerSecond: found, search },
  };
});

it("has the goal and the rounds without a rate, and reads files without either", async () => {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-history-goals-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
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
