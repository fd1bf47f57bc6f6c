/**
 * Azure's bandwidth zones, each with one price for outbound traffic.
 *
 * Source: https://azure.microsoft.com/pricing/details/bandwidth/ (outbound by source continent), read 2026-11-22.
 */
import type { PricedCloud } from "../../bench/topologies/index.ts";

const words = (text: string) => text.split(/\s+/);

const zones: Readonly<Record<PricedCloud, Readonly<Record<string, readonly string[]>>>> = {
  azure: {
    "zone-1":
      words(`eastus eastus2 centralus northcentralus southcentralus westcentralus westus westus2 westus3
      canadacentral canadaeast northeurope westeurope uksouth ukwest francecentral francesouth
      germanywestcentral germanynorth norwayeast norwaywest swedencentral swedensouth israelcentral
      mexicocentral switzerlandnorth switzerlandwest italynorth polandcentral spaincentral`),
    "zone-2":
      words(`japaneast japanwest eastasia southeastasia koreacentral koreasouth centralindia southindia
      westindia australiaeast australiasoutheast australiacentral newzealandnorth qatarcentral`),
    "zone-3": words(`brazilsouth brazilsoutheast southafricanorth southafricawest uaenorth uaecentral`),
  },
  aws: {},
};

export const zonedRegions: Readonly<Record<PricedCloud, readonly string[]>> = {
  azure: Object.values(zones.azure).flat(),
  aws: Object.values(zones.aws).flat(),
};

/** A region's zone as in price books; undefined: no known zone, or the cloud has none. */
export function priceZone(cloud: PricedCloud, region: string): string | undefined {
  return Object.entries(zones[cloud]).find(([, regions]) => regions.includes(region))?.[0];
}
