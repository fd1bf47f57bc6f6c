import { defaultNatSize } from "../../bench/machines/index.ts";
import { type Inventory, inventoryOf, type StackContent, sizedEntry } from "../inventory.ts";
import type { Settings } from "./settings.ts";
import { sized, smallNat } from "./small.ts";

export function azureInventory({ settings, topologies, ...request }: StackContent<Settings>): Inventory {
  const { clientSize, serverSize, jumpSize } = sized(settings);
  return inventoryOf({
    ...request,
    cloud: "azure",
    entries: topologies.map((entry) => sizedEntry(settings, entry, smallNat)),
    sizes: { client: clientSize, server: serverSize, jump: jumpSize },
    natSize: ({ size }) => String(size ?? defaultNatSize.azure),
    sharedNetwork: false,
    jumpAddress: true,
    purchase: () => "on demand",
    region: settings.location,
    serverRegion: settings.serverLocation,
  });
}
