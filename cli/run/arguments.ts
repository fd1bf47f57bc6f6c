/** The command line of `npm run compare`. */
import { oneOf, parseOptions } from "../options.ts";
import { UsageError } from "../usage-error.ts";
import { type ComparedCloud, comparisons } from "./request.ts";

/** Options of both `local` and `compare`. */
export const runOptions = {
  plan: { type: "string" },
  duration: { type: "string" },
  "rate-scale": { type: "string" },
  yes: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  keep: { type: "boolean", default: false },
  resume: { type: "boolean", default: false },
  down: { type: "boolean", default: false },
  store: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/** Options of a matrix alone. */
const matrixOptions = {
  matrix: { type: "string" },
  list: { type: "boolean", default: false },
  "list-json": { type: "boolean", default: false },
  shard: { type: "string" },
  merge: { type: "string", multiple: true },
} as const;

/** All options of `compare`. */
export const compareOptions = {
  ...runOptions,
  ...matrixOptions,
  cloud: { type: "string" },
  stack: { type: "string", multiple: true },
  out: { type: "string", default: "out" },
  parallel: { type: "string" },
} as const;

/** @throws {UsageError} */
export function parseCompareArguments(args: readonly string[]) {
  const { values } = parseOptions(args, compareOptions, {});
  const ofMatrix = (Object.keys(matrixOptions) as (keyof typeof matrixOptions)[]).find(
    (name) => values[name],
  );
  if (ofMatrix !== undefined && !values.help) {
    throw new UsageError(`--${ofMatrix} is an option of a matrix; add --matrix FILE`);
  }
  const clouds = Object.keys(comparisons) as ComparedCloud[];
  const cloud = values.help ? "local" : oneOf("--cloud", values.cloud ?? "", clouds);
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
export type CompareArguments = Readonly<ReturnType<typeof parseCompareArguments>>;

/** @throws {UsageError} where options exclude each other */
export function checkModes(
  values: Pick<ReturnType<typeof parseOptions<typeof runOptions, object>>["values"], keyof typeof runOptions>,
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
