/** Converts any thrown value to an error. */
export function errorOf(thrown: unknown): Error {
  return typeof (thrown as Error | null)?.message === "string" ? (thrown as Error) : new Error(`${thrown}`);
}
