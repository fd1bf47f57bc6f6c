/** Whatever was thrown, as an error: JavaScript throws any value. */
export function errorOf(thrown: unknown): Error {
  return typeof (thrown as Error | null)?.message === "string" ? (thrown as Error) : new Error(`${thrown}`);
}
