/** Reads the output of host agents, which run on other machines and are not trusted. */

import { inflateSync } from "node:zlib";
import { parsePlainJson, plainText } from "../plain-text.ts";
import type { FailureClass, HostFacts } from "../results/index.ts";
import { isPlausible } from "../results/plausible.ts";
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

// An agent packs lists of similar objects as columns, compressed (`common/packing.py` is the other side), because the state
// keeps each report and is rewritten with every case.

/** First characters of packed text: zlib in base64. */
export const PACKED = "eN";

/** A list of similar objects: their values by key, and the keys. */
interface Columns {
  readonly "": readonly (readonly unknown[])[];
  readonly k: readonly string[];
}

/**
 * The JSON of a printed document, packed or not.
 * @param most Most bytes.
 * @throws {Error} where it cannot be unpacked, or is larger
 */
export function unpackedJson(text: string, most: number): string {
  if (!text.startsWith(PACKED)) {
    return text;
  }
  const packed = inflateSync(Buffer.from(text, "base64"), { maxOutputLength: most }).toString();
  return rowsOf(packed, most);
}

/** The JSON with rows in place of columns. Hosts are not trusted: the keys that rows repeat count as its bytes. */
function rowsOf(packed: string, most: number): string {
  let left = most - packed.length;
  return JSON.stringify(
    JSON.parse(packed, (_, value: unknown) => {
      if (!isColumns(value)) {
        return value;
      }
      const rows = value[""][0]?.length ?? 0;
      left -= rows * JSON.stringify(value.k).length;
      if (left < 0 || value[""].some(({ length }) => length !== rows)) {
        throw new Error("its lists are larger than a report may be, or of unlike lengths");
      }
      return Array.from({ length: rows }, (_, at) =>
        Object.fromEntries(value.k.map((key, column) => [key, value[""][column]?.[at]])),
      );
    }),
  );
}

function isColumns(value: unknown): value is Columns {
  const { "": columns, k } = (value ?? {}) as Partial<Columns>;
  return (
    Array.isArray(columns) &&
    Array.isArray(k) &&
    columns.length === k.length &&
    columns.every(Array.isArray) &&
    k.every((key) => typeof key === "string")
  );
}
