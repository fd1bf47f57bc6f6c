/** The command `npm run history`, separate from the process it runs in. */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { commands } from "../../../cli/commands.ts";
import { oneOf, percent } from "../../../cli/options.ts";
import { EXIT, runCommand, type Values } from "../../../cli/program.ts";
import { exportNames } from "../../../cli/report/arguments.ts";
import type { ReportIo } from "../../../cli/report/command.ts";
import { exportFiles } from "../../../cli/report/files.ts";
import { readRuns, storeAt } from "../../../cli/store/store.ts";
import { writeOut } from "../../../cli/terminal/result-files.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { otavaFiles, readOtava } from "../src/otava.ts";
import { changeText, type History, historyMarkdown, historyPage } from "../src/page.ts";
import { newestFigures, type Series, seriesOf, toHistoryCsv } from "../src/series.ts";

const WORSE = 3;

export async function history(argv: readonly string[], io: ReportIo): Promise<number> {
  return runCommand(commands.history, argv, io, (values) => run(values, io));
}

async function run(
  values: Values<typeof commands.history>,
  { stdout, directory }: ReportIo,
): Promise<number> {
  const { store, out } = values;
  if (store === undefined) {
    throw new UsageError(
      "--store: expected the directory of the stored runs, or s3://BUCKET/PREFIX; got nothing",
    );
  }
  const exports = (values.export ?? []).map((name) => oneOf("--export", name, ["otava", ...exportNames]));
  const tolerancePercent = percent("--tolerance", values.tolerance);
  const series = seriesOf(await readRuns(storeAt(store, directory)), tolerancePercent);
  const outDir = resolve(directory, out);
  if (values.otava || exports.includes("otava")) {
    for (const [name, content] of Object.entries(otavaFiles(series))) {
      writeOut(join(outDir, "otava", name), content);
    }
  }
  const otava = values.otava ? readOtava(runOtava(join(outDir, "otava"))) : null;
  const made: History = { series, tolerancePercent, store, madeAt: new Date().toISOString(), otava };
  const write = (name: string, content: string) => {
    writeOut(join(outDir, name), content, join(out, name));
    return join(out, name);
  };
  const files = [
    write("history.html", historyPage(made)),
    write("history.md", historyMarkdown(made)),
    write("history.csv", toHistoryCsv(series)),
  ];
  const newest = newestFigures(series);
  for (const name of exports.filter((one) => one !== "otava")) {
    exportFiles(newest, name, outDir);
  }
  const changes = series.flatMap((one) => (one.changes ?? []).map((change) => ({ one, change })));
  stdout.write(
    values.json
      ? `${JSON.stringify({ files, changes: changes.map(asJson), otava }, null, 2)}\n`
      : [...changes.map(asLine), `History: ${files.join(", ")}`].map((line) => `${line}\n`).join(""),
  );
  const isWorse = changes.some(
    ({ one, change }) => change.isBetter === false && change.to === one.points.length,
  );
  return isWorse && values["fail-on-worse"] ? WORSE : EXIT.ok;
}

type Found = { readonly one: Series; readonly change: NonNullable<Series["changes"]>[number] };

function asLine({ one, change }: Found): string {
  const { stack, topology, caseId, figure, points } = one;
  return `${points[change.at]?.at}  ${stack} ${topology} ${caseId} ${figure}: ${changeText(change)}`;
}

function asJson({ one, change }: Found) {
  const { cloud, stack, region, topology, caseId, figure, points } = one;
  const { before, after, percent: size, isBetter, chance } = change;
  const first = points[change.at];
  return {
    ...{ cloud, stack, region, topology, caseId, figure, before, after, percent: size, isBetter, chance },
    ...{ runId: first?.runId ?? null, measuredAt: first?.at ?? null, changed: first?.changed ?? [] },
  };
}

/** Time limit: a million runs take Otava minutes. */
const OTAVA_TIMEOUT_MS = 15 * 60_000;

/**
 * Runs Apache Otava on the files from `otavaFiles`. @returns one line of JSON per series
 *
 * @throws where Otava is not installed, or fails
 */
export function runOtava(directory: string): string {
  const args = ["analyze", "--config-file", "otava.yaml", "--output", "json", "all"];
  const { error, status, stdout, stderr } = spawnSync("otava", args, {
    cwd: directory,
    encoding: "utf8",
    timeout: OTAVA_TIMEOUT_MS,
    maxBuffer: 1 << 28,
  });
  if (error !== undefined) {
    throw new Error(
      (error as NodeJS.ErrnoException).code === "ENOENT"
        ? "--otava: there is no otava on PATH; install it with pipx install apache-otava"
        : `--otava: otava could not run: ${error.message}`,
    );
  }
  if (status !== 0) {
    throw new Error(`--otava: otava ended with ${status}: ${stderr.trim().split("\n").at(-1)}`);
  }
  return stdout;
}
