/** The hosts and ways out of a stack on AWS. */
import { defaultNatSize } from "../../bench/machines/index.ts";
import type { TopologyEntry } from "../cloud.ts";
import { type Inventory, inventoryOf } from "../inventory.ts";
import type { Settings } from "./settings.ts";
import { sized, sizedEntry } from "./small.ts";

/** The inventory of a stack on AWS; its region is the provider's. @param settings As written, `size` included. */
export function awsInventory(
  settings: Settings,
  topologies: readonly TopologyEntry[],
  pairs: number,
): Inventory {
  const { clientInstanceType, serverInstanceType, jumpInstanceType } = sized(settings);
  return inventoryOf({
    entries: topologies.map((entry) => sizedEntry(settings, entry)),
    pairs,
    sizes: { client: clientInstanceType, server: serverInstanceType, jump: jumpInstanceType },
    natSize: ({ instanceType }) => String(instanceType ?? defaultNatSize.aws),
    sharedJump: true,
    region: undefined,
    serverRegion: undefined,
  });
}
