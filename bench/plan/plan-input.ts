/** The schema of a written plan, with its error messages. Each tool has the schema of its own cases. */
import { z } from "zod";
import { strictObject } from "../schema.ts";
import { duration, id, oneOf, optional, whole } from "./fields.ts";
import { type Order, orders, type Repeat } from "./plan.ts";
import { PlanError, show } from "./plan-error.ts";

const REPEAT_ALLOWED =
  "a whole number from 1 to 100, or an object with keys least (2 to 100), most (least to 100) and withinPercent (above 0)";

/** `5`: five times. `{least, most, withinPercent}`: until the figures are that precise. */
const repeat = z.unknown().transform((input, context): Repeat => {
  const times = z.int().min(1).max(100);
  const adaptive = z
    .strictObject({
      least: times.min(2).default(3),
      most: times,
      withinPercent: z.number().positive().max(100),
    })
    .refine(({ least, most }) => least <= most);
  const fixed = times.safeParse(input);
  if (fixed.success) {
    return { least: fixed.data, most: fixed.data, withinPercent: null };
  }
  const parsed = adaptive.safeParse(input);
  if (parsed.success) {
    return parsed.data;
  }
  context.addIssue({ code: "custom", message: REPEAT_ALLOWED });
  return z.NEVER;
});

const scaleError = "a number above 0, at most 1000";

export const planInput = strictObject("plan", "A plan as a person writes it.", {
  name: optional(id, "Name of the plan, for results."),
  order: optional(
    oneOf(...orders),
    "`interleaved`: each case on every topology before the next; `sequential`: one topology after the other; " +
      "`shuffled`: at random.",
    "`interleaved`",
  ),
  seed: optional(
    whole(0, 2 ** 32 - 1, "the seed's range"),
    "Seed of the order `shuffled`.",
    "derived from the run's id",
  ),
  pauseSeconds: optional(whole(0, 3600, "seconds"), "Pause before every measurement but the first.", 0),
  repeat: optional(
    repeat,
    "A number from 1 to 100, or `{least, most, withinPercent}`: [repetitions](../plans.md#repetitions).",
    1,
  ),
  rateScale: optional(
    z.number({ error: scaleError }).positive({ error: scaleError }).max(1000, { error: scaleError }),
    "Multiplies every rate, to try a suite for 10 Gbit/s machines on small ones.",
  ),
  cases: optional(
    z.array(z.unknown(), { error: "a list of cases" }).min(1, { error: "at least one case" }),
    "A list of cases, by tool below; or `preset`.",
  ),
  preset: optional(z.string({ error: "the name of a preset" }), "Name of the preset to take the cases from."),
  durationSeconds: optional(
    duration,
    "Replaces the duration of every case, to try a 300 s suite in minutes.",
  ),
});

/** A plan in full, as a preset has it. */
export interface PlanInput {
  readonly name: string;
  readonly order?: Order;
  readonly pauseSeconds?: number;
  readonly repeat?: Repeat;
  readonly cases: readonly Readonly<Record<string, unknown>>[];
}

/** Checks `input`; `where` names it in errors if it is a part of a plan. @throws {PlanError} with one line per mistake. */
export function read<T extends z.ZodObject>(schema: T, input: unknown, where?: string): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) {
    return result.data;
  }
  const keys = Object.keys(schema.shape).join(", ");
  const prefix = where === undefined ? "" : `${where}: `;
  throw new PlanError(result.error.issues.map((issue) => prefix + explain(issue, input, keys)).join("\n"));
}

function explain(issue: z.core.$ZodIssue, input: unknown, keys: string): string {
  if (issue.code === "unrecognized_keys") {
    const unknown = issue.keys.map((key) => `"${key}"`).join(", ");
    return `unknown key ${unknown}; allowed are ${keys}`;
  }
  const [key, ...rest] = issue.path;
  if (key === undefined) {
    return `got ${show(input)}; expected an object with keys ${keys}`;
  }
  const given = (input as Record<PropertyKey, unknown>)[key];
  const index = rest.findLast((step) => typeof step === "number");
  const value = Array.isArray(given) && index !== undefined ? given[index] : given;
  return `${String(key)}: got ${show(value)}; expected ${issue.message}`;
}
