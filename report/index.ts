/**
 * From results to a report: comparison, cost, pictures; as HTML, Markdown and CSV. Pure: no file, no network.
 *
 * @module
 */
export * from "./comparison.ts";
export * from "./cost.ts";
export { toCsv } from "./csv.ts";
export { type GateRow, judge } from "./gate.ts";
export { checkInput, type Input, type ReadInputs, readInput } from "./inputs.ts";
export { toMarkdown } from "./markdown.ts";
export { toHtml } from "./page/page.ts";
export * from "./prices.ts";
export * from "./pricing.ts";
export { makeReport, type Report, type ReportOptions } from "./report.ts";
export { type PricedMachine, planTraffic, type RunCost, runCost } from "./run-cost.ts";
