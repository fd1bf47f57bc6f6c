import { hintOf } from "../nearest.ts";
import { presets } from "../presets/index.ts";
import { toolNamed, toolOf, tools } from "../tools/index.ts";
import type { Case, Plan, Repeat } from "./plan.ts";
import { PlanError, show } from "./plan-error.ts";
import { type PlanInput, planInput, read } from "./plan-input.ts";
import { parseBitRate } from "./quantities.ts";

/**
 * Reads a plan: the name of a preset, or an object with either `cases` or the `preset` to take them from.
 *
 * @throws {PlanError} naming the case, the key, the value and what is allowed.
 *
 * @example parsePlan("quick")
 * @example parsePlan({ preset: "standard", durationSeconds: 5, repeat: 3, order: "shuffled" })
 * @example parsePlan({ cases: [{ tool: "iperf3", protocol: "udp", bitrate: ["5M", "10M"], streams: [10, 20],
 *   durationSeconds: "5m" }] })
 */
export function parsePlan(input: unknown): Plan {
  if (typeof input === "string") {
    return makePlan(preset(input));
  }
  const { preset: name, cases, durationSeconds, rateScale, ...own } = read(planInput, input);
  if ((name === undefined) === (cases === undefined)) {
    const got = name === undefined ? "neither" : "both";
    throw new PlanError(`got ${got} of the keys cases and preset; expected one of them`);
  }
  const base = name === undefined ? { name: "custom", cases: cases ?? [] } : preset(name);
  const plan = makePlan({ ...base, ...defined(own) }, durationSeconds, rateScale);
  if (own.seed !== undefined && plan.order !== "shuffled") {
    throw new PlanError(`seed: got ${own.seed} with order ${plan.order}; expected with order shuffled only`);
  }
  return plan;
}

function preset(name: string): PlanInput {
  const found = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (found === undefined) {
    const names = Object.keys(presets);
    throw new PlanError(
      `preset: got ${show(name)}; expected ${names.join(", ")}, or a file whose name ends in .json, .yaml or .yml${hintOf(name, names)}`,
    );
  }
  return found;
}

const ONCE: Repeat = { least: 1, most: 1, withinPercent: null };

function makePlan(
  input: Omit<PlanInput, "cases"> & { readonly seed?: number; readonly cases: readonly unknown[] },
  durationSeconds?: number,
  rateScale = 1,
): Plan {
  checkCount(input.cases.reduce<number>((sum, one) => sum + writtenCases(one), 0));
  const cases = input.cases
    .flatMap((one, index) => expandCase(scaleRates(one, rateScale), index))
    .map((one) =>
      durationSeconds === undefined
        ? one
        : (toolOf(one).withDuration?.(one, durationSeconds) ?? { ...one, durationSeconds }),
    );
  checkUnique(cases);
  const { name, order = "interleaved", seed = null, pauseSeconds = 0, repeat = ONCE } = input;
  return { name, order, seed, pauseSeconds, repeat, cases };
}

/** Most cases of a plan: over a day's work, and results that a report can still show. */
const MAX_CASES = 1000;

function checkCount(count: number): void {
  if (count > MAX_CASES) {
    throw new PlanError(
      `cases: the lists of this plan make ${count} cases; expected ${MAX_CASES} at most: shorten a list, or make several plans`,
    );
  }
}

/** Number of cases that a written case's lists combine to, counted before any is checked. */
function writtenCases(one: unknown): number {
  const lists = Object.values((one ?? {}) as object).filter(Array.isArray);
  return lists.reduce((count, list) => count * Math.max(1, list.length), 1);
}

function checkUnique(cases: readonly Case[]): void {
  const ids = cases.map((one) => one.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new PlanError(
      `cases: got two cases with id ${show(twice)}; expected ids to be unique: give one an id of its own, or write the values that differ as a list`,
    );
  }
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The cases of one entry of a plan, in a stable order. `index` counts from 0. @throws {PlanError} */
function expandCase(input: unknown, index: number): Case[] {
  const { tool: name, id } = (input ?? {}) as { tool?: unknown; id?: unknown };
  const where = `case ${index + 1}${isPlainId(id) ? ` (${id})` : ""}`;
  const tool = typeof name === "string" ? toolNamed(name) : undefined;
  if (tool === undefined) {
    throw new PlanError(
      `${where}: tool: got ${show(name)}; expected one of ${Object.keys(tools).join(", ")}`,
    );
  }
  return tool.expand(read(tool.input, input, where), where) as Case[];
}

/** Plain ids only: the message appears on a terminal, which an arbitrary id could control. */
function isPlainId(id: unknown): boolean {
  return typeof id === "string" && /^[ -~]{1,80}$/.test(id);
}

const RATE_KEYS = ["bitrate", "minBitrate", "maxBitrate"];

/** A written case with its rates multiplied. Invalid rates stay, for the case's own check to report. */
function scaleRates(input: unknown, factor: number): unknown {
  if (factor === 1 || typeof input !== "object" || input === null) {
    return input;
  }
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      if (RATE_KEYS.includes(key)) {
        return [key, Array.isArray(value) ? value.map((one) => scale(one, factor)) : scale(value, factor)];
      }
      return [key, key === "load" ? scaleRates(value, factor) : value];
    }),
  );
}

function scale(value: unknown, factor: number): unknown {
  const rate = parseBitRate(value);
  return rate === undefined || rate === 0 ? value : Math.round(rate * factor);
}
