/** The fields that cases of all tools share. */
import { z } from "zod";
import { strictObject } from "../schema.ts";
import { id, optional } from "./fields.ts";

const caseFields = {
  id: z.string().describe("Name, unique within the plan, e.g. `udp-egress-64B-p20-10M`."),
  direction: z
    .enum(["egress", "ingress"])
    .describe(
      "`egress`: data flows from client to server; `ingress`: from server to client. The client opens the connection, except with tools whose sender does.",
    ),
  durationSeconds: z.int().describe("How long the case measures, without warm-up."),
  omitSeconds: z.int().describe("Seconds before `durationSeconds` that are left out of the figures."),
};

/** Schema of a tool's cases. @param protocols Protocols that a case may have. */
export function caseOf<
  const Name extends string,
  const Protocols extends readonly ["tcp" | "udp", ...("tcp" | "udp")[]],
  Shape extends z.ZodRawShape,
>(tool: Name, protocols: Protocols, shape: Shape) {
  return strictObject(`${tool}Case`, `A case of ${tool}.`, {
    ...caseFields,
    tool: z.literal(tool).describe("The tool."),
    protocol: z.enum(protocols).describe("Protocol of the traffic."),
    ...shape,
  });
}

/** Schema of the plan's section for a tool. */
export function inputOf<const Name extends string, Shape extends z.ZodRawShape>(
  tool: Name,
  description: string,
  shape: Shape,
) {
  return strictObject(`${tool}Input`, description, {
    id: optional(id, "Replaces the derived id; swept values are still appended."),
    tool: z.literal(tool).describe("The tool."),
    ...shape,
  });
}

/** The fields that all tools' cases share. */
export interface BaseCase extends z.infer<z.ZodObject<typeof caseFields>> {
  readonly tool: string;
  readonly protocol: "tcp" | "udp";
}

/** A part of a case's id: its text, whether it was swept (no by default), and whether its value is unusual (yes by default). */
export type IdPart = readonly [text: string, swept?: boolean | undefined, unusual?: boolean];

/** Joins the swept values and the unusual ones; a given id replaces the unusual ones. */
export function caseId(given: string | undefined, parts: readonly IdPart[]): string {
  const shown = parts.filter(
    ([, swept, unusual = true]) => swept === true || (given === undefined && unusual),
  );
  return [...(given === undefined ? [] : [given]), ...shown.map(([text]) => text)].join("-");
}

/** Every combination of one value from each list; the last list changes fastest. */
export function product<T extends Record<string, readonly unknown[]>>(
  lists: T,
): { [K in keyof T]: T[K][number] }[] {
  let combinations: Record<string, unknown>[] = [{}];
  for (const [key, values] of Object.entries(lists)) {
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [key]: value })));
  }
  return combinations as { [K in keyof T]: T[K][number] }[];
}
