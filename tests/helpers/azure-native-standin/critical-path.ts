/**
 * How long a deployment takes at least: the longest chain of resources that wait for each other.
 *
 * @module
 */
import type { StateResource } from "./engine.ts";

/** The longest chain, first resource first, as `Type name`. Of chains as long, the first by name. */
export function criticalPath(resources: readonly StateResource[]): string[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const longest = new Map<string, string[]>();
  const chainTo = (urn: string): string[] => {
    const known = longest.get(urn);
    if (known !== undefined) {
      return known;
    }
    const before = (byUrn.get(urn)?.dependencies ?? []).map(chainTo).sort(longerFirst)[0] ?? [];
    const chain = [...before, label(urn)];
    longest.set(urn, chain);
    return chain;
  };
  const custom = resources.filter(({ custom, type }) => custom && !type.startsWith("pulumi:"));
  return custom.map(({ urn }) => chainTo(urn)).sort(longerFirst)[0] ?? [];
}

function longerFirst(one: readonly string[], other: readonly string[]): number {
  return other.length - one.length || one.join().localeCompare(other.join());
}

function label(urn: string): string {
  const [, , types = "", name = ""] = urn.split("::");
  return `${types.split(":").at(-1)} ${name}`;
}
