/**
 * The plan's cases as a results document carries them.
 *
 * @module
 */
import { z } from "zod";
import { caseSchema } from "../plan/plan.ts";

/** A case of this or an earlier release. What was added since is null, what a later one added is left out. */
export const plannedCaseSchema = z.preprocess(withAllFields, caseSchema);

function withAllFields(input: unknown): unknown {
  if (typeof input !== "object" || input === null) {
    return input;
  }
  const given = input as Readonly<Record<string, unknown>>;
  const schema = caseSchema.options.find(({ shape }) => shape.tool.value === given.tool);
  if (schema === undefined) {
    return input;
  }
  return Object.fromEntries(
    Object.entries(schema.shape).map(([key, field]) => [
      key,
      key in given || !field.safeParse(null).success ? given[key] : null,
    ]),
  );
}
