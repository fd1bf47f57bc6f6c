/**
 * The content of a stack, from its checked configuration and without a cloud's SDK: machines, public addresses, networks,
 * ways out and cases. Deployment, the price in a preview, quotas and progress read it; tests compare it with the resources
 * of a mocked deployment, for every two options of each topology.
 */
import {
  orderCases,
  type Plan,
  type PlannedRun,
  type PricedCloud,
  pairsOf,
  type Topology,
  topologyNamed,
} from "../bench/index.ts";
import { defaultBenchSizes, machineOf } from "../bench/machines/index.ts";
import { type PlannedTraffic, planTraffic } from "../bench/plan/traffic.ts";
import { caseResourceName } from "../components/benchmark/case-resource.ts";
import { clientName, serverName } from "../components/shared/host-names.ts";

/** One entry of a stack's `topologies`: the topology, its name and its options. */
export interface TopologyEntry {
  /** Name, unique within the stack; the topology's own name unless given. */
  readonly name: string;
  readonly topology: string;
  /** Options, already checked by the topology's schema. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The content that a stack's configuration asks for. */
export interface StackContent<Settings> {
  readonly topologies: readonly TopologyEntry[];
  /** The `egress-bench:<cloud>` section of the stack's configuration, as written. */
  readonly settings: Settings;
  /** Clients per topology, each with its own server. */
  readonly pairs: number;
  readonly plan: Plan;
}

interface Placed {
  /** Region; undefined: the provider's own. */
  readonly region: string | undefined;
}

/** How a machine is bought. `fallback`: as a spot instance, or on demand where there is none. */
type Purchase = "on demand" | "spot" | "fallback";

interface InventoryHost extends Placed {
  readonly role: "client" | "server" | "jump" | "nat";
  /** Machine size in the cloud's words. */
  readonly size: string;
  readonly purchase: Purchase;
}

export interface InventoryPath extends TopologyEntry {
  /** Size of its NAT machines, if any. */
  readonly natSize: string;
  /** Public addresses that traffic leaves by. */
  readonly publicIps: number;
  /** Public addresses beyond those of every such topology, at the client's end and at the server's. */
  readonly moreAddresses: { readonly client: number; readonly server: number };
  /** Gateways to pay for: one for each zone of a regional NAT gateway. */
  readonly gateways: number;
  /** Hours of its measurements, and the most traffic through it. */
  readonly usage: PlannedTraffic;
}

export interface InventoryCase extends PlannedRun {
  /** Per pair, the resource that makes the measurement and the hosts at its ends. */
  readonly pairs: readonly { readonly resource: string; readonly client: string; readonly server: string }[];
}

export interface Inventory extends Placed {
  readonly serverRegion: string | undefined;
  readonly hosts: readonly InventoryHost[];
  /** Public addresses that outlive a machine's stop. */
  readonly addresses: readonly Placed[];
  /** Public addresses that their machines lose at a stop: those of AWS's jump hosts. They cost as much. */
  readonly temporaryAddresses: readonly Placed[];
  /** Number of networks: VPCs, virtual networks. */
  readonly networks: number;
  readonly paths: readonly InventoryPath[];
}

/** The parts of an inventory that a cloud decides. */
interface InventoryArgs extends Placed, Pick<StackContent<unknown>, "pairs" | "plan"> {
  readonly cloud: PricedCloud;
  readonly serverRegion: string | undefined;
  /** Entries with the sizes for the stack's own `size`. */
  readonly entries: readonly TopologyEntry[];
  readonly sizes: Readonly<Record<"client" | "server" | "jump", string>>;
  readonly natSize: (options: TopologyEntry["options"]) => string;
  /** Whether clients that leave by the internet share one network, and the private ones a jump host in it. */
  readonly sharedNetwork: boolean;
  /** Whether a jump host has a public address that outlives its stop. */
  readonly jumpAddress: boolean;
  readonly purchase: (
    host: Pick<InventoryHost, "role">,
    options: TopologyEntry["options"],
    machines: number,
  ) => Purchase;
}

/** The inventory of a stack. A topology without a record adds only its client. */
export function inventoryOf(args: InventoryArgs): Inventory {
  const { entries, pairs, plan, region, serverRegion = region, sharedNetwork } = args;
  const cases = Array.from({ length: plan.repeat.most }, () => plan.cases).flat();
  const usage = planTraffic(
    cases,
    mostOf(args.sizes.client) ?? mostOf(defaultBenchSizes[args.cloud].client) ?? 0,
  );
  const paths = entries.map((entry) => ({
    ...entry,
    natSize: args.natSize(entry.options),
    publicIps: publicIpsOf(entry, pairs) * zonesOf(entry.options),
    moreAddresses: moreAddressesOf(entry),
    gateways: zonesOf(entry.options),
    usage,
  }));
  const records = entries.map(({ topology }) => topologyNamed(topology));
  const count = (is: (record: Topology | undefined) => boolean | undefined) => records.filter(is).length;
  const hidden = count((record) => record?.jumpHost);
  const ownServers = count((record) => record?.ownServer);
  const serverNetworks = ownServers + (ownServers < records.length ? 1 : 0);
  const jumps = sharedNetwork ? Math.min(hidden, 1) : hidden;
  const others = count((record) => record?.serverSide === "public");
  return {
    ...{ region, serverRegion: args.serverRegion, paths, hosts: hostsOf(args, serverNetworks, jumps) },
    addresses: [
      ...several(serverNetworks * pairs, { region: serverRegion }),
      ...several(args.jumpAddress ? jumps : 0, { region }),
      ...paths.flatMap((path, at) => addressesOf(path, records[at], args)),
    ],
    temporaryAddresses: several(args.jumpAddress ? 0 : jumps, { region }),
    networks:
      serverNetworks +
      count((record) => !record?.besideServer) -
      (sharedNetwork ? Math.max(0, others - 1) : 0),
  };
}

/** Highest rate of a size in bits a second; null if its cloud publishes none. */
function mostOf(size: string): number | null {
  return machineOf(size)?.network.peakBitsPerSecond ?? null;
}

function several<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

function hostsOf(args: InventoryArgs, serverNetworks: number, jumps: number): InventoryHost[] {
  const { entries, pairs, sizes, region, serverRegion = region } = args;
  const machines = (record: Topology | undefined) =>
    Number(record?.charges.find(({ meter }) => meter === "vm-hour")?.count ?? 0);
  const nats = entries.flatMap((entry) => several(machines(topologyNamed(entry.topology)), entry));
  const total = (entries.length + serverNetworks) * pairs + jumps + nats.length;
  const host = (
    role: InventoryHost["role"],
    size: string,
    where: string | undefined,
    options: TopologyEntry["options"] = {},
  ) => ({ role, size, region: where, purchase: args.purchase({ role }, options, total) });
  return [
    ...entries.flatMap(({ topology }) =>
      several(
        pairs,
        host("client", sizes.client, topologyNamed(topology)?.besideServer ? serverRegion : region),
      ),
    ),
    ...several(serverNetworks * pairs, host("server", sizes.server, serverRegion)),
    ...several(jumps, host("jump", sizes.jump, region)),
    ...nats.map(({ options }) => host("nat", args.natSize(options), region, options)),
  ];
}

/** Number of zones that a regional NAT gateway is paid for. A pair's `zones` are its two machines'. */
function zonesOf({ availabilityMode, zones }: TopologyEntry["options"]): number {
  return availabilityMode === "regional" && Array.isArray(zones) ? zones.length : 1;
}

function publicIpsOf({ topology, options }: TopologyEntry, pairs: number): number {
  const { serverSide, jumpHost } = topologyNamed(topology) ?? {};
  // Each client has its own address where it needs no NAT.
  if (serverSide === "public" && jumpHost === false) return pairs;
  const ofPrefix =
    options.publicIpPrefixLength === undefined ? 0 : 2 ** (32 - Number(options.publicIpPrefixLength));
  return ofPrefix || Number(options.publicIpCount ?? 1);
}

/** Addresses beyond those that every such topology has, by its options. */
function moreAddressesOf({ topology, options }: TopologyEntry): InventoryPath["moreAddresses"] {
  const more = topologyNamed(topology)?.moreAddresses ?? [];
  const count = (end: "client" | "server") =>
    more.filter(({ at, option, value }) => at === end && options[option] === value).length;
  return { client: count("client"), server: count("server") };
}

/** Public addresses of a topology: the charged ones, and one for each client that reaches a private address. */
function addressesOf(
  { publicIps, moreAddresses: more }: InventoryPath,
  record: Topology | undefined,
  { cloud, pairs, region, serverRegion = region }: InventoryArgs,
): Placed[] {
  const here = { region: record?.besideServer ? serverRegion : region };
  const charged = (record?.charges ?? [])
    .filter(({ kind, clouds }) => kind === "address" && (clouds?.includes(cloud) ?? true))
    .reduce((sum, { count }) => sum + (typeof count === "number" ? count : publicIps), 0);
  // Half of a tunnel's charged addresses are at the server's end.
  const there = record?.ownServer ? charged / 2 : 0;
  return [
    ...several(record?.serverSide === "private" ? pairs : 0, here),
    ...several(charged - there + more.client, here),
    ...several(there + more.server, { region: serverRegion }),
  ];
}

/** The measurements of a plan over topologies, in their order. */
export function casesOf(
  plan: Plan,
  entries: readonly Pick<TopologyEntry, "name" | "topology">[],
): InventoryCase[] {
  const kinds = new Map(entries.map(({ name, topology }) => [name, topology]));
  const names = entries.map(({ name }) => name);
  return orderCases(plan, names).map((planned) => {
    const { topology: path, case: benchCase, repetition } = planned;
    const hasOwnServer = topologyNamed(kinds.get(path) ?? path)?.ownServer ?? false;
    const pairs = Array.from({ length: pairsOf(benchCase) }, (_, pair) => ({
      resource: caseResourceName(path, benchCase.id, repetition, pair),
      client: clientName(path, pair + 1),
      server: serverName(hasOwnServer ? path : undefined, pair + 1),
    }));
    return { ...planned, pairs };
  });
}

/** An entry as it is under `size: small`: a NAT instance has `small` options. */
export function sizedEntry<T extends Pick<TopologyEntry, "topology" | "options">>(
  { size }: { readonly size?: string | undefined },
  entry: T,
  small: (options: TopologyEntry["options"]) => TopologyEntry["options"],
): T {
  const isSmall = size === "small" && topologyNamed(entry.topology)?.nat === "instance";
  return isSmall ? { ...entry, options: small(entry.options) } : entry;
}
