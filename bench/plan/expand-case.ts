/**
 * Expands a written case or sweep into the cases that run.
 *
 * A sweep is the cross product of the case's lists, in its tool's order; the last list changes fastest. An id names every
 * swept value, and single values that are not the default: `udp-egress-64B-p20-10M`.
 */
import { type Case, toolNamed, tools } from "../tools/index.ts";
import { PlanError, show } from "./plan-error.ts";
import { read } from "./plan-input.ts";

/** The cases of one entry of a plan, in a stable order. `index` counts from 0. @throws {PlanError} */
export function expandCase(input: unknown, index: number): Case[] {
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
