/**
 * The hosts and ways out of a stack, from its checked configuration and without a cloud's SDK. Deployment, the price in a
 * preview and the notes of small stacks read it; tests hold it against the machines that a deployment makes.
 */
import { topologyNamed } from "../bench/index.ts";
import type { TopologyEntry } from "./cloud.ts";

/** One machine of a stack. */
interface InventoryHost {
  readonly role: "client" | "server" | "jump" | "nat";
  /** Machine size, as the cloud names it. */
  readonly size: string;
}

/** One way out of a stack. */
export interface InventoryPath extends TopologyEntry {
  /** Size of its NAT machines, where it has any. */
  readonly natSize: string;
  /** Public addresses that traffic leaves by. */
  readonly publicIps: number;
  /** Gateways that are paid for: one for each zone of a regional NAT gateway. */
  readonly gateways: number;
}

/** A stack's machines and ways out, and where they are. */
export interface Inventory {
  /** Region of clients and ways out; undefined: the provider's own. */
  readonly region: string | undefined;
  /** Region of the servers; undefined: the same. */
  readonly serverRegion: string | undefined;
  readonly hosts: readonly InventoryHost[];
  readonly paths: readonly InventoryPath[];
}

/** The parts of an inventory that a cloud decides. */
interface InventoryArgs extends Pick<Inventory, "region" | "serverRegion"> {
  /** With the sizes that the stack's own `size` decides. */
  readonly entries: readonly TopologyEntry[];
  /** Clients of each topology, each with a server of its own. */
  readonly pairs: number;
  readonly sizes: Readonly<Record<"client" | "server" | "jump", string>>;
  readonly natSize: (options: TopologyEntry["options"]) => string;
  /** Whether one jump host serves all private clients. */
  readonly sharedJump: boolean;
}

/** The inventory of a stack. A topology that no record names adds its client alone. */
export function inventoryOf({ entries, pairs, sizes, ...args }: InventoryArgs): Inventory {
  const records = entries.map(({ topology }) => topologyNamed(topology));
  const hidden = records.filter((record) => record?.jumpHost).length;
  const ownServers = records.filter((record) => record?.ownServer).length;
  const servers = ownServers + (ownServers < records.length ? 1 : 0);
  const several = (count: number, role: InventoryHost["role"], size: string): InventoryHost[] =>
    Array.from({ length: count }, () => ({ role, size }));
  const paths = entries.map((entry) => ({
    ...entry,
    natSize: args.natSize(entry.options),
    publicIps: publicIpsOf(entry, pairs) * zonesOf(entry.options),
    gateways: zonesOf(entry.options),
  }));
  return {
    region: args.region,
    serverRegion: args.serverRegion,
    paths,
    hosts: [
      ...several(entries.length * pairs, "client", sizes.client),
      ...several(servers * pairs, "server", sizes.server),
      ...several(args.sharedJump ? Math.min(hidden, 1) : hidden, "jump", sizes.jump),
      ...paths.flatMap(({ natSize }, at) => {
        const machines = records[at]?.charges.find(({ meter }) => meter === "vm-hour")?.count ?? 0;
        return several(Number(machines), "nat", natSize);
      }),
    ],
  };
}

/** How many zones a regional NAT gateway is paid for. The `zones` of a pair say where its two machines are. */
function zonesOf({ availabilityMode, zones }: TopologyEntry["options"]): number {
  return availabilityMode === "regional" && Array.isArray(zones) ? zones.length : 1;
}

/** Addresses of a topology by the options that make some. */
function publicIpsOf({ topology, options }: TopologyEntry, pairs: number): number {
  // Each client has an address of its own where it needs no NAT.
  if (topology === "direct") return pairs;
  const ofPrefix =
    options.publicIpPrefixLength === undefined ? 0 : 2 ** (32 - Number(options.publicIpPrefixLength));
  return ofPrefix || Number(options.publicIpCount ?? 1);
}
