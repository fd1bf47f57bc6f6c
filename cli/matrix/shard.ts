/** Splits a matrix over several machines. */
import { UsageError } from "../usage-error.ts";

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

/** The cells of a shard: each n-th, since neighbouring cells take similarly long. */
export function cellsOf<T>(cells: readonly T[], { index, of }: Shard): T[] {
  return cells.filter((_, at) => at % of === index - 1);
}

/** A shard's part of the budget, in proportion to its cells' price. */
export function budgetOf(budgetUsd: number, ownUsd: number, allUsd: number): number {
  return allUsd === 0 ? budgetUsd : (budgetUsd * ownUsd) / allUsd;
}
