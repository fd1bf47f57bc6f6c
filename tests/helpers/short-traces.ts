/**
 * Runs a program while errors keep one frame of their stack instead of Vitest's hundred: the SDK makes an error for
 * every promise, and half of the time of tests with mocks went into their traces. Assertions afterwards have all.
 */
export async function withShortTraces<T>(run: () => Promise<T>): Promise<T> {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  try {
    return await run();
  } finally {
    Error.stackTraceLimit = before;
  }
}
