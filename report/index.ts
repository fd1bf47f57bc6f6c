/**
 * Makes reports from results: comparison, cost, pictures; as HTML, Markdown and CSV. Pure: no file, no network.
 *
 * @module egress-bench/report
 */

export { planTraffic } from "../bench/plan/traffic.ts";
export type { ChargeKind } from "../bench/topologies/index.ts";
export { type Answer, answerOf, type BreakEven, type Turn } from "./choice/answer.ts";
export type { Assessed, Way } from "./choice/assess.ts";
export {
  defaultNeeds,
  expectedOf,
  type Needs,
  type NumberField,
  numberFields,
  parseNumber,
  presentWays,
  showNumber,
} from "./choice/needs.ts";
export {
  answerSentences,
  headlineOf,
  reasonSentences,
  sentenceOf,
  turnSentences,
  whyOf,
} from "./choice/words.ts";
export type { BaselineVerdict } from "./comparison/baseline.ts";
export * from "./comparison/comparison.ts";
export { type GateRow, judge } from "./comparison/gate.ts";
export * from "./cost/bill.ts";
export * from "./cost/cost.ts";
export * from "./cost/prices.ts";
export * from "./cost/pricing.ts";
export { type PricedMachine, type RunCost, runCost } from "./cost/run-cost.ts";
export { withTerm } from "./cost/terms.ts";
export { zonedRegions } from "./cost/zones.ts";
export { gateMarkdown } from "./document/gate-table.ts";
export {
  type BenchmarkFigure,
  benchmarkFigures,
  toBencher,
  toBenchmarkAction,
} from "./exports/benchmarks.ts";
export { toAnnotations, toJUnit } from "./exports/gate.ts";
export { checkInput, type Input, parseInput, type ReadInputs, readInput } from "./inputs.ts";
export { type Contribution, contributionOf, contributionSchema } from "./library/contribution.ts";
export { toChoosePage } from "./page/choose.ts";
export { toHtml, toMarkdown } from "./page/page.ts";
export { makeReport, type Report, type ReportOptions } from "./report.ts";
export { toCsv } from "./tables/csv.ts";
