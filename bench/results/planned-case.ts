/** The plan's cases as a results document carries them. */
import { z } from "zod";
import { caseSchema, toolNamed } from "../tools/index.ts";

/** A case of any release: fields added later are null, fields of a later release are dropped. */
export const plannedCaseSchema = z.preprocess(withAllFields, caseSchema);

function withAllFields(input: unknown): unknown {
  if (typeof input !== "object" || input === null) {
    return input;
  }
  const given = input as Readonly<Record<string, unknown>>;
  const tool = toolNamed(String(given.tool));
  if (tool === undefined) {
    return input;
  }
  const fields: [string, z.core.$ZodType][] = Object.entries(tool.caseSchema.shape);
  return Object.fromEntries(
    fields.map(([key, field]) => [
      key,
      key in given || !z.safeParse(field, null).success ? given[key] : null,
    ]),
  );
}
