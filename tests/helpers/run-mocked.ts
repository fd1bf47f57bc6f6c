import * as pulumi from "@pulumi/pulumi";
import * as state from "@pulumi/pulumi/runtime/state.js";
import { withoutVersionedAliases } from "../../stacks/versioned-aliases.ts";

/** Left out of the SDK's declarations. */
const { setStackResource } = state as unknown as {
  readonly setStackResource: (resource: pulumi.Resource | undefined) => void;
};

// Nor is this: the line of each call that led to a resource, by which the engine says where it was made, and nobody here.
Object.assign(pulumi.Resource, { callsites: () => [] });

/** The parent of all that has none, as the engine has it. */
function makeRoot(options: pulumi.ComponentResourceOptions): void {
  setStackResource(new pulumi.ComponentResource("pulumi:pulumi:Stack", "test", {}, options));
}

/**
 * Runs a program of resources against mocks, and returns or throws what it did when all that it registered until then
 * is registered: a refusal that came before would meet the next test's mocks.
 *
 * @param transformations Of the stack: as `stacks/deploy.ts` does, for programs that do not call that.
 *
 * Errors keep no frame of their stack meanwhile instead of Vitest's hundred: the SDK makes an error for every promise,
 * and half of the time of these tests went into their traces. Assertions afterwards have all.
 */
export async function runMocked<T>(
  program: () => T | Promise<T>,
  transformations = [withoutVersionedAliases],
): Promise<T> {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    makeRoot({ transformations });
    return await program();
  } finally {
    await pulumi.runtime.disconnect();
    setStackResource(undefined);
    Error.stackTraceLimit = before;
  }
}
