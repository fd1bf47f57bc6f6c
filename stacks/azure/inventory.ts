/** The hosts and ways out of a stack on Azure. */
import { defaultNatSize } from "../../bench/machines/index.ts";
import type { TopologyEntry } from "../cloud.ts";
import { type Inventory, inventoryOf } from "../inventory.ts";
import type { Settings } from "./settings.ts";
import { sized, sizedEntry } from "./small.ts";

/** The inventory of a stack on Azure. @param settings As written, `size` included. */
export function azureInventory(
  settings: Settings,
  topologies: readonly TopologyEntry[],
  pairs: number,
): Inventory {
  const { clientSize, serverSize, jumpSize } = sized(settings);
  return inventoryOf({
    entries: topologies.map((entry) => sizedEntry(settings, entry)),
    pairs,
    sizes: { client: clientSize, server: serverSize, jump: jumpSize },
    natSize: ({ size }) => String(size ?? defaultNatSize.azure),
    sharedJump: false,
    region: settings.location,
    serverRegion: settings.serverLocation,
  });
}
