/** Checks the command lines of `npm run local` and `npm run compare`. */
import type { commands } from "../commands.ts";
import { oneOf } from "../options.ts";
import type { Values } from "../program.ts";
import { UsageError } from "../usage-error.ts";

export const comparisons = {
  azure: ["compare", "compare-rtt", "compare-vpn", "compare-bandwidth"],
  aws: ["aws-compare", "aws-fck-nat-sizes"],
  local: ["local-compare"],
  hosts: ["hosts-existing"],
} as const satisfies Record<string, readonly string[]>;

export type ComparedCloud = keyof typeof comparisons;

type CompareValues = Values<typeof commands.compare>;

/** Options of `npm run local`, and of `npm run compare` for a cloud's stacks or a matrix. */
export type LocalOptions = Values<typeof commands.local>;
export type StacksOptions = Extract<ReturnType<typeof compareArguments>, { kind: "stacks" }>;
export type MatrixOptions = Extract<ReturnType<typeof compareArguments>, { kind: "matrix" }>;

/** Stacks of a cloud, or a matrix. @throws {UsageError} */
export function compareArguments(values: CompareValues) {
  const { matrix, list, shard, parallel } = values;
  if (matrix === undefined) {
    const cloud = oneOf("--cloud", values.cloud ?? "", Object.keys(comparisons) as ComparedCloud[]);
    const stacks = [...new Set(values.stack ?? comparisons[cloud])];
    return { ...values, kind: "stacks" as const, cloud, stacks, parallel: numberAtATime(parallel) };
  }
  return {
    ...{ ...values, kind: "matrix" as const, matrix },
    list: list ? ("lines" as const) : values["list-json"] ? ("json" as const) : null,
    shard: shard === undefined ? null : parseShard(shard),
  };
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
