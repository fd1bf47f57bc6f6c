/**
 * From a case or sweep as a person writes it to the cases that run.
 *
 * A sweep is the cross product of the case's lists, in the order that its tool has them; the last of them changes
 * fastest. An id tells every value that was given as a list, and those single ones that are not the usual:
 * `udp-egress-64B-p20-10M`.
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

/** An id that may be anything must not steer the terminal that the message is shown on. */
function isPlainId(id: unknown): boolean {
  return typeof id === "string" && /^[ -~]{1,80}$/.test(id);
}
