/** Contents of a stack's state, for tests of its size. */

interface StoredResource {
  readonly urn: string;
  readonly type: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly propertyDependencies?: Readonly<Record<string, readonly string[] | null>>;
}

/** The cases' resources, whose names contain `words`, and the text of all others except Pulumi's own. */
export function partsOf(state: string, words: string) {
  const { resources } = JSON.parse(state).checkpoint.latest as {
    readonly resources: readonly StoredResource[];
  };
  const reports = resources
    .filter(({ urn }) => urn.includes(words))
    .map((one) => ({
      urn: one.urn,
      outputs: one.outputs,
      bytes: JSON.stringify(one).length,
      dependencies: Object.values(one.propertyDependencies ?? {}).flatMap((names) => names ?? []),
    }));
  const others = resources.filter(({ urn, type }) => !urn.includes(words) && !type.startsWith("pulumi:"));
  return { reports, others: JSON.stringify(others) };
}
