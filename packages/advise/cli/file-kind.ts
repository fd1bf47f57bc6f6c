/** Tells by their content which option reads files that are given without one. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../../../cli/usage-error.ts";
import { fieldName } from "../src/fields.ts";
import { cellsOf, separatorOf } from "../src/usage/csv.ts";
import { aggregatesHeader } from "./aggregates.ts";
import type { FileOption } from "./arguments.ts";
import { plainHeadOf } from "./files.ts";

/** The one option that reads all of them. A directory has flow logs. @throws {UsageError} for files of several kinds */
export function optionOf(paths: readonly string[], directory: string): FileOption {
  const options = paths.map((path) => optionOfOne(resolve(directory, path), path));
  const [first = "--flow-logs"] = options;
  const other = options.findIndex((one) => one !== first);
  if (other > 0) {
    throw new UsageError(
      `expected files of one kind; ${paths[0]} is for ${first}, ${paths[other]} for ${options[other]}: give them apart`,
    );
  }
  return first;
}

function optionOfOne(path: string, name: string): FileOption {
  const head = headOf(path);
  if (head?.kind === "parquet") {
    throw new UsageError(`${name}: Parquet may be a bill or a flow log; give it with --bill or --flow-logs`);
  }
  const text = head?.text.trimStart() ?? "";
  if (/^[[{]/.test(text)) {
    return /"(MetricDataResults|Datapoints|timeseries|ResultsByTime)"/.test(text)
      ? "--metrics"
      : "--flow-logs";
  }
  const [line = ""] = text.split(/\r?\n/, 1);
  const names = cellsOf(line, separatorOf(line));
  if (names.join(",") === aggregatesHeader) {
    return "--aggregates";
  }
  const isLog = names.some((one) => fieldName(one) === "srcaddr" || /^(@message|NatGatewayIP)$/i.test(one));
  return names.length === 1 || isLog ? "--flow-logs" : "--metrics";
}

/** Null: a directory, or what its reader says cannot be used. */
function headOf(path: string): ReturnType<typeof plainHeadOf> | null {
  try {
    return statSync(path).isFile() ? plainHeadOf(path) : null;
  } catch {
    return null;
  }
}
