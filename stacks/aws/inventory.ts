import { defaultNatSize } from "../../bench/machines/index.ts";
import { type Inventory, inventoryOf, type StackContent, sizedEntry } from "../inventory.ts";
import type { Settings } from "./settings.ts";
import { clientsOnSpot, sized, smallNat } from "./small.ts";

/** The inventory of a stack on AWS; its region is the provider's. */
export function awsInventory({ settings, topologies, ...request }: StackContent<Settings>): Inventory {
  const { clientInstanceType, serverInstanceType, jumpInstanceType } = sized(settings);
  return inventoryOf({
    ...request,
    cloud: "aws",
    entries: topologies.map((entry) => sizedEntry(settings, entry, smallNat)),
    sizes: { client: clientInstanceType, server: serverInstanceType, jump: jumpInstanceType },
    natSize: ({ instanceType }) => String(instanceType ?? defaultNatSize.aws),
    sharedNetwork: true,
    jumpAddress: false,
    purchase: ({ role }, { spot }, machines) => {
      if (role === "client") {
        return clientsOnSpot(settings, machines) ? "spot" : "on demand";
      }
      const { onDemandFallback } = (spot ?? {}) as { readonly onDemandFallback?: unknown };
      return spot === undefined ? "on demand" : onDemandFallback === undefined ? "spot" : "fallback";
    },
    region: undefined,
    serverRegion: undefined,
  });
}
