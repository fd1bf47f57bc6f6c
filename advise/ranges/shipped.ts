/**
 * The service ranges that ship with this package.
 *
 * @module
 */
import { type Ranges, readRanges } from "../ranges.ts";
import aws from "./aws.json" with { type: "json" };
import azure from "./azure.json" with { type: "json" };

/** Of one cloud, dated, and not complete: `--ranges` takes the cloud's own list. */
export function shippedRanges(cloud: "aws" | "azure"): Ranges {
  return readRanges({ aws, azure }[cloud], "shipped, partial");
}
