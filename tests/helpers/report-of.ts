import type { Results } from "../../bench/results/index.ts";
import { makeReport, type Report, type ReportOptions } from "../../report/index.ts";

export const reportOf = (results: Results, options: Partial<ReportOptions> = {}): Report =>
  makeReport(
    { inputs: [{ source: "results.json", results }], problems: [] },
    { madeAt: "2026-11-23T00:00:00Z", ...options },
  );
