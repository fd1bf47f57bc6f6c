/**
 * Reduces the same flow logs by Spark, by Trino (Athena's engine) and by DuckDB, and compares byte for byte. Spark comes
 * from PyPI, Trino's libraries from Maven Central, both into a directory of this run; Java 17, python3 and mvn are
 * required.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shippedRanges } from "../../../packages/advise/src/ranges/shipped.ts";
import { reductionTables, statementsOf } from "../../../packages/advise/src/reduction/records.ts";
import { logOfAllKinds } from "../../fixtures/logs-of-all-kinds.ts";
import { reduceByDuckDb, tableOf } from "../../helpers/reduction.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const LOGS = Number(process.env.EGRESS_BENCH_SAMPLES ?? 4);
/** Full compilation of each plan takes longer than running it. */
const JAVA = ["-XX:TieredStopAtLevel=1", "-Xmx2g"];

interface Sample {
  readonly name: string;
  readonly log: string;
  readonly nats: readonly string[];
  readonly directory: string;
}

/** Whether each engine's aggregates equal DuckDB's, and each engine's time including its start. */
export async function adviseEngines(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-engines-"));
  try {
    const samples = Array.from({ length: LOGS }, (_, at) => sample(at, join(directory, String(at))));
    const expected: string[] = [];
    for (const { log, nats } of samples) {
      expected.push(await reduceByDuckDb(log, nats, shippedRanges("aws")));
    }
    return [
      `${LOGS} logs, ${samples.map(({ name }) => name).join("; ")}`,
      ...compared("Spark 3.5.3", expected, () => bySpark(directory, samples)),
      ...compared("Trino 435", expected, () => byTrino(directory, samples)),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function sample(at: number, directory: string): Sample {
  mkdirSync(directory);
  const kinds = [
    { nats: ["eni-nat-1", "nat-2"], records: 400, seconds: 7200 },
    { nats: [], records: 200, seconds: 7200 },
    { nats: ["nat-2"], records: 60, seconds: 90_000, named: ["none"] },
    { nats: ["eni-nat-1", "nat-2"], records: 300, seconds: 3600, named: ["nat-2"] },
  ];
  const { named = [], ...kind } = kinds[at % kinds.length]!;
  const name = `${kind.records} records of ${kind.nats.length} NATs${named.length > 0 ? ` (--nat ${named.join()})` : ""}`;
  return { name, log: logOfAllKinds(at + 1, kind), nats: named, directory };
}

function compared(engine: string, expected: readonly string[], reduce: () => readonly string[]): string[] {
  const since = performance.now();
  const got = reduce();
  const seconds = (performance.now() - since) / 1000;
  const same = expected.filter((csv, at) => csv === got[at]).length;
  const bytes = expected.reduce((sum, csv) => sum + csv.length, 0);
  return [
    `${engine}: ${same} of ${expected.length} as DuckDB has them, byte for byte (${bytes} bytes); ${seconds.toFixed(0)} s with its installation`,
  ];
}

function bySpark(directory: string, samples: readonly Sample[]): string[] {
  const venv = join(directory, "venv");
  execFileSync("python3", ["-m", "venv", venv]);
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pyspark==3.5.3"];
  execFileSync(join(venv, "bin/python"), install, { stdio: "pipe" });
  const jobs = samples.map(({ log, nats, directory: own }) => {
    const { fields, columns, lines } = tableOf(log);
    writeFileSync(join(own, "log.txt"), lines.map((line) => `${line}\n`).join(""));
    const schema = columns.map(({ name, isNumber }) => `\`${name}\` ${isNumber ? "bigint" : "string"}`);
    const statements = statementsOf({
      ...{
        engine: "spark",
        table: "logs",
        fields,
        where: "true",
        nats,
        ranges: shippedRanges("aws").entries,
      },
      directory: join(own, "spark"),
    });
    return {
      log: join(own, "log.txt"),
      table: "logs",
      schema: schema.join(", "),
      tables: reductionTables,
      statements,
    };
  });
  execFileSync(join(venv, "bin/python"), [join(here, "reduce.py"), join(directory, "warehouse")], {
    input: jobs.map((job) => `${JSON.stringify(job)}\n`).join(""),
    stdio: ["pipe", "pipe", "inherit"],
    cwd: directory,
  });
  return samples.map(({ directory: own }) => {
    const files = readdirSync(join(own, "spark")).filter((name) => name.startsWith("part-"));
    return files.map((name) => readFileSync(join(own, "spark", name), "utf8")).join("");
  });
}

function byTrino(directory: string, samples: readonly Sample[]): string[] {
  const library = join(directory, "trino");
  const copy = [
    "-B",
    "-q",
    "-f",
    join(here, "pom.xml"),
    "dependency:copy-dependencies",
    `-DoutputDirectory=${library}`,
  ];
  execFileSync("mvn", copy, { stdio: ["ignore", "pipe", "inherit"] });
  execFileSync("javac", ["-cp", `${library}/*`, "-d", directory, join(here, "Reduce.java")], {
    stdio: "pipe",
  });
  const directories = samples.map(({ log, nats, directory: own }) => {
    const { fields } = tableOf(log);
    const statements = statementsOf({
      engine: "athena",
      table: "logs",
      fields,
      where: "true",
      ...{ nats, ranges: shippedRanges("aws").entries },
      directory: "",
    });
    const into = join(own, "trino");
    mkdirSync(into);
    [logsOf(log), ...statements].forEach((sql, at) => {
      writeFileSync(join(into, `${at}.sql`), sql);
    });
    return into;
  });
  const run = [...JAVA, "-cp", `${library}/*:${directory}`, "Reduce", ...directories];
  execFileSync("java", run, { stdio: "pipe", cwd: directory });
  return directories.map((into) => readFileSync(join(into, "rows.csv"), "utf8"));
}

/** A statement that creates the table of a log. */
function logsOf(log: string): string {
  const { columns, lines } = tableOf(log);
  const cell = (text: string, at: number) =>
    text === "-" ? "null" : columns[at]?.isNumber ? text : `'${text}'`;
  const rows = lines.map((line) => `(${line.split(" ").map(cell).join(", ")})`);
  const names = columns.map(({ name }) => `"${name}"`);
  const typed = columns.map(
    ({ name, isNumber }) => `cast("${name}" as ${isNumber ? "bigint" : "varchar"}) as "${name}"`,
  );
  return `create table logs as select ${typed.join(", ")} from (values ${rows.join(", ")}) as line (${names.join(", ")})`;
}
