/** Tells by their content what files are. */
import { statSync } from "node:fs";
import { UsageError } from "../../../cli/usage-error.ts";
import { fieldName } from "../src/fields.ts";
import { cellsOf, separatorOf } from "../src/usage/csv.ts";
import { aggregatesHeader } from "./aggregates.ts";
import { bytesOf, HEAD_BYTES, type LogFile, plainHeadOf } from "./files.ts";

const kinds = {
  "flow logs": "a flow log",
  usage: "metrics or a bill",
  aggregates: "aggregates of flow logs",
} as const;
type FileKind = keyof typeof kinds;

/** Most files that are looked at: a log may have thousands, and each one's reader says if it is something else. */
const MOST_TOLD = 100;

/** The kind of all files; flow logs, if no file tells. @throws {UsageError} for files of several kinds */
export function kindOf(files: readonly LogFile[]): FileKind {
  const told = files.slice(0, MOST_TOLD).flatMap(({ name, path }) => {
    const kind = kindOfOne(path);
    return kind === null ? [] : { name, kind };
  });
  const [first] = told;
  const other = told.find(({ kind }) => kind !== first?.kind);
  // Beside aggregates, their reader names whatever else is there.
  if (told.some(({ kind }) => kind === "aggregates")) return "aggregates";
  if (first !== undefined && other !== undefined) {
    throw new UsageError(
      `expected files of one kind; ${first.name} is ${kinds[first.kind]}, ${other.name} ${kinds[other.kind]}: give them apart`,
    );
  }
  return first?.kind ?? "flow logs";
}

/** Null: it does not tell; its reader says why it cannot be used. */
export function kindOfOne(path: string): FileKind | null {
  try {
    const { kind, text } = plainHeadOf(path);
    // The names of Parquet's columns are at the file's end.
    const end = kind === "parquet" ? bytesOf(path, Math.max(0, statSync(path).size - HEAD_BYTES)) : null;
    return end === null
      ? kindOfText(text)
      : /src[-_]?addr/i.test(end.toString("latin1"))
        ? "flow logs"
        : "usage";
  } catch {
    return null;
  }
}

const usageKeys = /"(MetricDataResults|Datapoints|timeseries|interval|ResultsByTime)"/;
const logKeys = /"(records|message|flowTuples|NatGateway\w*|NetworkSecurityGroupFlowEvent)"/i;

function kindOfText(head: string): FileKind | null {
  const text = head.trimStart();
  if (/^[[{]/.test(text)) {
    return usageKeys.test(text) ? "usage" : logKeys.test(text) ? "flow logs" : null;
  }
  const [line = ""] = text.split(/\r?\n/, 1);
  const names = cellsOf(line, separatorOf(line));
  if (names.join(",") === aggregatesHeader) {
    return "aggregates";
  }
  const isLog = names.some((one) => fieldName(one) === "srcaddr" || /^(@message|NatGatewayIP)$/i.test(one));
  return line === "" || line.includes("\0") ? null : names.length === 1 || isLog ? "flow logs" : "usage";
}
