/**
 * The clouds, by the names that configuration, results and price lists use.
 *
 * @module
 */

/** `local` is the lab of network namespaces; `hosts` are machines that exist already, wherever they are. */
export const cloudNames = ["azure", "aws", "local", "hosts"] as const;

/** Names of the clouds for headings and sentences. */
export const cloudTitles = { azure: "Azure", aws: "AWS", local: "Lab", hosts: "Hosts that exist" } as const;

/** Where a stack is deployed. */
export type CloudName = (typeof cloudNames)[number];

/** The clouds that have prices. The local lab is priced as one of them; hosts that exist bring their own. */
export type PricedCloud = Exclude<CloudName, "local" | "hosts">;

/** All of them. */
export const pricedClouds: readonly PricedCloud[] = ["aws", "azure"];

/** Whether a cloud has a price list. */
export function isPriced(cloud: CloudName): cloud is PricedCloud {
  return cloud !== "local" && cloud !== "hosts";
}
