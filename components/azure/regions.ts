/**
 * What differs from region to region.
 *
 * @module
 */

import type * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";

/** Of a region that has availability zones. */
export const ALL_ZONES = ["1", "2", "3"] as const;

/**
 * Regions without availability zones. A region that gains them leaves this list; until then name its zones yourself.
 *
 * From learn.microsoft.com/azure/reliability/regions-list, of which only excerpts could be read in November 2026:
 * compare it before you rely on a region that is not in a stack file here.
 */
const withoutZones: ReadonlySet<string> = new Set([
  "australiacentral",
  "australiacentral2",
  "australiasoutheast",
  "brazilsoutheast",
  "canadaeast",
  "francesouth",
  "germanynorth",
  "jioindiacentral",
  "jioindiawest",
  "koreasouth",
  "northcentralus",
  "norwaywest",
  "southafricawest",
  "southindia",
  "switzerlandwest",
  "uaecentral",
  "ukwest",
  "westcentralus",
  "westindia",
  "westus",
]);

/** Regions whose service tag is not called as the region is. Source: Azure's list of service tags. */
const tagNames: Readonly<Record<string, string>> = {
  brazilsoutheast: "brazilse",
  francecentral: "centralfrance",
  francesouth: "southfrance",
  germanynorth: "germanyn",
  germanywestcentral: "germanywc",
  norwayeast: "norwaye",
  norwaywest: "norwayw",
  switzerlandnorth: "switzerlandn",
  switzerlandwest: "switzerlandw",
};

/** The name that Azure's API uses: `japaneast` for `Japan East`. */
function programmatic(location: string): string {
  return location.replaceAll(" ", "").toLowerCase();
}

/** Zones of what spans all of a region's; empty where the region has none. */
export function zonesOf(location: string): readonly string[] {
  return withoutZones.has(programmatic(location)) ? [] : ALL_ZONES;
}

/** Service tag of Azure's public addresses of a region. */
export function regionTag(location: string): string {
  const region = programmatic(location);
  return `AzureCloud.${tagNames[region] ?? region}`;
}

/**
 * Refuses a zone of a region that has none, as far as both are plain.
 *
 * @throws {pulumi.InputPropertyError}
 */
export function assertZone(zone: pulumi.Input<string> | undefined, location: pulumi.Input<string>): void {
  if (typeof zone === "string" && typeof location === "string" && zonesOf(location).length === 0) {
    throw invalid("zone", `${location} has no availability zones; leave zone out, or choose another region`);
  }
}
