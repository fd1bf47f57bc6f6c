import * as pulumi from "@pulumi/pulumi";
import * as state from "@pulumi/pulumi/runtime/state.js";
import { withoutVersionedAliases } from "../../stacks/versioned-aliases.ts";

/** Missing from the SDK's declarations. */
const { setStackResource } = state as unknown as {
  readonly setStackResource: (resource: pulumi.Resource | undefined) => void;
};

// Also missing: the source line of each resource's call, with which the engine reports locations, unused here.
Object.assign(pulumi.Resource, { callsites: () => [] });

/** The root resource, as in the engine. */
function makeRoot(options: pulumi.ComponentResourceOptions): void {
  setStackResource(new pulumi.ComponentResource("pulumi:pulumi:Stack", "test", {}, options));
}

/**
 * Runs a program of resources against mocks, and returns or throws its result once everything registered until then
 * is complete: an earlier refusal would hit the next test's mocks.
 *
 * @param transformations The stack's, as in `stacks/deploy.ts`, for programs that do not call that.
 *
 * Meanwhile errors keep no stack frame instead of Vitest's hundred: the SDK makes an error for every promise, and traces
 * took half of these tests' time. Later assertions have full traces.
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

/** A registered resource, with secrets unwrapped. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: inputs of any resource type, read by tests
  readonly inputs: any;
}

/** Looks registered resources up. @param provider Its package, such as `aws` */
export function catalogue<R extends Registered>(resources: readonly R[], provider: string) {
  /** `Type name` of each of the provider's resources, sorted. */
  const names = () =>
    resources
      .filter(({ type }) => type.startsWith(provider))
      .map(({ type, name }) => `${type.split(":").at(-1)} ${name}`)
      .sort();
  /** The resource with this type (its last part) and name. */
  const find = (type: string, name: string): R => {
    const found = resources.find((one) => one.type.endsWith(`:${type}`) && one.name === name);
    if (found === undefined) {
      throw new Error(`No ${type} ${name} among ${names().join(", ")}`);
    }
    return found;
  };
  return { names, find };
}
