/** Makes the stack that measures a cell. */
import { stringify } from "yaml";
import type { CloudName } from "../../bench/index.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import { readPlanFile } from "../../stacks/plan-file.ts";
import { type ChosenPlan, choosePlan, type StackFile, stackFileFrom } from "../pulumi/stack-file.ts";
import { UsageError } from "../usage-error.ts";
import { cloudKeys } from "./cell-keys.ts";
import { describe, type MatrixCell } from "./expand.ts";
import type { CellKeys, MatrixFile } from "./matrix-file.ts";

/** A stack's file, its plan and its text. */
export interface CellStack {
  readonly file: StackFile;
  readonly plan: ChosenPlan;
  readonly text: string;
}

/**
 * The stack of a cell.
 *
 * @param directory Directory of the matrix file, the base of plan files' names
 * @throws {UsageError} naming the cell, for an invalid plan
 */
export function stackOf(
  cell: MatrixCell,
  { config }: Pick<MatrixFile, "config">,
  directory: string,
): CellStack {
  const { keys } = cell;
  const cloud = keys.cloud as CloudName;
  const named = (names: Readonly<Partial<Record<keyof CellKeys, string>>>) =>
    Object.fromEntries(
      Object.entries(names).flatMap(([key, name]) => {
        const value = keys[key as keyof CellKeys];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const settings = { ...keys.settings, ...named(cloudKeys[cloud].section) };
  const all = {
    ...config,
    ...named(cloudKeys[cloud].config),
    "egress-bench:cloud": cloud,
    "egress-bench:topologies": (keys.topologies ?? []).map((entry) =>
      withNatSize(entry, keys.natSize, cloud),
    ),
    ...(keys.pairs === undefined ? {} : { "egress-bench:pairs": keys.pairs }),
    ...(keys.tuning === undefined ? {} : { "egress-bench:tuning": keys.tuning }),
    ...(Object.keys(settings).length === 0 ? {} : { [`egress-bench:${cloud}`]: settings }),
  };
  try {
    const own = { ...all, "egress-bench:plan": readPlanFile(keys.plan ?? "quick", directory) };
    const plan = choosePlan(stackFileFrom(cell.name, own), {
      duration: keys.duration?.toString(),
      rateScale: keys.rateScale?.toString(),
    });
    const whole = { ...own, "egress-bench:plan": plan.input };
    return { file: stackFileFrom(cell.name, whole), plan, text: stringify({ config: whole }) };
  } catch (error) {
    throw new UsageError(
      `the cell ${describe(cell)}: ${(error as Error).message.replace(/^preset: /, "plan: ")}`,
    );
  }
}

/** A topology's entry with the cell's NAT instance size, unless it has one or takes none. */
function withNatSize(
  entry: NonNullable<CellKeys["topologies"]>[number],
  natSize: string | undefined,
  cloud: CloudName,
): unknown {
  const { topology, ...options } = typeof entry === "string" ? { topology: entry } : entry;
  const key = cloudKeys[cloud].natSize;
  return natSize === undefined || key === null || topologyNamed(topology)?.nat !== "instance"
    ? entry
    : { topology, [key]: natSize, ...options };
}
