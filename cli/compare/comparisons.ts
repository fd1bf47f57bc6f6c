/** The stacks of each cloud's comparison. */

/** The stacks of each cloud's comparison. */
export const comparisons = {
  azure: ["compare", "compare-rtt", "compare-vpn", "compare-bandwidth"],
  aws: ["aws-compare", "aws-fck-nat-sizes"],
  local: ["local-compare"],
  hosts: ["hosts-existing"],
} as const satisfies Record<string, readonly string[]>;
/** Cloud that has a comparison. */
export type ComparedCloud = keyof typeof comparisons;
