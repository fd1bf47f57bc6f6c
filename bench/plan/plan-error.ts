/** A plan that cannot be used. The message names the case, the key, the value and what is allowed. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}

/** Formats a value for error messages. */
export function show(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value)).slice(0, 80);
}
