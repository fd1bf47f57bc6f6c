/**
 * Where Azure charges one price for what leaves: its bandwidth zones.
 *
 * Source: https://azure.microsoft.com/pricing/details/bandwidth/ (outbound by source continent), read 2026-11-22.
 */
import type { PricedCloud } from "../../bench/topologies/index.ts";

const azureZones = {
  "zone-1": [
    ...["eastus", "eastus2", "centralus", "northcentralus", "southcentralus", "westcentralus", "westus"],
    ...[
      "westus2",
      "westus3",
      "canadacentral",
      "canadaeast",
      "northeurope",
      "westeurope",
      "uksouth",
      "ukwest",
    ],
    ...["francecentral", "francesouth", "germanywestcentral", "germanynorth", "norwayeast", "norwaywest"],
    ...[
      "swedencentral",
      "swedensouth",
      "israelcentral",
      "mexicocentral",
      "switzerlandnorth",
      "switzerlandwest",
      "italynorth",
      "polandcentral",
      "spaincentral",
    ],
  ],
  "zone-2": [
    ...["japaneast", "japanwest", "eastasia", "southeastasia", "koreacentral", "koreasouth", "centralindia"],
    ...[
      "southindia",
      "westindia",
      "australiaeast",
      "australiasoutheast",
      "australiacentral",
      "newzealandnorth",
    ],
    "qatarcentral",
  ],
  "zone-3": [
    ...["brazilsouth", "brazilsoutheast", "southafricanorth", "southafricawest", "uaenorth", "uaecentral"],
  ],
} as const;

/** The zones of each cloud whose prices have some, with their regions. */
const zones: Readonly<Record<PricedCloud, Readonly<Record<string, readonly string[]>>>> = {
  azure: azureZones,
  aws: {},
};

/** Regions that have a price zone. */
export const zonedRegions: Readonly<Record<PricedCloud, readonly string[]>> = {
  azure: Object.values(zones.azure).flat(),
  aws: Object.values(zones.aws).flat(),
};

/** As price books name the zone of a region; undefined: it is in none that is known, or its cloud has no zones. */
export function priceZone(cloud: PricedCloud, region: string): string | undefined {
  return Object.entries(zones[cloud]).find(([, regions]) => regions.includes(region))?.[0];
}
