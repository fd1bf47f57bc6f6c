/** Finds the longest chain of resources before a resource. */
import type { StateResource } from "../cloud-engine.ts";

/**
 * The longest chain that ends in the resource, as `Type name`, first-made first; among equally long chains the
 * first by name.
 *
 * @param name Name of the resource, unique for its type, and its type's last part.
 */
export function criticalPath(resources: readonly StateResource[], type: string, name: string): string[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const longest = new Map<string, string[]>();
  const chainTo = (urn: string): string[] => {
    const known = longest.get(urn);
    if (known !== undefined) {
      return known;
    }
    const before = (byUrn.get(urn)?.dependencies ?? []).map(chainTo).sort(longerFirst)[0] ?? [];
    const chain = [...before, labelOf(urn)];
    longest.set(urn, chain);
    return chain;
  };
  const end = resources.find(({ urn }) => labelOf(urn) === `${type} ${name}`);
  if (end === undefined) {
    throw new Error(`The state has no ${type} ${name}`);
  }
  return chainTo(end.urn);
}

/** `Type name` of a resource. */
function labelOf(urn: string): string {
  const [, , types = "", name = ""] = urn.split("::");
  return `${types.split(":").at(-1)} ${name}`;
}

function longerFirst(one: readonly string[], other: readonly string[]): number {
  return other.length - one.length || one.join().localeCompare(other.join());
}
