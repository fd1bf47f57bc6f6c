/**
 * The service ranges that ship with this package: IPv4, of the services that advice has something to say about. The
 * clouds' own lists change every week and are larger: `--ranges` takes them.
 */
import { finderOf, type Ranges } from "../ranges.ts";
import aws from "./aws.json" with { type: "json" };
import azure from "./azure.json" with { type: "json" };
import { type CompactRanges, entriesOfCompact } from "./compact.ts";

/** The services whose ranges ship. Those of AMAZON and AzureCloud are all that a cloud has. */
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

/** The cloud's ranges as they were on the list's date. */
export function shippedRanges(cloud: "aws" | "azure"): Ranges {
  const list = lists[cloud] as CompactRanges;
  return { source: `shipped, of ${list.asOf}`, find: finderOf(entriesOfCompact(list)) };
}
