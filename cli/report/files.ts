/** Writes reports, for `npm run report` and at the end of other commands. */
import { join, resolve } from "node:path";
import {
  type BaselineVerdict,
  type BenchmarkFigure,
  gateMarkdown,
  makeReport,
  type ReadInputs,
  type Report,
  type ReportOptions,
  toBencher,
  toBenchmarkAction,
  toCsv,
  toHtml,
  toJUnit,
  toMarkdown,
} from "../../report/index.ts";
import { writeOut } from "../terminal/result-files.ts";
import type { ExportName } from "./arguments.ts";

/** Options of the report. @default madeAt: now */
export type WriteOptions = Omit<ReportOptions, "madeAt"> & { readonly madeAt?: string };

export interface WrittenReport {
  readonly report: Report;
  readonly html: string;
  readonly markdown: string;
  readonly csv: string;
}

/**
 * Writes `report.html`, `report.md` and `report.csv` of inputs from files and stacks, including the inputs' problems.
 *
 * @param outDir Relative to `base`; created if missing.
 * @returns the files' paths.
 */
export function writeReportOf(
  read: ReadInputs,
  outDir: string,
  options: WriteOptions,
  base = "",
): WrittenReport {
  const report = makeReport(read, { madeAt: new Date().toISOString(), ...options });
  const write = (name: string, content: string) => {
    const file = join(outDir, name);
    writeOut(resolve(base, file), content);
    return file;
  };
  return {
    report,
    html: write("report.html", toHtml(report)),
    markdown: write("report.md", toMarkdown(report)),
    csv: write("report.csv", toCsv(report)),
  };
}

/** Writes `gate.md` and `gate.junit.xml`, the gate's verdict for each figure. */
export function writeGate(baseline: BaselineVerdict, outDir: string): void {
  writeOut(join(outDir, "gate.md"), gateMarkdown(baseline));
  writeOut(join(outDir, "gate.junit.xml"), toJUnit(baseline));
}

/** Writes a service's files into `exports/`, which is never searched for results. */
export function exportFiles(measured: readonly BenchmarkFigure[], name: ExportName, outDir: string): void {
  const files = {
    "benchmark-action": {
      "benchmark-action-bigger.json": toBenchmarkAction(measured, "higher"),
      "benchmark-action-smaller.json": toBenchmarkAction(measured, "lower"),
    },
    bencher: { "bencher.json": toBencher(measured) },
  } as const;
  for (const [file, content] of Object.entries(files[name])) {
    writeOut(join(outDir, "exports", file), `${JSON.stringify(content, null, 2)}\n`);
  }
}
