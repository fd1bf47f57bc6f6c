/**
 * Reads the output of a benchmark's commands from the state.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import { type CaseRun, caseResult, isSettled, type Repeat, readRunReport } from "../../bench/index.ts";
import { isSettledText } from "./case-resource.ts";
import { unreachableClient } from "./endpoints.ts";

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

/** Whether a repetition measured, and did not leave the word that figures agree already. */
export function wasMeasured({ pairs }: CaseOutput): boolean {
  return !pairs.some(({ report }) => report !== null && isSettledText(report));
}

/** The reports of a case, read and checked. */
export function readRun({ pairs: outputs, ...run }: CaseOutput): CaseRun {
  const pairs = outputs.map((pair) => ({
    ...pair,
    report: pair.report === null ? unreachableClient(run.case) : readRunReport(pair.report ?? ""),
  }));
  return { ...run, report: pairs[0]?.report ?? null, pairs: pairs.length > 1 ? pairs : undefined };
}

/** Whether a case needs no further repetition after these; known only when they have been measured. */
export function settledAfter(
  earlier: readonly pulumi.Output<CaseOutput>[],
  repeat: Repeat,
): pulumi.Output<boolean> {
  if (repeat.withinPercent === null || earlier.length < repeat.least) {
    return pulumi.output(false);
  }
  return pulumi.unsecret(pulumi.all([...earlier])).apply((runs) => {
    const results = (runs as CaseOutput[]).filter(wasMeasured).map((run) => caseResult(readRun(run)));
    return isSettled(results, repeat);
  });
}
