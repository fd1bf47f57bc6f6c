/** Reads the output of host agents, which run on other machines and are not trusted. */

import { parsePlainJson, plainText } from "../plain-text.ts";
import type { FailureClass, HostFacts } from "../results/index.ts";
import { isPlausible } from "../results/plausible.ts";
import { unpackedJson } from "./packing.ts";
import {
  AGENT_PROTOCOL_VERSION,
  MAX_REPORT_BYTES,
  prepareReportSchema,
  type RunReport,
  runReportSchema,
} from "./protocol.ts";

/** The report of a case. An unreadable one becomes a failed measurement with the reason. */
export function readRunReport(stdout: string): RunReport {
  const parsed = runReportSchema.safeParse(readJson(stdout));
  if (!parsed.success) {
    return unreadable(stdout);
  }
  return isPlausible(parsed.data)
    ? parsed.data
    : failedReport("bad-output", "the host agent reported impossible figures");
}

/** Facts that a host reported when it was prepared; null where unreadable. */
export function readHostFacts(stdout: string): HostFacts | null {
  const facts = prepareReportSchema.safeParse(readJson(stdout)).data?.facts;
  return facts !== undefined && isPlausible(facts) ? facts : null;
}

function readJson(text: string): unknown {
  if (text.length > MAX_REPORT_BYTES) {
    return undefined;
  }
  try {
    return parsePlainJson(jsonOf(text));
  } catch {
    return undefined;
  }
}

/** The JSON of a printed document. @throws {Error} where it cannot be unpacked, or is larger than a report may be */
export function jsonOf(text: string): string {
  return unpackedJson(text, MAX_REPORT_BYTES);
}

function unreadable(stdout: string): RunReport {
  const got =
    stdout === "" ? "nothing" : `${stdout.length} bytes: ${JSON.stringify(plainText(stdout.slice(0, 200)))}`;
  return failedReport("bad-output", `expected the host agent's report; got ${got}`);
}

/** The report of a case that no agent measured. */
export function failedReport(failureClass: FailureClass, message: string): RunReport {
  return {
    version: AGENT_PROTOCOL_VERSION,
    key: "",
    failure: { class: failureClass, message },
    attempts: [],
    exitCode: null,
    timedOut: false,
    stdout: "",
    stderr: "",
    sourceIp: null,
    hosts: [],
    rawFile: null,
    startedAfterMs: null,
  };
}
