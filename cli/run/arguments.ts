/** The command line of `npm run compare`. */
import type { commands } from "../commands.ts";
import { oneOf } from "../options.ts";
import type { Values } from "../program.ts";
import { UsageError } from "../usage-error.ts";
import { type ComparedCloud, comparisons } from "./request.ts";

/** Options of a matrix alone. */
const matrixOptions = ["list", "list-json", "shard", "merge"] as const;

type CompareValues = Values<typeof commands.compare>;

/** @throws {UsageError} */
export function compareArguments(values: CompareValues) {
  const ofMatrix = matrixOptions.find((name) => values[name]);
  if (ofMatrix !== undefined) {
    throw new UsageError(`--${ofMatrix} is an option of a matrix; add --matrix FILE`);
  }
  const clouds = Object.keys(comparisons) as ComparedCloud[];
  const cloud = oneOf("--cloud", values.cloud ?? "", clouds);
  checkModes(values);
  return {
    ...values,
    cloud,
    stacks: [...new Set(values.stack ?? comparisons[cloud])],
    rateScale: values["rate-scale"],
    parallel: parallel(values.parallel),
  };
}

/** The parsed command line. */
export type CompareArguments = Readonly<ReturnType<typeof compareArguments>>;

/** @throws {UsageError} where options exclude each other */
export function checkModes(
  values: Pick<CompareValues, "plan" | "duration" | "rate-scale" | "resume" | "down" | "keep">,
): void {
  const changes = [values.plan, values.duration, values["rate-scale"]];
  if (values.resume && changes.some((change) => change !== undefined)) {
    throw new UsageError(
      "--resume: continues with the plan of the interrupted run; leave out --plan, --duration and --rate-scale",
    );
  }
  if (values.down && (values.resume || values.keep)) {
    throw new UsageError("--down only destroys; leave out --resume and --keep");
  }
}

function parallel(text = "4"): number {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 16) {
    throw new UsageError(`--parallel: expected a whole number of stacks from 1 to 16; got "${text}"`);
  }
  return value;
}
