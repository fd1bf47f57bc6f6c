import * as pulumi from "@pulumi/pulumi";

/**
 * Runs a program of resources against mocks, and returns or throws what it did when all that it registered until then
 * is registered: a refusal that came before would meet the next test's mocks.
 *
 * Errors keep one frame of their stack meanwhile instead of Vitest's hundred: the SDK makes an error for every promise,
 * and half of the time of these tests went into their traces. Assertions afterwards have all.
 */
export async function runMocked<T>(program: () => T): Promise<T> {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  try {
    return program();
  } finally {
    await pulumi.runtime.disconnect();
    Error.stackTraceLimit = before;
  }
}
