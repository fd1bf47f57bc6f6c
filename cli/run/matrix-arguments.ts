/** The command line of `npm run compare -- --matrix`. */

import type { commands } from "../commands.ts";
import type { Values } from "../program.ts";
import { UsageError } from "../usage-error.ts";
import { parseShard } from "./plan-cells.ts";

const inFile = ["cloud", "stack", "plan", "duration", "rate-scale", "parallel"] as const;

/** Modes of the command; each excludes the others. */
const modes = ["list", "list-json", "merge", "resume", "down"] as const;

/** @throws {UsageError} */
export function matrixArguments(values: Values<typeof commands.compare>) {
  const wrong = inFile.find((name) => values[name] !== undefined);
  if (wrong !== undefined) {
    throw new UsageError(
      `--${wrong}: the matrix's file sets it (${wrong === "parallel" ? "maxParallel" : "defaults or axes"}); leave it out`,
    );
  }
  const asked = modes.filter((mode) => values[mode] !== undefined && values[mode] !== false);
  if (asked.length > 1) {
    throw new UsageError(`--${asked[0]} and --${asked[1]} exclude each other; leave one out`);
  }
  if (values.keep && (values.down || values.merge !== undefined)) {
    throw new UsageError("--keep leaves stacks deployed, which --down and --merge do not make; leave it out");
  }
  return {
    matrix: values.matrix ?? "",
    list: values.list ? ("lines" as const) : values["list-json"] ? ("json" as const) : null,
    shard: values.shard === undefined ? null : parseShard(values.shard),
    merge: values.merge ?? [],
    ...{ out: values.out, yes: values.yes, json: values.json, keep: values.keep },
    ...{ resume: values.resume, down: values.down, store: values.store },
  };
}

/** The parsed command line. */
export type MatrixArguments = Readonly<ReturnType<typeof matrixArguments>>;
