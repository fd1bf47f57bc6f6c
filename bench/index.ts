/**
 * Plans, tools and results of measurements. No Pulumi, no I/O.
 *
 * @module egress-bench/bench
 */

export {
  AGENT_DIRECTORY,
  AGENT_PROTOCOL_VERSION,
  type PrepareSpec,
  type RunReport,
  type RunSpec,
} from "./agent/protocol.ts";
export { failedReport, readHostFacts, readRunReport } from "./agent/read-report.ts";
export type { AssembleArgs, TopologyRun } from "./assemble/assemble.ts";
export { assembleResults } from "./assemble/assemble.ts";
export { type CaseRun, caseResult } from "./assemble/case-result.ts";
export { allowedSkewMs, type PairRun } from "./assemble/pairs.ts";
export { isSettled } from "./assemble/repetitions.ts";
export { oneLine, parsePlainJson, plainOutput, plainText } from "./plain-text.ts";
export { boundRates } from "./plan/bound-rates.ts";
export { orderCases, type PlannedRun, withSeed } from "./plan/order.ts";
export { parsePlan } from "./plan/parse-plan.ts";
export {
  type Case,
  caseHash,
  checkFits,
  type Order,
  type Plan,
  PlanError,
  pairsOf,
  type Repeat,
} from "./plan/plan.ts";
export {
  BIT_RATE_ALLOWED,
  bitRateText,
  formatBitRate,
  formatMicroseconds,
  formatPercent,
  parseBitRate,
} from "./plan/quantities.ts";
export { presets } from "./presets/index.ts";
export * from "./results/index.ts";
export { commandLine, quote } from "./shell.ts";
export { describeCase } from "./summary/case-words.ts";
export { describeLimits, roleNames, shortLimit } from "./summary/limit-words.ts";
export { renderSummary, type Summary, summarize } from "./summary/summary.ts";
export {
  bootPackages,
  buildsOf,
  executablesOf,
  extraPackagesOf,
  failuresOf,
  isReversed,
  renewedPorts,
  servicesOf,
  timeoutSeconds,
  toolNamed,
  toolOf,
  toolPackages,
  versionCommands,
} from "./tools/index.ts";
export { MAX_PAIRS } from "./tools/iperf3/plan.ts";
export { AGENT_PORT, dataPorts, testPorts } from "./tools/ports.ts";
export { type ParseContext, type Tool, ToolFailure } from "./tools/tool.ts";
export * from "./topologies/index.ts";
export { VERSION } from "./version.ts";
