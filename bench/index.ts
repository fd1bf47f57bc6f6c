/**
 * What is measured, and what came of it: plans, tools, results. No Pulumi, no I/O.
 *
 * @module
 */
export {
  type AssembleArgs,
  assembleResults,
  type CaseRun,
  caseResult,
  type TopologyRun,
} from "./assemble.ts";
export {
  AGENT_DIRECTORY,
  AGENT_PROTOCOL_VERSION,
  type PrepareSpec,
  type RunReport,
  type RunSpec,
} from "./host-agent/protocol.ts";
export { failedReport, readHostFacts, readRunReport } from "./host-agent/read-report.ts";
export { orderCases, type PlannedRun, withSeed } from "./order.ts";
export { allowedSkewMs, type PairRun } from "./pairs.ts";
export { parsePlan } from "./parse-plan.ts";
export {
  type Case,
  caseHash,
  checkPairs,
  type Order,
  type Plan,
  PlanError,
  pairsOf,
  type Repeat,
} from "./plan.ts";
export { MAX_PAIRS } from "./plan-input.ts";
export { ntttcpPorts, ports, testPorts } from "./ports.ts";
export { presets } from "./presets/index.ts";
export {
  BIT_RATE_ALLOWED,
  formatBitRate,
  formatMicroseconds,
  formatPercent,
  parseBitRate,
} from "./quantities.ts";
export { isSettled } from "./repetitions.ts";
export * from "./results/index.ts";
export { commandLine, quote } from "./shell.ts";
export { describeCase, renderSummary, type Summary, summarize } from "./summary.ts";
export { executablesOf, isReversed, timeoutSeconds, toolOf } from "./tools/index.ts";
export { type ParseContext, type Tool, ToolFailure } from "./tools/tool.ts";
export { VERSION } from "./version.ts";
