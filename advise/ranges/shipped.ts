/**
 * The service ranges that ship with this package: few, since the clouds' lists change every week and are large.
 * `--ranges` takes the cloud's own list, which is what to use.
 *
 * @module
 */
import { type Ranges, readRanges } from "../ranges.ts";
import aws from "./aws.json" with { type: "json" };

/** Of AWS: S3 and DynamoDB of us-east-1. Of Azure: none. */
export function shippedRanges(cloud: "aws" | "azure"): Ranges {
  return cloud === "aws"
    ? readRanges(aws, "shipped, S3 and DynamoDB of us-east-1 only")
    : { source: "none shipped for Azure; give --ranges", find: () => null };
}
