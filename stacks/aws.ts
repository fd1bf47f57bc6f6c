/**
 * AWS as a cloud: from a stack's topologies to VPCs and machines.
 *
 * @module
 */
import { getAvailabilityZonesOutput } from "@pulumi/aws/getAvailabilityZones.js";
import * as pulumi from "@pulumi/pulumi";
import {
  type AwsEgress,
  BenchPair,
  BenchServer,
  jumpHost,
  type LinuxHost,
  Network,
  type NetworkSubnet,
  type SshArgs,
} from "../components/aws/index.ts";
import type { Deployment } from "../components/egress.ts";
import { allowedCidrs } from "../components/operator-address.ts";
import { type Settings, settingsSchema } from "./aws/settings.ts";
import { firstFreeAddress, type Site, subnetCidr, vpcCidr } from "./aws/site.ts";
import { type AwsTopology, topologies } from "./aws/topologies.ts";
import type { Cloud, DeployRequest, TopologyEntry } from "./cloud.ts";
import { ConfigError } from "./config.ts";

/** A VPC with the public subnet that its NAT machines, gateways and jump host are in. */
interface Ground {
  readonly network: Network;
  readonly publicSubnet: NetworkSubnet;
  readonly internetReady: readonly pulumi.Resource[];
  /** Subnets taken, the public one included. */
  subnets: number;
}

/** What all topologies of a stack share. */
interface Shared {
  readonly settings: Settings;
  readonly ssh: SshArgs;
  readonly zone: pulumi.Output<string>;
  readonly server: Ground;
  /** Made when the first topology needs it: an account has five VPCs a region. */
  clients?: Ground;
  vpcs: number;
}

/** A topology on its way to a path. */
interface Plot {
  readonly entry: TopologyEntry;
  readonly site: Site;
  readonly egress: AwsEgress;
}

function deploy(request: DeployRequest<Settings>): Deployment {
  const shared = prepare(request);
  const plots = request.topologies.map((entry) => layOut(entry, shared));
  const server = benchServer(shared, plots);
  const isPrivate = ({ egress }: Plot) => egress.attachment.publicIp === undefined;
  const jump = plots.some(isPrivate) ? clientsJumpHost(shared) : undefined;
  const paths = plots.map((plot) => pair(plot, shared, server, jump).path);
  return { server: server.host, paths, notes: [burstNote] };
}

const burstNote =
  "Instances under 32 vCPU end at 5 Gbit/s through an internet gateway, and small ones live on network and CPU credits: compare the first seconds of a case with its last, and the hosts' allowance counters.";

/** Without local zones, which sort before a region's own and lack most instance types. */
const availableZones = {
  state: "available",
  filters: [{ name: "zone-type", values: ["availability-zone"] }],
};

function prepare({ settings, operatorKey, ...request }: DeployRequest<Settings>): Shared {
  const ssh = { key: operatorKey, allowedCidrs: sshSources(request) };
  const zone =
    settings.zone === undefined
      ? getAvailabilityZonesOutput(availableZones).names.apply(([first]) => first as string)
      : pulumi.output(settings.zone);
  const server = ground("server", 0, settings, zone);
  return { settings, ssh, zone, server, vpcs: 2 };
}

function sshSources(request: Pick<DeployRequest<Settings>, "allowedCidrs" | "allowAnywhere">) {
  const asConfigError = (error: Error) => {
    throw new ConfigError(error.message);
  };
  try {
    const cidrs = allowedCidrs(request.allowedCidrs, request.allowAnywhere);
    return pulumi
      .output(cidrs instanceof Promise ? cidrs.catch(asConfigError) : cidrs)
      .apply((all) => [...all]);
  } catch (error) {
    return asConfigError(error as Error);
  }
}

function ground(name: string, vpc: number, settings: Settings, zone: pulumi.Output<string>): Ground {
  const cidr = block(() => vpcCidr(settings.addressSpace, vpc));
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

function groundOf(entry: TopologyEntry, vpc: AwsTopology["vpc"], shared: Shared): Ground {
  const { settings, zone } = shared;
  switch (vpc) {
    case "server":
      return shared.server;
    case "own":
      return ground(entry.name, shared.vpcs++, settings, zone);
    case "clients":
      shared.clients ??= ground("client", 1, settings, zone);
      return shared.clients;
  }
}

/** Builds a topology's subnet and egress. */
function layOut(entry: TopologyEntry, shared: Shared): Plot {
  const { name, topology, options } = entry;
  const { vpc, clientSubnet: kind, make } = topologies[topology] as AwsTopology;
  const { settings, ssh, zone, server } = shared;
  const own = groundOf(entry, vpc, shared);
  const { network, publicSubnet } = own;
  const index = own.subnets++;
  const clientCidr = block(() => subnetCidr(network.cidr, index));
  const clientSubnet =
    kind === "public"
      ? network.publicSubnet(`${name}-client`, clientCidr)
      : network.privateSubnet(`${name}-client`, clientCidr);
  const site: Site = {
    name,
    tags: settings.tags,
    network,
    publicSubnet,
    clientSubnet,
    clientCidr,
    clientAddress: firstFreeAddress(clientCidr),
    serverNetwork: server.network,
    serverSubnet: server.publicSubnet,
    zone,
    ssh,
    internetReady: own.internetReady,
  };
  return { entry, site, egress: make(site, options) };
}

function publicPlace({ network, publicSubnet, internetReady }: Ground, { settings, ssh }: Shared) {
  const { image, adminUser, tags } = settings;
  return {
    image,
    adminUser,
    tags,
    ssh,
    internetReady,
    vpcId: network.vpcId,
    subnetId: publicSubnet.subnetId,
  };
}

function benchServer(shared: Shared, paths: readonly Plot[]): BenchServer {
  const instanceType = shared.settings.serverInstanceType;
  return new BenchServer("server", { ...publicPlace(shared.server, shared), instanceType, paths });
}

/** One for all private clients: they share a VPC. */
function clientsJumpHost(shared: Shared): LinuxHost {
  const instanceType = shared.settings.jumpInstanceType;
  return jumpHost("jump", { ...publicPlace(shared.clients as Ground, shared), instanceType });
}

function pair(
  { entry, site, egress }: Plot,
  { settings, ssh }: Shared,
  server: BenchServer,
  jump: LinuxHost | undefined,
): BenchPair {
  const { clientInstanceType, image, adminUser, tags } = settings;
  return new BenchPair(entry.name, {
    tags,
    egress,
    ssh,
    server,
    jump,
    vpcId: site.network.vpcId,
    clientSubnetId: site.clientSubnet.subnetId,
    clientAddress: site.clientAddress,
    client: { instanceType: clientInstanceType, image, adminUser },
    internetReady: [...site.internetReady, site.clientSubnet.associated],
  });
}

export const aws: Cloud<Settings> = {
  topologies: Object.fromEntries(Object.entries(topologies).map(([name, { options }]) => [name, options])),
  settings: settingsSchema,
  deploy,
};
