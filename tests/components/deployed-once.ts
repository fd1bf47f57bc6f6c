/** Unusual options of a test stack's deployment. */
export interface StackOptions {
  readonly settings?: Record<string, unknown>;
  readonly allowedCidrs?: readonly string[];
  readonly allowAnywhere?: boolean;
  readonly pairs?: number;
}

/** Usual options of a test stack's deployment. */
export const usual: Required<StackOptions> = {
  settings: {},
  allowedCidrs: ["203.0.113.7/32"],
  allowAnywhere: false,
  pairs: 1,
};

/**
 * Deployments that tests only read, each made once: files of this project run in one process and share them. A refusal is
 * kept as well.
 * @param options Differences from the usual options, all as JSON.
 */
export function deployedOnce<Stack>(
  deploy: (topologies: readonly Record<string, unknown>[], options: Required<StackOptions>) => Promise<Stack>,
): (topologies: readonly Record<string, unknown>[], options?: StackOptions) => Promise<Stack> {
  const made = new Map<string, Promise<Stack>>();
  return (topologies, options) => {
    const all = { ...usual, ...options };
    const key = JSON.stringify([topologies, all.settings, all.allowedCidrs, all.allowAnywhere, all.pairs]);
    const known = made.get(key) ?? deploy(topologies, all);
    made.set(key, known);
    return known;
  };
}
