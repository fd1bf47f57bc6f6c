import { stripVTControlCharacters } from "node:util";
import { CommandError, type EngineEvent } from "@pulumi/pulumi/automation/index.js";

/** Effects and messages of one engine operation, by resource name. */
export interface Observation {
  /** Whether the operation ended in an error. */
  readonly failed: boolean;
  /** Output of a failed `pulumi`, else "". */
  readonly failureText: string;
  /** The steps of a resource, in order: `create`, `update`, `same`, `replace`, `delete`, ... */
  steps(resource: string): string[];
  /** The messages shown under or beside a resource, in order, without colours. */
  messages(resource: string): string[];
}

/**
 * Runs an engine operation, such as `(onEvent) => stack.up({ onEvent })`, and collects its events. A failed
 * operation is an observation too; any other error is thrown.
 */
export async function observe(
  operate: (onEvent: (event: EngineEvent) => void) => Promise<unknown>,
): Promise<Observation> {
  const events: EngineEvent[] = [];
  let failureText = "";
  try {
    await operate((event) => events.push(event));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    failureText = error.message;
  }
  return {
    failed: failureText !== "",
    failureText,
    steps: (resource) =>
      events
        .map((event) => event.resourcePreEvent?.metadata)
        .filter((metadata) => metadata !== undefined && resourceName(metadata.urn) === resource)
        .map((metadata) => metadata?.op ?? ""),
    messages: (resource) =>
      events
        .map((event) => event.diagnosticEvent)
        .filter((event) => event !== undefined && resourceName(event.urn) === resource)
        .map((event) => withoutColours(event?.message ?? "")),
  };
}

/** A step on a resource; `type` is the last part of its type. */
export interface Step {
  readonly step: string;
  readonly type: string;
  readonly name: string;
}

/** An operation's steps but providers', in the order of their start: what changes or is refreshed, both halves of a replacement too. */
export async function stepsOf(
  operate: (onEvent: (event: EngineEvent) => void) => Promise<unknown>,
): Promise<Step[]> {
  const steps: Step[] = [];
  await operate(({ resourcePreEvent }) => {
    const { op: step = "same", urn = "" } = resourcePreEvent?.metadata ?? {};
    const [, , types = "", name = ""] = urn.split("::");
    if (step !== "same" && step !== "read" && !types.startsWith("pulumi:providers:")) {
      steps.push({ step, type: types.split(":").at(-1) as string, name });
    }
  });
  return steps;
}

/** {@link stepsOf} with a replacement as one step. */
export async function changedBy(operate: Parameters<typeof stepsOf>[0]): Promise<Step[]> {
  return (await stepsOf(operate)).filter(({ step }) => !/-replace(d|ment)$/.test(step));
}

function resourceName(urn: string | undefined): string | undefined {
  return urn?.split("::").slice(3).join("::");
}

// The engine's own markup, <{%reset%}>, and terminal escapes.
function withoutColours(text: string): string {
  return stripVTControlCharacters(text.replace(/<\{%[^%]*%\}>/g, "")).trimEnd();
}
