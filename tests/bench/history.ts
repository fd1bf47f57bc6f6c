/**
 * Detection of level changes by the history: simulated steps, drifts and outliers, judged by our detector and, where
 * `otava` is on PATH, by Apache Otava with its defaults on the same runs; and the time to read a million rows.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changePoints } from "../../bench/statistics/change-points.ts";
import { openDatabase } from "../../cli/database.ts";
import { readRuns } from "../../cli/store/store.ts";
import { runOtava } from "../../packages/history/cli/command.ts";
import { otavaFiles } from "../../packages/history/src/otava.ts";
import { type columns, HISTORY_VERSION } from "../../packages/history/src/rows.ts";
import { type Series, seriesOf } from "../../packages/history/src/series.ts";
import { randomFrom } from "../fixtures/results/hand-made.ts";
import { measured } from "./measured.ts";

const SERIES = 200;
const RUNS = 30;
const STEP_AT = 20;
/** Distance in runs within which a change counts as found. */
const NEAR = 2;

const random = randomFrom(1);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

interface Shape {
  readonly name: string;
  readonly scatter: number;
  /** The level by run number; 1: unchanged. */
  readonly level: (run: number) => number;
  readonly at: number | null;
}

const step = (size: number, scatter: number): Shape => ({
  name: `step of ${-100 * size} %, scatter ${100 * scatter} %`,
  scatter,
  level: (run) => (run < STEP_AT ? 1 : 1 + size),
  at: STEP_AT,
});
const shapes: readonly Shape[] = [
  { name: "nothing, scatter 2 %", scatter: 0.02, level: () => 1, at: null },
  { name: "nothing, scatter 10 %", scatter: 0.1, level: () => 1, at: null },
  { name: "one run in 15 at half", scatter: 0.02, level: (run) => (run % 15 === 7 ? 0.5 : 1), at: null },
  step(-0.05, 0.02),
  step(-0.1, 0.02),
  step(-0.1, 0.05),
  step(-0.2, 0.1),
  {
    name: "drift of -0.5 % a run, scatter 2 %",
    scatter: 0.02,
    level: (run) => 1 - 0.005 * run,
    at: null,
  },
];

/** Prints shares of series with a change near the step, and with any other. */
export async function history(): Promise<string[]> {
  const made = shapes.map((shape) => ({
    shape,
    all: Array.from({ length: SERIES }, () =>
      Array.from({ length: RUNS }, (_, run) => 1e9 * shape.level(run) * (1 + shape.scatter * normal())),
    ),
  }));
  const isThere = spawnSync("otava", ["--help"]).error === undefined;
  const otava = made.map(({ all }) => (isThere ? otavaPlaces(all) : null));
  const rows = made.map(({ shape, all }, index) =>
    [
      shape.name.padEnd(36),
      ...shares(
        changePoints(all).map((found) => found.map(({ at }) => at)),
        shape.at,
      ),
      ...shares(otava[index] ?? null, shape.at),
    ].join("  "),
  );
  return [
    `${SERIES} series of ${RUNS} runs, each shape judged together; shares of series in percent`,
    `${"".padEnd(36)}  ours: seen  other  Otava: seen  other`,
    ...rows,
    ...(await readMillion()),
  ];
}

function shares(places: readonly (readonly number[])[] | null, at: number | null): string[] {
  if (places === null) {
    return ["-".padStart(11), "-".padStart(5)];
  }
  const near = (place: number) => at !== null && Math.abs(place - at) <= NEAR;
  const count = (test: (own: readonly number[]) => boolean) =>
    (100 * places.filter(test).length) / places.length;
  return [
    (at === null ? "-" : count((own) => own.some(near)).toFixed(1)).padStart(11),
    count((own) => own.some((place) => !near(place)))
      .toFixed(1)
      .padStart(5),
  ];
}

/** Positions of Otava's changes, series by series. */
function otavaPlaces(all: readonly (readonly number[])[]): number[][] {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-otava-"));
  const hour = (run: number) => new Date(Date.parse("2026-01-01T00:00:00Z") + run * 3600_000).toISOString();
  try {
    const series = all.map(
      (values, index): Series => ({
        ...{
          cloud: "local",
          stack: "s",
          region: null,
          topology: `t${index}`,
          caseId: "c",
          figure: "throughput",
          goal: null,
        },
        points: values.map((value, run) => ({
          runId: `r${run}`,
          at: hour(run),
          value,
          interval: null,
          absent: null,
          n: 1,
          changed: [],
        })),
        changes: null,
      }),
    );
    for (const [name, content] of Object.entries(otavaFiles(series))) {
      writeFileSync(join(directory, name), content);
    }
    const stdout = runOtava(directory);
    const found = new Map<number, number[]>();
    for (const line of stdout.split("\n").filter((one) => one.trim() !== "")) {
      for (const [test, groups] of Object.entries(
        JSON.parse(line) as Record<string, { changes: { index: number }[] }[]>,
      )) {
        found.set(
          Number(test.split(".")[0]),
          groups.flatMap(({ changes }) => changes.map(({ index }) => index)),
        );
      }
    }
    return all.map((_, index) => found.get(index) ?? []);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A million rows in 200 files: the time to read them and to make their series. */
async function readMillion(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-history-"));
  try {
    const database = await openDatabase();
    await database.expectRows(1_000_000);
    mkdirSync(join(directory, "2026-01"));
    const FILES = 200;
    for (let file = 0; file < FILES; file++) {
      const values: Record<keyof typeof columns, string> = {
        ...{
          schemaVersion: String(HISTORY_VERSION),
          runId: `'run-${file}'`,
          stack: "'nightly'",
          cloud: "'aws'",
        },
        ...{
          region: "'us-east-1'",
          zone: "'us-east-1a'",
          topology: "'t' || (i % 50)",
          kind: "'nat-instance'",
        },
        ...{
          size: "'c7gn.medium'",
          kernel: "'6.1.0'",
          caseId: "'case-' || (i // 50 % 20)",
          tool: "'iperf3'",
        },
        ...{
          toolVersion: "'3.16'",
          figure: "'throughput'",
          unit: "'bit/s'",
          repetition: "(i // 1000 + 1)::integer",
        },
        ...{
          ...{ value: "1e9 * (1 + 0.02 * random())", decides: "true" },
          measuredAt: `timestamp '2026-01-01' + interval ${file} hour`,
        },
        ...{ egressBenchVersion: "'0.1.0'", commit: "null::varchar", goal: "null::varchar" },
      };
      const list = Object.entries(values).map(([name, sql]) => `${sql} as "${name}"`);
      const name = `${String(file).padStart(16, "0")}-00005000-${"0".repeat(16)}.parquet`;
      await database.run(
        `copy (select ${list.join(", ")} from range(5000) as t(i)) to '${join(directory, "2026-01", name)}' (format parquet)`,
      );
    }
    database.close();
    const marks = [performance.now()];
    const cpu = [process.cpuUsage()];
    const mark = () => {
      marks.push(performance.now());
      cpu.push(process.cpuUsage());
    };
    const runs = await readRuns(directory);
    mark();
    const series = seriesOf(runs, 5);
    mark();
    const took = (part: number) => {
      const [from, to] = [cpu[part], cpu[part + 1]];
      const cpuMs = (used: typeof from) => ((used?.user ?? 0) + (used?.system ?? 0)) / 1000;
      const seconds = ((marks[part + 1] ?? 0) - (marks[part] ?? 0)) / 1000;
      return `${seconds.toFixed(2)} s (${((cpuMs(to) - cpuMs(from)) / 1000).toFixed(2)} s of CPU)`;
    };
    const whole = await measured(
      "history",
      ["--store", directory, "--out", join(directory, "out")],
      ["--min-semi-space-size=64", "--max-semi-space-size=64"],
    );
    const pageBytes = statSync(join(directory, "out/history.html")).size;
    return [
      `1,000,000 rows in ${FILES} files: read in ${took(0)}, ${runs.length} figures of runs in ${series.length} series judged in ${took(1)}`,
      `npm run history on them: ${whole.seconds.toFixed(2)} s (${whole.cpuSeconds.toFixed(2)} s of CPU), peak memory ${Math.round(whole.peakBytes / 1e6)} MB, a page of ${(pageBytes / 1e6).toFixed(1)} MB`,
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
