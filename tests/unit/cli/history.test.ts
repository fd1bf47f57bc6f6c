/** `npm run history`: storing, merging and reading, with the real engine. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import type { Results } from "../../../bench/results/index.ts";
import { openDatabase } from "../../../cli/database.ts";
import { storeRuns } from "../../../cli/store/store.ts";
import { columns } from "../../../packages/history/src/rows.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { ran } from "../../helpers/ran.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const whole = handMadeResults();
const DAY_MS = 24 * 3600 * 1000;

/** One night's run, whose rates are a share of the hand-made ones. */
function night(index: number, share = 1): Results {
  const startedAt = new Date(Date.parse("2026-10-20T02:00:00Z") + index * DAY_MS).toISOString();
  return {
    ...whole,
    runId: `night-${index}`,
    startedAt,
    cases: whole.cases
      .filter(({ id }) => id === "tcp-egress")
      .map(({ measurement, ...one }) => ({
        ...one,
        startedAt,
        measurement: measurement && {
          ...measurement,
          bitsPerSecond: measurement.bitsPerSecond && measurement.bitsPerSecond * share * (1 + index / 1e4),
        },
      })),
  };
}
const nights = (count: number, worseFrom = count) =>
  Array.from({ length: count }, (_, index) => night(index, index < worseFrom ? 1 : 0.7));

const at = directoryOfEachTest();

const run = (...args: string[]) => ran("history", args, at());
const inDatabase = async <T>(use: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>) => {
  const database = await openDatabase();
  try {
    return await use(database);
  } finally {
    database.close();
  }
};
const filesIn = (store: string) =>
  readdirSync(at(store), { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."));

describe("npm run history", () => {
  it("shows what fell when, and with --fail-on-worse ends with 3", async () => {
    await storeRuns(nights(20, 12), at("store"), "abc123");
    const { status, stdout } = await run("--store", "store", "--out", "page", "--fail-on-worse");
    expect(status).toBe(3);
    expect(stdout).toMatch(/^2026-11-01T02:00:00.*throughput: (29|30)\.\d % worse$/m);
    expect(stdout).toContain("History: page/history.html, page/history.md, page/history.csv");
    expect(readFileSync(at("page/history.html"), "utf8")).toContain("<svg");
    expect((await run("--store", "store", "--out", "page")).status).toBe(0);
  });

  it("without a change for the worse ends with 0, also with --fail-on-worse", async () => {
    await storeRuns(nights(12), at("store"), null);
    const { status, stdout } = await run("--store", "store", "--json", "--fail-on-worse");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ changes: [], otava: null });
  });

  it("stores a run once, or its more complete version", async () => {
    const full = night(0);
    const [first] = full.cases;
    const part = { ...full, cases: first === undefined ? [] : [first] };
    const isNew = async (results: Results) => (await storeRuns([results], at("store"), null))[0]?.isNew;
    expect([await isNew(part), await isNew(part), await isNew(full), await isNew(part)]).toEqual([
      ...[true, false, true, false],
    ]);
    expect(filesIn("store")).toHaveLength(2);
    await run("--store", "store", "--out", "page");
    const topologies = new Set(
      full.cases.filter(({ measurement }) => measurement !== null).map((one) => one.topology),
    );
    const csv = readFileSync(at("page/history.csv"), "utf8");
    for (const topology of topologies) {
      expect(csv).toContain(`,${topology},tcp-egress,throughput,`);
    }
  });

  it("merges two stores by copying one into the other", async () => {
    const all = nights(6);
    await storeRuns(all.slice(0, 4), at("one"), null);
    await storeRuns(all.slice(2), at("two"), null);
    await storeRuns(all, at("both"), null);
    cpSync(at("two"), at("one"), { recursive: true });
    expect(filesIn("one").sort()).toEqual(filesIn("both").sort());
    const csvOf = async (store: string) => {
      await run("--store", store, "--out", `page-${store}`);
      return readFileSync(at(`page-${store}/history.csv`), "utf8");
    };
    expect(await csvOf("one")).toBe(await csvOf("both"));
  });

  it("reads runs stored by report, and writes the files of services", async () => {
    writeFileSync(at("a.json"), JSON.stringify(night(0)));
    const kept = await ran("report", ["a.json", "--store", "store", "--commit", "abc123"], at());
    expect(kept.stderr).toContain("1 run stored in store");
    mkdirSync(at("out/otava"));
    writeFileSync(at("out/otava/somebody's own"), "");
    const { status } = await run(
      ...["--store", "store", "--export", "otava", "--export", "bencher", "--export", "benchmark-action"],
    );
    expect(status).toBe(0);
    expect(readdirSync(at("out/exports")).sort()).toEqual([
      ...["bencher.json", "benchmark-action-bigger.json", "benchmark-action-smaller.json"],
    ]);
    expect(readdirSync(at("out/otava"))).toEqual(["otava.yaml", "somebody's own"]);
  });

  it.each([
    ["no store", ["--out", "x"], 2, "expected the directory of the stored runs, or s3://BUCKET/PREFIX; got"],
    ["a store that is not there", ["--store", "nowhere"], 1, "nowhere"],
    [
      "an unknown export",
      ["--store", "store", "--export", "csvv"],
      2,
      "expected otava or benchmark-action or bencher",
    ],
  ])("refuses %s", async (_, args, expected, message) => {
    const { status, stderr } = await run(...args);
    expect({ status, stderr }).toEqual({ status: expected, stderr: expect.stringContaining(message) });
  });

  const runFile = (letter: string) =>
    join("2026-01", `${letter.repeat(16)}-00000001-${"0".repeat(16)}.parquet`);
  const copyTo = async (store: string, name: string, select: string) => {
    mkdirSync(at(store, "2026-01"), { recursive: true });
    await inDatabase((database) => database.run(`copy (${select}) to '${at(store, name)}' (format parquet)`));
  };

  it("refuses an empty store", async () => {
    mkdirSync(at("store"));
    expect(await run("--store", "store")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("store some first"),
    });
  });

  it("refuses rows of a later release", async () => {
    await copyTo("store", runFile("c"), "select 2 as schemaVersion");
    expect((await run("--store", "store")).stderr).toContain(
      "expected rows of version 1; got version 2, of a later release",
    );
  });

  it("names a file that is no run, and a pipe without waiting for it", async () => {
    await storeRuns([night(0)], at("store"), null);
    mkdirSync(at("store/2026-01"));
    writeFileSync(at("store", runFile("a")), "PAR1 and no more");
    expect((await run("--store", "store")).stderr).toBe(
      `egress-bench history: ${runFile("a")} is not a stored run; restore it from a copy, or remove it\n`,
    );
    rmSync(at("store", runFile("a")));
    execFileSync("mkfifo", [at("store", runFile("b"))]);
    expect((await run("--store", "store")).stderr).toContain("it is a pipe");
  });

  it("names the system's error, and no stored run, where the database has no room", async () => {
    await storeRuns([whole, ...nights(40)], at("store"), null);
    const main = new URL("../../../cli/main.ts", import.meta.url).pathname;
    const { stderr } = spawnSync("sh", ["-c", `ulimit -f 26; exec node ${main} history --store store`], {
      cwd: at(),
      encoding: "utf8",
    });
    expect(stderr).toMatch(/^egress-bench history: the runs cannot be read now: .*: File too large/);
  });

  it("reads a store whose name is a pattern or a partition, and that one alone", async () => {
    for (const name of ["s[t]x", "topology=zz", "*"]) {
      await storeRuns([night(0)], at(name), null);
      await storeRuns([night(1), night(2)], at("stx"), null);
      const { status } = await run("--store", name, "--out", "page");
      const lines = readFileSync(at("page/history.csv"), "utf8").split("\r\n");
      expect([status, lines.some((line) => line.includes("night-1"))]).toEqual([0, false]);
      expect(lines.some((line) => line.includes(",direct,tcp-egress,throughput,"))).toBe(true);
    }
  });

  it("refuses a store that cannot be written before it reads anything", async () => {
    writeFileSync(at("a.json"), JSON.stringify(night(0)));
    writeFileSync(at("file"), "");
    for (const store of ["/proc/x", "file"]) {
      const { status, stderr } = await ran("report", ["a.json", "--store", store], at());
      expect(stderr).toMatch(
        /^egress-bench report: --store: .* cannot be written: .*; choose another place\n$/,
      );
      expect([status, existsSync(at("out"))]).toEqual([2, false]);
    }
  });

  it("uses the scatter of the repetitions that decided their number", async () => {
    const full = night(0);
    const values = [100, 101, 102, 150, 50];
    const cases = full.cases.slice(0, 1).flatMap(({ measurement, ...one }) =>
      values.map((value) => ({
        ...one,
        measurement: measurement && { ...measurement, bitsPerSecond: value },
      })),
    );
    const repeat = { least: 3, most: 10, withinPercent: 5 };
    await storeRuns(
      [{ ...full, plan: { ...full.plan, repeat }, cases: [mergeRepetitions(cases, repeat)] }],
      at("store"),
      null,
    );
    await run("--store", "store", "--out", "page");
    const line = readFileSync(at("page/history.csv"), "utf8")
      .split("\r\n")
      .find((one) => one.includes(",throughput,"));
    // Mean 100.6; t(0.975, 2) = 4.3027, times the scatter of 100, 101 and 102, which is 1, by sqrt(5).
    expect(Number(line?.split(",")[10])).toBeCloseTo(100.6 - 1.924, 2);
  });

  it.each([
    ["stack", "'s\u001b]0;t\u0007' || chr(8238)", /^azure,s\ufffd,/m],
    ["stack", "[stack]", /^azure,\[compare\],/m],
    ["topology", "null", /^azure,compare,,,tcp-egress,/m],
    ["value", "'<b>'", "is not a stored run; restore it from a copy, or remove it"],
    ["measuredAt", "'soon'", "is not a stored run; restore it from a copy, or remove it"],
  ])("takes a stored run whose %s is %s as text, or names the file", async (column, sql, expected) => {
    await storeRuns([night(0)], at("store"), null);
    const [file = ""] = filesIn("store");
    renameSync(at("store", file), at("whole"));
    const select = `select * replace (${sql} as ${column}) from read_parquet('${at("whole")}')`;
    await inDatabase((database) =>
      database.run(`copy (${select}) to '${at("store", file)}' (format parquet)`),
    );
    const { status, stderr } = await run("--store", "store", "--out", "page", "--export", "bencher");
    const said = status === 0 ? readFileSync(at("page/history.csv"), "utf8").trim() : stderr;
    expect(said).toMatch(expected);
    if (typeof expected === "string") expect(said).toContain(file);
    else expect(readFileSync(at("page/exports/bencher.json"), "utf8")).not.toMatch(/\\u001b|\u202e/);
  });

  it("answers the questions of docs/reference/history.md", async () => {
    await storeRuns(nights(3), at("store"), null);
    const document = readFileSync(new URL("../../../docs/reference/history.md", import.meta.url), "utf8");
    const queries = (/```sql\n([\s\S]*?)```/.exec(document)?.[1] ?? "")
      .split(";")
      .filter((one) => one.trim() !== "");
    expect(queries).toHaveLength(5);
    const answers = await inDatabase((database) =>
      Promise.all(
        queries.map((query) =>
          database.rows(query.replaceAll("'history/*/*.parquet'", `'${at("store/*/*.parquet")}'`)),
        ),
      ),
    );
    // Latency was not measured in these runs.
    expect(answers.map((rows) => rows.length > 0)).toEqual([true, true, true, true, false]);
    expect(answers[0]?.find(({ topology }) => topology === "direct")).toMatchObject({
      gbit: expect.closeTo(11.8, 0),
    });
  });

  it("writes every column that the documents name, and no other", async () => {
    await storeRuns([night(0)], at("store"), null);
    const [file = ""] = filesIn("store");
    const described = await inDatabase((database) =>
      database.rows(`describe select * from read_parquet('${at("store", file)}')`),
    );
    expect(described.map(({ column_name: name, column_type: type }) => [name, type])).toEqual(
      Object.entries(columns).map(([name, { type }]) => [name, type]),
    );
    const document = readFileSync(new URL("../../../docs/reference/history.md", import.meta.url), "utf8");
    expect([...document.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, type]) => [name, type])).toEqual(
      Object.entries(columns).map(([name, { type }]) => [name, type]),
    );
  });
});
