/**
 * A host's own figures in a report. Hosts are not trusted: a figure that does not fit its schema, or that no machine can
 * have, is left out; all others stay.
 */
import { z } from "zod";
import { type HostUsage, hostFactsSchema, hostUsageSchema } from "../results/index.ts";
import { isPlausible } from "../results/plausible.ts";

/** Rounding may put a share of CPU time a little below 0, or above 100. */
const LEAST = -1;
const MOST_PERCENT = 101;
/** Longer than any interface's name, counter's name or time. */
const MOST_CHARACTERS = 64;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

/** Whether all figures, at any depth, are plausible, all texts short, and every `at` a time. */
function isCounted(value: unknown, key = ""): boolean {
  if (typeof value === "number") {
    return value > LEAST && isPlausible(value) && !(key.endsWith("Percent") && value > MOST_PERCENT);
  }
  if (typeof value === "string") {
    return value.length <= MOST_CHARACTERS && (key !== "at" || TIME.test(value));
  }
  return (
    typeof value !== "object" ||
    value === null ||
    Object.entries(value).every(([name, one]) => isCounted(one, name))
  );
}

/** Schemas of a host's figures; a value that breaks its schema becomes null or absent. */
const figures = Object.fromEntries(
  Object.entries<z.ZodType>(hostUsageSchema.omit({ host: true, role: true, problem: true }).shape).map(
    ([name, schema]) => {
      const missing = schema.safeParse(null).success ? null : undefined;
      return [name, schema.refine((value) => isCounted(value, name)).catch(missing)];
    },
  ),
) as unknown as Omit<typeof hostUsageSchema.shape, "host" | "role" | "problem">;

/** A host's figures in a report. */
export const reportedUsage = hostUsageSchema
  .extend(figures)
  .transform(
    (usage): HostUsage =>
      usage.cpu === null && usage.problem === null
        ? { ...usage, problem: "CPU figures that no host can have" }
        : usage,
  );

/** Updated facts of hosts; anything else is left out. */
export const factsAnew = z
  .array(hostFactsSchema.nullable().catch(null))
  .transform((all) => all.filter((facts) => facts !== null))
  .optional()
  .catch(undefined);
