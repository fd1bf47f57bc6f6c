/** AWS as a cloud: from a stack's topologies to VPCs and machines. */
import { PlacementGroup } from "@pulumi/aws/ec2/placementGroup.js";
import * as pulumi from "@pulumi/pulumi";
import { type TopologyOf, testPorts, topologyNamed } from "../bench/index.ts";
import { INTERNET_RATE, LARGE_VCPUS } from "../bench/machines/capacity.ts";
import {
  type AwsEgress,
  BenchPair,
  BenchServer,
  type ExtraClient,
  extraClients,
  jumpHost,
  type LinuxHost,
  Network,
  type NetworkSubnet,
  type SshArgs,
} from "../components/aws/index.ts";
import { firstFreeAddress } from "../components/shared/cidr.ts";
import type { Deployment } from "../components/shared/egress.ts";
import { serverName } from "../components/shared/host-names.ts";
import { awsInventory } from "./aws/inventory.ts";
import { type Settings, settingsSchema } from "./aws/settings.ts";
import { type Site, subnetCidr, vpcCidr } from "./aws/site.ts";
import { clientsOnSpot, freePlanNote, sized, smallNotes } from "./aws/small.ts";
import { type AwsTopology, topologies } from "./aws/topologies.ts";
import { stackZone } from "./aws/zone.ts";
import type { Cloud, DeployRequest } from "./cloud.ts";
import { ConfigError } from "./config.ts";
import type { Inventory, InventoryPath, TopologyEntry } from "./inventory.ts";

/** A VPC with the public subnet of its NAT machines, gateways and jump host. */
interface PublicVpc {
  readonly network: Network;
  readonly publicSubnet: NetworkSubnet;
  readonly internetReady: readonly pulumi.Resource[];
  /** Number of subnets, including the public one. */
  subnets: number;
}

interface Shared {
  readonly settings: Settings;
  readonly ssh: SshArgs;
  readonly zone: pulumi.Output<string>;
  readonly placementGroup: pulumi.Output<string> | undefined;
  readonly server: PublicVpc;
  readonly pairs: number;
  readonly spot: boolean;
  /** VPC of the clients, made when the first topology needs it: an account has five VPCs a region. */
  clients?: PublicVpc;
  vpcs: number;
}

/** A topology with its subnet and egress, before its path is made. */
interface PlannedPath {
  readonly entry: InventoryPath;
  readonly site: Site;
  readonly egress: AwsEgress;
  readonly extraClients: readonly ExtraClient[];
}

function deploy(request: DeployRequest<Settings>, inventory: Inventory): Deployment {
  const shared = prepare(request, inventory);
  const planned = inventory.paths.map((entry) => layOut(entry, shared));
  const servers = benchServers(shared, planned);
  const isPrivate = ({ egress }: PlannedPath) => egress.attachment.publicIp === undefined;
  const jump = planned.some(isPrivate) ? clientsJumpHost(shared) : undefined;
  const paths = planned.map((one) => pair(one, shared, servers, jump).path);
  const notes = [burstNote, ...smallNotes(request.settings, inventory)];
  return { server: servers[0].host, paths, notes };
}

const burstNote = `Instances under ${LARGE_VCPUS} vCPU end at ${INTERNET_RATE} through an internet gateway, and small ones live on network and CPU credits: each case's hosts have their state (burst) and their allowance counters.`;

function prepare(
  { settings, operatorKey, pairs, ...request }: DeployRequest<Settings>,
  inventory: Inventory,
): Shared {
  const { publicKey, loginKey: privateKey } = operatorKey;
  const ssh = { key: { publicKey, privateKey }, allowedCidrs: [...request.allowedCidrs] };
  const types = inventory.hosts.map(({ size }) => size);
  const freePlan = pulumi.runtime.isDryRun() ? freePlanNote(settings, types) : undefined;
  if (freePlan !== undefined) {
    void pulumi.log.info(freePlan);
  }
  const zone = stackZone(settings.zone, types);
  const server = makeVpc("server", 0, settings, zone);
  const spot = clientsOnSpot(settings, inventory.hosts.length);
  return { settings, ssh, zone, server, pairs, spot, vpcs: 2, placementGroup: placementGroup(settings) };
}

/** The placement group's name. @throws {ConfigError} for types that EC2 refuses in one. */
function placementGroup(settings: Settings): pulumi.Output<string> | undefined {
  const { clientInstanceType, serverInstanceType, tags } = settings;
  if (!settings.placementGroup) {
    return undefined;
  }
  const burstable = [clientInstanceType, serverInstanceType].find((type) => /^t\d/.test(type));
  if (burstable !== undefined) {
    throw new ConfigError(
      `egress-bench:aws.placementGroup: EC2 starts no ${burstable} in a cluster placement group; choose types other than T, or leave placementGroup out`,
    );
  }
  return new PlacementGroup("placement", { strategy: "cluster", tags: { Name: "placement", ...tags } }).name;
}

function makeVpc(name: string, index: number, settings: Settings, zone: pulumi.Output<string>): PublicVpc {
  const cidr = block(() => vpcCidr(settings.addressSpace, index));
  const network = new Network(`${name}-network`, { cidr, zone, tags: settings.tags });
  const publicSubnet = network.publicSubnet("public", subnetCidr(cidr, 0));
  const internetReady = [...network.internetReady, publicSubnet.associated];
  return { network, publicSubnet, internetReady, subnets: 1 };
}

function block(choose: () => string): string {
  try {
    return choose();
  } catch (error) {
    throw new ConfigError(
      `egress-bench:aws.addressSpace: ${(error as Error).message}; VPCs take a /18 each, subnets a /24`,
    );
  }
}

function vpcOf(entry: TopologyEntry, vpc: AwsTopology["vpc"], shared: Shared): PublicVpc {
  const { settings, zone } = shared;
  switch (vpc) {
    case "server":
      return shared.server;
    case "own":
      return makeVpc(entry.name, shared.vpcs++, settings, zone);
    case "clients":
      shared.clients ??= makeVpc("client", 1, settings, zone);
      return shared.clients;
  }
}

function layOut(entry: InventoryPath, shared: Shared): PlannedPath {
  const { name, topology, options } = entry;
  const { vpc, make }: AwsTopology = topologies[topology as TopologyOf<"aws">];
  const { settings, ssh, zone, server } = shared;
  const own = vpcOf(entry, vpc, shared);
  const { network, publicSubnet } = own;
  const index = own.subnets++;
  const clientCidr = block(() => subnetCidr(network.cidr, index));
  const clientSubnet =
    topologyNamed(topology)?.jumpHost === true
      ? network.privateSubnet(`${name}-client`, clientCidr)
      : network.publicSubnet(`${name}-client`, clientCidr);
  const site: Site = {
    ...{ name, network, publicSubnet, clientSubnet, clientCidr, zone, ssh },
    tags: settings.tags,
    clientAddress: firstFreeAddress(clientCidr),
    serverNetwork: server.network,
    serverSubnet: server.publicSubnet,
    freeCidr: () => block(() => subnetCidr(network.cidr, own.subnets++)),
    internetReady: own.internetReady,
  };
  const egress = make(site, options);
  const more = { tags: settings.tags, egress, clientCidr, count: shared.pairs - 1 };
  return { entry, site, egress, extraClients: extraClients(name, more) };
}

function inPublicSubnet({ network, publicSubnet, internetReady }: PublicVpc, { settings, ssh }: Shared) {
  const { image, adminUser, tags } = settings;
  const place = { vpcId: network.vpcId, subnetId: publicSubnet.subnetId, internetReady };
  return { ...place, image, adminUser, tags, ssh };
}

/** One server per pair. All are open to all clients, which agree on their start at the first one. */
function benchServers(
  shared: Shared,
  paths: readonly PlannedPath[],
): readonly [BenchServer, ...BenchServer[]] {
  assertAdmissible(shared, paths);
  const instanceType = shared.settings.serverInstanceType;
  const { placementGroup } = shared;
  const args = { ...inPublicSubnet(shared.server, shared), instanceType, placementGroup, paths };
  const more = Array.from(
    { length: shared.pairs - 1 },
    (_, at) => new BenchServer(serverName(undefined, at + 2), args),
  );
  return [new BenchServer(serverName(undefined, 1), args), ...more];
}

/** Most source addresses: a security group holds 60 rules, SSH's and the test ports' for each address. */
const MAX_SOURCES = Math.floor((60 - 1) / (testPorts.tcp.length + testPorts.udp.length));

/** Refuses more source addresses than a server can admit. @throws {ConfigError} */
function assertAdmissible({ pairs }: Shared, paths: readonly PlannedPath[]): void {
  const counts = paths.map(({ entry, egress }) =>
    egress.attachment.publicIp === undefined ? entry.publicIps : pairs,
  );
  const sources = counts.reduce((sum, count) => sum + count, 0);
  if (sources > MAX_SOURCES) {
    throw new ConfigError(
      `egress-bench:topologies: with ${pairs} pairs the servers would see ${sources} source addresses or more, and a security group can admit ${MAX_SOURCES}; take fewer pairs, a lower publicIpCount, or fewer topologies`,
    );
  }
}

/** The one jump host of all private clients, which share a VPC. */
function clientsJumpHost(shared: Shared): LinuxHost {
  const instanceType = shared.settings.jumpInstanceType;
  const clients = shared.clients as PublicVpc;
  const clientCidrs = [clients.network.cidr];
  return jumpHost("jump", { ...inPublicSubnet(clients, shared), instanceType, clientCidrs });
}

function pair(
  { entry, site, egress, extraClients: more }: PlannedPath,
  { settings, ssh, placementGroup, spot }: Shared,
  [server, ...moreServers]: readonly [BenchServer, ...BenchServer[]],
  jump: LinuxHost | undefined,
): BenchPair {
  const { clientInstanceType, image, adminUser, tags } = settings;
  return new BenchPair(entry.name, {
    ...{ tags, egress, ssh, server, moreServers, jump },
    extraClients: more,
    observeJump: true,
    vpcId: site.network.vpcId,
    clientSubnetId: site.clientSubnet.subnetId,
    clientAddress: site.clientAddress,
    client: { instanceType: clientInstanceType, image, adminUser, placementGroup, onSpot: spot },
    internetReady: [...site.internetReady, site.clientSubnet.associated],
  });
}

export const aws: Cloud<Settings> = {
  topologies: Object.fromEntries(Object.entries(topologies).map(([name, { options }]) => [name, options])),
  settings: settingsSchema,
  inventory: awsInventory,
  deploy: (request) => deploy({ ...request, settings: sized(request.settings) }, awsInventory(request)),
};
