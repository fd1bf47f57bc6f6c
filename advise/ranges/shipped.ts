/**
 * The service ranges that ship with this package: IPv4, of services that advice can say something about. The
 * clouds' own lists change every week and are larger; `--ranges` reads them.
 */
import type { PricedCloud } from "../../bench/topologies/clouds.ts";
import { finderOf, type Ranges } from "../ranges.ts";
import aws from "./aws.json" with { type: "json" };
import azure from "./azure.json" with { type: "json" };
import { type CompactRanges, entriesOfCompact } from "./compact.ts";

/** The services whose ranges ship. AMAZON and AzureCloud cover all of a cloud. */
export const shippedServices = {
  aws: ["S3", "DYNAMODB", "CLOUDFRONT", "AMAZON"],
  azure: [
    "Storage",
    "Sql",
    "AzureCosmosDB",
    "AzureKeyVault",
    "ServiceBus",
    "EventHub",
    "AzureContainerRegistry",
    "AzureCloud",
  ],
} as const;

const lists = { aws, azure };

/** The cloud's ranges on the list's date. */
export function shippedRanges(cloud: PricedCloud): Ranges {
  const list = lists[cloud] as CompactRanges;
  return { source: `shipped, of ${list.asOf}`, find: finderOf(entriesOfCompact(list)) };
}
