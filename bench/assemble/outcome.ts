/** One client's outcome of a case: its figures, or why there are none. */
import type { RunReport } from "../../agent/protocol.ts";
import type { Case } from "../plan/plan.ts";
import type { Failure, Measurement } from "../results/index.ts";
import { directionOf, parseOutput } from "../tools/index.ts";
import { ToolFailure } from "../tools/tool.ts";
import { arrivedBetweenHosts, lostBetweenHosts } from "./lost-between-hosts.ts";
import { withOutages } from "./outages.ts";
import { overReceivingTime } from "./receiving-time.ts";

interface Outcome {
  readonly failure: Failure | null;
  readonly measurement: Measurement | null;
  readonly version: string | null;
}

/** The failure of a case without a report. */
export function notRun(): Outcome {
  const failure: Failure = { class: "not-run", message: "the case did not run", stderrTail: "" };
  return { failure, measurement: null, version: null };
}

/** A failure that the agent reports (a wrong path, a lost host) takes precedence over the tool's. */
export function readReport(benchCase: Case, report: RunReport): Outcome {
  if (report.failure !== null) {
    return { failure: { ...report.failure, stderrTail: report.stderr }, measurement: null, version: null };
  }
  const { exitCode, timedOut, stderr, hosts } = report;
  try {
    const direction = directionOf(benchCase);
    const read = parseOutput(report.stdout, {
      ...{ case: benchCase, exitCode, timedOut, stderr },
      lostBetweenHosts: lostBetweenHosts(direction, hosts),
      arrivedDatagrams: arrivedBetweenHosts(direction, hosts),
    });
    const measurement = overReceivingTime(read.measurement, benchCase, hosts);
    return { failure: null, ...read, measurement: withOutages(measurement, benchCase, hosts) };
  } catch (error) {
    if (!(error instanceof ToolFailure)) {
      throw error;
    }
    const failure = { class: error.failureClass, message: error.message, stderrTail: stderr };
    return { failure, measurement: null, version: null };
  }
}
