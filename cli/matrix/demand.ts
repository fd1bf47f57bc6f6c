/** What a cell takes of quotas while its stack stands, before anything is made. */
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { isPriced, type PricedCloud, type Topology, topologyNamed } from "../../bench/topologies/index.ts";
import type { Inventory } from "../../stacks/inventory.ts";
import { awsDemand, azureDemand, type CountedResource, type QuotaDemand } from "../../stacks/quota/demand.ts";
import { inventories } from "../compare/cost.ts";
import type { StackFile } from "../run/stack-file.ts";
import type { Token } from "./schedule.ts";

/** The machine that all labs are on: one at a time, since they would share its CPUs. */
export const LAB_POOL = "this machine";

/** The quotas that a stack takes; none for a cloud without. Spot machines count as on-demand ones. */
export function demandOf(file: StackFile): QuotaDemand[] {
  const { cloud } = file;
  if (!isPriced(cloud)) {
    return [];
  }
  const inventory = inventories[cloud](file);
  const { region } = inventory;
  const resources = [...machinesOf(inventory, file, cloud), ...networksOf(inventory, file, cloud)];
  // A quota of AWS is of the provider's region.
  return terms[cloud]
    .demand(resources)
    .map((demand) => ({ ...demand, region: demand.region ?? region ?? null }));
}

/** The name of a quota's pool. Azure writes the same name in different cases, so all are in lower case. */
export function poolOf(cloud: string, region: string | null, quota: string): string {
  return `${cloud} ${region ?? "(the login's region)"} ${quota.toLowerCase()}`;
}

/** Tokens of a cell. */
export function tokensOf(file: StackFile): Token[] {
  return cloudRecords[file.cloud].isLab
    ? [{ pool: LAB_POOL, amount: 1 }]
    : demandOf(file).map(({ quota, region, amount }) => ({
        pool: poolOf(file.cloud, region, quota),
        amount,
      }));
}

/** A cloud's resources that take quotas. */
interface CloudTerms {
  readonly demand: (resources: readonly CountedResource[]) => QuotaDemand[];
  readonly machine: string;
  readonly address: string;
  /** Whether jump hosts have an address that counts. */
  readonly jumpAddress: boolean;
  readonly networks: (inventory: Inventory) => readonly (readonly [count: number, type: string])[];
}

const terms: Readonly<Record<PricedCloud, CloudTerms>> = {
  aws: {
    demand: awsDemand,
    machine: "aws:ec2/instance:Instance",
    address: "aws:ec2/eip:Eip",
    jumpAddress: false,
    networks: awsNetworks,
  },
  azure: {
    demand: azureDemand,
    machine: "azure-native:compute:VirtualMachine",
    address: "azure-native:network:PublicIPAddress",
    jumpAddress: true,
    networks: () => [],
  },
};

function machinesOf(inventory: Inventory, { pairs }: StackFile, cloud: PricedCloud): CountedResource[] {
  const { hosts, paths, region = null, serverRegion = region } = inventory;
  const clients = paths.flatMap(({ topology }) =>
    Array.from({ length: pairs }, () => (isBesideServer(topology) ? serverRegion : region)),
  );
  let next = 0;
  return hosts.map(({ role, size }) => {
    const own = role === "client" ? (clients[next++] ?? null) : role === "server" ? serverRegion : region;
    return { type: terms[cloud].machine, size, region: own };
  });
}

/** Whether the client is in the server's own network. */
function isBesideServer(topology: string): boolean {
  return topology === "intra-vnet";
}

/** Addresses, networks and gateways. */
function networksOf(inventory: Inventory, { pairs }: StackFile, cloud: PricedCloud): CountedResource[] {
  const { hosts, paths, region = null, serverRegion = region } = inventory;
  const several = (count: number, type: string, where: string | null): CountedResource[] =>
    Array.from({ length: count }, () => ({ type, size: null, region: where }));
  const { address, jumpAddress, networks } = terms[cloud];
  const servers = hosts.filter(({ role }) => role === "server").length;
  const jumps = jumpAddress ? hosts.filter(({ role }) => role === "jump").length : 0;
  const ofPaths = paths.flatMap(({ topology, publicIps, options }) => {
    const record = topologyNamed(topology);
    const client = record?.serverSide === "private" ? pairs : 0;
    const here = isBesideServer(topology) ? serverRegion : region;
    const more = (side: "client" | "server") => Number(options[`${side}ActiveActive`] ?? 0);
    return record?.ownServer && topology === "vpn-gateway"
      ? [
          ...several(client + 1 + more("client"), address, here),
          ...several(1 + more("server"), address, serverRegion),
        ]
      : several(client + addressesOf(record, publicIps, cloud), address, here);
  });
  return [
    ...several(servers, address, serverRegion),
    ...several(jumps, address, region),
    ...ofPaths,
    ...networks(inventory).flatMap(([count, type]) => several(count, type, region)),
  ];
}

/** Public addresses that a topology's charges count. */
function addressesOf(record: Topology | undefined, publicIps: number, cloud: PricedCloud): number {
  return (record?.charges ?? [])
    .filter(({ meter, clouds }) => meter === "public-ip-hour" && (clouds?.includes(cloud) ?? true))
    .reduce((sum, { count }) => sum + (typeof count === "number" ? count : publicIps), 0);
}

function awsNetworks({ paths }: Inventory): readonly (readonly [count: number, type: string])[] {
  const isOf = (kind: string) => paths.filter(({ topology }) => topology === kind);
  const peered = isOf("vpc-peering").length;
  const others = paths.length - peered - isOf("intra-vpc").length;
  const gateways = isOf("nat-gateway").reduce((sum, one) => sum + one.gateways, 0);
  return [
    [1 + peered + Math.min(others, 1), "aws:ec2/vpc:Vpc"],
    [gateways, "aws:ec2/natGateway:NatGateway"],
  ];
}
