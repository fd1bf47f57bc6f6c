/** Changes made by an engine operation. */
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";

export interface Step {
  readonly step: string;
  /** Last part of the type. */
  readonly type: string;
  readonly name: string;
}

/** The steps of an operation that change something, with replacements as one step. */
export async function changedBy(
  operate: (onEvent: (event: EngineEvent) => void) => Promise<unknown>,
): Promise<Step[]> {
  const steps: Step[] = [];
  await operate(({ resourcePreEvent }) => {
    const { op = "same", urn = "" } = resourcePreEvent?.metadata ?? {};
    const [, , types = "", name = ""] = urn.split("::");
    const half = op.endsWith("-replacement") || op.endsWith("-replaced");
    if (op !== "same" && op !== "read" && !half) {
      steps.push({ step: op, type: types.split(":").at(-1) as string, name });
    }
  });
  return steps;
}
