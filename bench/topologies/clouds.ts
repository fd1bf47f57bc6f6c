/**
 * The clouds, by the names that configuration, results and price lists use.
 *
 * @module
 */

/** `local` is the lab of network namespaces. */
export const cloudNames = ["azure", "aws", "local"] as const;

/** Where a stack is deployed. */
export type CloudName = (typeof cloudNames)[number];

/** The clouds that have prices. The local lab is priced as one of them. */
export type PricedCloud = Exclude<CloudName, "local">;
