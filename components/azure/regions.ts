import type * as pulumi from "@pulumi/pulumi";
import { checked, invalid } from "../shared/arguments.ts";

export const ALL_ZONES = ["1", "2", "3"] as const;

const names = (text: string) => new Set(text.trim().split(/\s+/));

/**
 * Regions without availability zones. Remove a region when it gains them.
 *
 * Source: learn.microsoft.com/azure/reliability/regions-list, the page of 2025-03-21, with Sweden South, which it names as
 * a pair only; for the government's and China's regions the lists of their own documentation, where US Gov Virginia, China
 * North 3 and China East 3 have zones. Read on 2026-11-23.
 */
const withoutZones: ReadonlySet<string> = names(`
  australiacentral australiacentral2 australiasoutheast brazilsoutheast canadaeast chinaeast
  chinaeast2 chinanorth chinanorth2 francesouth germanynorth jioindiacentral jioindiawest
  koreasouth northcentralus norwaywest southafricawest southindia swedensouth switzerlandwest
  uaecentral ukwest usdodcentral usdodeast usgovarizona usgovtexas westcentralus westindia westus
`);

/** Regions without StandardV2. Source: learn.microsoft.com/azure/nat-gateway/nat-sku, the page of 2026-07-27. */
const withoutStandardV2: ReadonlySet<string> = names(`
  canadaeast indonesiacentral israelnorthwest qatarcentral swedensouth westindia
`);

/** Service tags of regions whose tag has another name. Source: Azure's list of service tags. */
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

/** Zones for zone-redundant resources; empty where the region has none. */
export function zonesOf(location: string): readonly string[] {
  return withoutZones.has(programmatic(location)) ? [] : ALL_ZONES;
}

/** Service tag of a region's public addresses. */
export function regionTag(location: string): string {
  const region = programmatic(location);
  return `AzureCloud.${tagNames[region] ?? region}`;
}

/** Refuses a region that has no StandardV2. @throws {pulumi.InputPropertyError} */
export function assertStandardV2(location: pulumi.Input<string>): pulumi.Input<string> {
  return checked(location, (known) => {
    if (withoutStandardV2.has(programmatic(known))) {
      throw invalid("sku", `${known} has no StandardV2 NAT gateways; choose Standard, or another region`);
    }
  });
}

/** Refuses a zone that the region does not have, as far as both are plain. @throws {pulumi.InputPropertyError} */
export function assertZone(zone: pulumi.Input<string> | undefined, location: pulumi.Input<string>): void {
  if (typeof zone !== "string") {
    return;
  }
  const known: readonly string[] = typeof location === "string" ? zonesOf(location) : ALL_ZONES;
  if (known.length === 0) {
    throw invalid("zone", `${location} has no availability zones; leave zone out, or choose another region`);
  }
  if (!known.includes(zone)) {
    throw invalid(
      "zone",
      `must be one of ${known.join(", ")}, as Azure numbers them, not ${JSON.stringify(zone)}`,
    );
  }
}
