import * as pulumi from "@pulumi/pulumi";
import { type CaseRun, caseResult, isSettled, type Repeat, readRunReport } from "../../bench/index.ts";
import { isSettledText } from "./case-resource.ts";
import { unreachableClient } from "./run-spec.ts";

/** Output of one pair's agent; null where the case could not be run. */
interface PairOutput {
  readonly client: string;
  readonly server: string;
  readonly report: string | null;
}

/** Output of a case's commands, one per pair. */
export interface CaseOutput extends Pick<CaseRun, "topology" | "case" | "command"> {
  readonly pairs: readonly PairOutput[];
}

/** The reports of a case, read and checked; null where a repetition was not needed. */
export function readRun({ pairs, ...run }: CaseOutput): CaseRun | null {
  if (pairs.some(({ report }) => report !== null && isSettledText(report))) {
    return null;
  }
  const read = (report: string | null) =>
    report === null ? unreachableClient(run.case) : readRunReport(report ?? "");
  return { ...run, pairs: pairs.map((pair) => ({ ...pair, report: read(pair.report) })) };
}

/** Whether a case needs no further repetition after these; known once they have been measured. */
export function settledAfter(
  earlier: readonly pulumi.Output<CaseRun | null>[],
  repeat: Repeat,
): pulumi.Output<boolean> {
  if (repeat.withinPercent === null || earlier.length < repeat.least) {
    return pulumi.output(false);
  }
  return pulumi.unsecret(pulumi.all([...earlier])).apply((runs) => {
    const results = (runs as (CaseRun | null)[]).flatMap((run) => (run === null ? [] : [caseResult(run)]));
    return isSettled(results, repeat);
  });
}
