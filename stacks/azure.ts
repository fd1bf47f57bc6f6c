/** Azure as a cloud: from a stack's topologies to networks and machines. */
import { createHmac } from "node:crypto";
import { ProximityPlacementGroup } from "@pulumi/azure-native/compute/proximityPlacementGroup.js";
import { ResourceGroup } from "@pulumi/azure-native/resources/resourceGroup.js";
import * as pulumi from "@pulumi/pulumi";
import { type TopologyOf, topologyNamed } from "../bench/index.ts";
import {
  type AzureArgs,
  type AzureEgress,
  acceleratedNetworking,
  BenchPair,
  BenchServer,
  type ExtraClient,
  extraClients,
  firstFreeAddress,
  type MachineArgs,
  Network,
  type SshArgs,
} from "../components/azure/index.ts";
import type { Deployment } from "../components/shared/egress.ts";
import { serverName } from "../components/shared/host-names.ts";
import { azureInventory } from "./azure/inventory.ts";
import { type Settings, settingsSchema } from "./azure/settings.ts";
import { guestCidr, networkCidr, type Site, siteCidrs } from "./azure/site.ts";
import { sized, smallNotes } from "./azure/small.ts";
import { type AzureTopology, topologies } from "./azure/topologies.ts";
import type { Cloud, DeployRequest } from "./cloud.ts";
import { ConfigError } from "./config.ts";
import type { Inventory, InventoryPath, TopologyEntry } from "./inventory.ts";
import { withoutVersionedAliases } from "./versioned-aliases.ts";

type SharedParts = ReturnType<typeof prepareShared>;

/** A topology with its network and egress, before its path is made. */
interface PlannedPath {
  readonly entry: InventoryPath;
  readonly site: Site;
  readonly egress: AzureEgress;
  readonly extraClients: readonly ExtraClient[];
  readonly ownServer: boolean;
}

function deploy(request: DeployRequest<Settings>, inventory: Inventory): Deployment {
  const shared = prepareShared(request);
  const guests = { count: 0 };
  const planned = inventory.paths.map((entry, position) => layOut(entry, position + 1, shared, guests));
  const servers =
    shared.serverNetwork === undefined ? [] : sharedServers(shared, shared.serverNetwork, planned);
  const pairs = planned.map((one) => pair(one, shared, servers, planned));
  return {
    server: (servers[0] ?? (pairs[0] as BenchPair).server).host,
    paths: pairs.map(({ path }) => path),
    notes: [
      machinesNote(shared.settings),
      ...smallNotes(shared.settings),
      ...planned.flatMap(({ entry }) =>
        entry.topology === "nat-instance" ? [`${entry.name}: NAT instance ${entry.natSize}.`] : [],
      ),
      ...planned.flatMap(({ entry }) => (entry.topology === "nat-instance-ha" ? [pairNote(entry)] : [])),
      ...planned.flatMap(({ entry }) => (entry.options.sku === "StandardV2" ? [standardV2Note(entry)] : [])),
      ...planned.flatMap(({ egress }) => (egress.sourceServiceTag === undefined ? [] : [openTagNote])),
    ],
  };
}

const openTagNote =
  "The source address of default-snat is not known beforehand: the server's test ports are open to all of Azure's public addresses in the client's region.";

/** A note on the machines. Their drivers show whether they have a virtual function. */
function machinesNote(settings: Settings): string {
  const { clientSize, serverSize, location, serverLocation = location, zone } = settings;
  const machine = (size: string, region: string) =>
    `${size} in ${region}, accelerated networking ${acceleratedNetworking(size, settings.acceleratedNetworking) ? "on" : "off"}`;
  return `Clients: ${machine(clientSize, location)}. Server: ${machine(serverSize, serverLocation)}. Zone: ${zone ?? "Azure's choice"}.`;
}

/** A note on the gateway's limits. Source: learn.microsoft.com/azure/nat-gateway/nat-gateway-resource */
function standardV2Note({ name }: TopologyEntry): string {
  return `${name}: a StandardV2 NAT gateway carries 1 Gbit/s and 100,000 packets a second a connection; figures of fewer than 16 streams show that limit and not the gateway's.`;
}

function pairNote({ name, natSize }: InventoryPath): string {
  return `${name}: two NAT instances ${natSize} behind an internal load balancer, each with a public address of its own: sessions end with the machine that carries them.`;
}

function prepareShared({ settings, operatorKey, pairs, ...request }: DeployRequest<Settings>) {
  const { location, tags, image, zone, adminUser } = settings;
  const group = new ResourceGroup(`egress-bench-${request.stack}`, { location, tags });
  const clientArgs = { resourceGroupName: group.name, location, tags };
  const serverArgs = { ...clientArgs, location: settings.serverLocation ?? location };
  const shared = request.topologies.some(({ topology }) => !topologyNamed(topology)?.ownServer);
  // Undefined where each path has its own server.
  const serverNetwork = shared
    ? new Network("server-network", { ...serverArgs, cidr: block(settings, 0) })
    : undefined;
  const { publicKey, loginKey: privateKey } = operatorKey;
  const ssh = { key: { publicKey, privateKey }, allowedCidrs: [...request.allowedCidrs] };
  const proximityPlacementGroupId = proximityGroup(settings, clientArgs);
  const machine = { image, zone, adminUser, proximityPlacementGroupId };
  return { settings, clientArgs, serverArgs, serverNetwork, ssh, pairs, machine };
}

/** The proximity placement group. @throws {ConfigError} for a stack of two regions, which cannot share one. */
function proximityGroup(settings: Settings, args: AzureArgs): pulumi.Output<string> | undefined {
  const { location, serverLocation = location, proximityPlacementGroup, tags } = settings;
  if (!proximityPlacementGroup) {
    return undefined;
  }
  if (serverLocation !== location) {
    throw new ConfigError(
      `egress-bench:azure.proximityPlacementGroup: a group is in one region, and the server is in ${serverLocation}; leave it out, or set serverLocation to ${location}`,
    );
  }
  return new ProximityPlacementGroup("placement", { ...args, tags }).id;
}

function layOut(
  entry: InventoryPath,
  index: number,
  shared: SharedParts,
  guests: { count: number },
): PlannedPath {
  const { name, topology, options } = entry;
  const { clientArgs, serverArgs, settings, ssh, machine, pairs } = shared;
  const { make }: AzureTopology = topologies[topology as TopologyOf<"azure">];
  const { ownServer = false, besideServer: guest = false } = topologyNamed(topology) ?? {};
  const serverNetwork = ownServer
    ? new Network(`${name}-server-network`, { ...serverArgs, cidr: block(settings, 2 * index) })
    : (shared.serverNetwork as Network);
  const network = guest
    ? serverNetwork
    : new Network(`${name}-network`, { ...clientArgs, cidr: block(settings, 2 * index - 1) });
  const blocks = siteCidrs(network.cidr);
  const cidrs = guest ? { ...blocks, client: guestCidr(network.cidr, guests.count++) } : blocks;
  const site: Site = {
    name,
    args: guest ? serverArgs : clientArgs,
    network,
    cidrs,
    clientAddress: firstFreeAddress(cidrs.client),
    serverNetwork,
    serverGatewayCidr: siteCidrs(serverNetwork.cidr).gateway,
    ssh,
    machine,
    pairs,
    sharedKey: sharedKey(name, ssh),
  };
  const egress = make(site, options);
  const more = { ...site.args, egress, clientCidr: cidrs.client, count: pairs - 1 };
  return { entry, site, egress, extraClients: extraClients(name, more), ownServer };
}

/** A path's own shared key, which does not reveal the key it is derived from. */
function sharedKey(name: string, { key }: SshArgs): pulumi.Output<string> {
  return pulumi.secret(
    pulumi
      .output(key.privateKey)
      .apply((secret) => createHmac("sha256", secret).update(`vpn ${name}`).digest("hex")),
  );
}

function serverOptions(shared: SharedParts, name: string, network: Network) {
  const subnetCidr = siteCidrs(network.cidr).client;
  return {
    ...shared.serverArgs,
    ...benchMachine(shared, shared.settings.serverSize),
    subnet: network.subnet(name, { cidr: subnetCidr }),
    subnetCidr,
  };
}

/** One server per pair. All are open to all clients, which agree on their start at the first one. */
function sharedServers(
  shared: SharedParts,
  network: Network,
  planned: readonly PlannedPath[],
): BenchServer[] {
  const paths = planned
    .filter(({ ownServer }) => !ownServer)
    .map(({ entry, ...path }) => ({ ...path, name: entry.name }));
  const options = { ...serverOptions(shared, "server", network), ssh: shared.ssh, paths };
  return Array.from(
    { length: shared.pairs },
    (_, at) => new BenchServer(serverName(undefined, at + 1), { ...options, number: at + 1 }),
  );
}

function pair(
  one: PlannedPath,
  shared: SharedParts,
  [sharedServer, ...moreServers]: readonly BenchServer[],
  all: readonly PlannedPath[],
): BenchPair {
  const { entry, site, egress, ownServer } = one;
  const { client: clientCidr, jump: jumpCidr } = site.cidrs;
  return new BenchPair(entry.name, {
    ...site.args,
    egress,
    network: site.network,
    clientCidr,
    jumpCidr,
    client: benchMachine(shared, shared.settings.clientSize),
    jump: { ...shared.machine, size: shared.settings.jumpSize },
    ssh: shared.ssh,
    server:
      sharedServer === undefined || ownServer
        ? serverOptions(shared, `${entry.name}-server`, site.serverNetwork)
        : sharedServer,
    extraClients: one.extraClients,
    moreServers,
    otherSourceIps: all
      .filter((other) => other !== one)
      .flatMap((other) => [other.egress, ...other.extraClients])
      .map(({ expectedSourceIps }) => expectedSourceIps),
  });
}

function benchMachine({ machine, settings }: SharedParts, size: string): MachineArgs {
  return { ...machine, size, acceleratedNetworking: settings.acceleratedNetworking };
}

function block(settings: Settings, index: number): string {
  try {
    return networkCidr(settings.addressSpace, index);
  } catch (error) {
    throw new ConfigError(
      `egress-bench:azure.addressSpace: ${(error as Error).message}; networks take a /20 each, one for the server and two a topology`,
    );
  }
}

export const azure: Cloud<Settings> = {
  transformation: withoutVersionedAliases,
  topologies: Object.fromEntries(Object.entries(topologies).map(([name, { options }]) => [name, options])),
  settings: settingsSchema,
  inventory: azureInventory,
  deploy: (request) => deploy({ ...request, settings: sized(request.settings) }, azureInventory(request)),
};
