/** Checks the command lines of `npm run local` and `npm run compare`. */
import type { commands } from "../commands.ts";
import { oneOf } from "../options.ts";
import type { Values } from "../program.ts";
import { UsageError } from "../usage-error.ts";

/** The stacks of each cloud's comparison. */
export const comparisons = {
  azure: ["compare", "compare-rtt", "compare-vpn", "compare-bandwidth"],
  aws: ["aws-compare", "aws-fck-nat-sizes"],
  local: ["local-compare"],
  hosts: ["hosts-existing"],
} as const satisfies Record<string, readonly string[]>;

/** Cloud that has a comparison. */
export type ComparedCloud = keyof typeof comparisons;

type CompareValues = Values<typeof commands.compare>;

/** Options of a matrix alone. */
const matrixOptions = ["list", "list-json", "shard"] as const;

/** Options that a matrix's file sets. */
const namedOptions = ["cloud", "stack", "plan", "duration", "rate-scale", "parallel"] as const;

/** @throws {UsageError} */
export function localArguments(values: Values<typeof commands.local>) {
  checkModes(values);
  return { ...values, rateScale: values["rate-scale"] };
}

/** Options of `npm run local`. */
export type LocalOptions = Readonly<ReturnType<typeof localArguments>>;

/** Stacks of a cloud, or a matrix. @throws {UsageError} */
export function compareArguments(values: CompareValues) {
  const { matrix, list, shard, parallel, "list-json": asJson, "rate-scale": rateScale, ...others } = values;
  const of = { ...others, rateScale };
  checkModes(values);
  if (matrix === undefined) {
    const ofMatrix = matrixOptions.find((name) => values[name]);
    if (ofMatrix !== undefined) {
      throw new UsageError(`--${ofMatrix} is an option of a matrix; add --matrix FILE`);
    }
    const cloud = oneOf("--cloud", values.cloud ?? "", Object.keys(comparisons) as ComparedCloud[]);
    const stacks = [...new Set(values.stack ?? comparisons[cloud])];
    return { ...of, kind: "stacks" as const, cloud, stacks, parallel: numberAtATime(parallel) };
  }
  const wrong = namedOptions.find((name) => values[name] !== undefined);
  if (wrong !== undefined) {
    throw new UsageError(
      `--${wrong}: the matrix's file sets it (${wrong === "parallel" ? "maxParallel" : "defaults or axes"}); leave it out`,
    );
  }
  const asked = (["list", "list-json", "resume", "down"] as const).filter((mode) => values[mode]);
  if (asked.length > 1) {
    throw new UsageError(`--${asked[0]} and --${asked[1]} exclude each other; leave one out`);
  }
  return {
    ...{ ...of, kind: "matrix" as const, matrix },
    list: list ? ("lines" as const) : asJson ? ("json" as const) : null,
    shard: shard === undefined ? null : parseShard(shard),
  };
}

type CompareArguments = Readonly<ReturnType<typeof compareArguments>>;

/** Options of `npm run compare` for a cloud's stacks. */
export type StacksOptions = Extract<CompareArguments, { kind: "stacks" }>;

/** Options of `npm run compare` for a matrix. */
export type MatrixOptions = Extract<CompareArguments, { kind: "matrix" }>;

/** @throws {UsageError} where options exclude each other */
function checkModes(
  values: Pick<CompareValues, "plan" | "duration" | "rate-scale" | "resume" | "down" | "keep">,
): void {
  if (values.resume && (values.plan ?? values.duration ?? values["rate-scale"]) !== undefined) {
    throw new UsageError(
      "--resume: continues with the plan of the interrupted run; leave out --plan, --duration and --rate-scale",
    );
  }
  if (values.down && (values.resume || values.keep)) {
    throw new UsageError("--down only destroys; leave out --resume and --keep");
  }
}

function numberAtATime(text = "4"): number {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 16) {
    throw new UsageError(`--parallel: expected a whole number of stacks from 1 to 16; got "${text}"`);
  }
  return value;
}

/** Shard `index` of `of`, from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** @param text Such as `2/5`. @throws {UsageError} */
export function parseShard(text: string): Shard {
  const [, index = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > of) {
    throw new UsageError(`--shard: expected I/N with I from 1 to N, such as 2/5; got "${text}"`);
  }
  return { index, of };
}
