/**
 * The ways out of a private subnet, one record each: limits, where its traffic is seen, what it keeps when a part fails. One table for
 * the components that build them and for the choice between them. Figures are the clouds' published ones, and this project's for NAT
 * instances.
 */
import type { PricedCloud } from "./clouds.ts";

/**
 * The ways out to choose between: all that the product builds, the first of equals first. `direct` is not one: a private subnet
 * stays private.
 */
export const candidates = {
  aws: ["nat-gateway", "nat-instance", "nat-instance-ha", "fck-nat"],
  azure: ["nat-gateway", "nat-instance", "nat-instance-ha", "load-balancer", "firewall"],
} as const satisfies Record<PricedCloud, readonly string[]>;
/** A way out that can be picked, of any cloud. */
export type Candidate = (typeof candidates)[PricedCloud][number];

/** Kinds that are candidates beside the usual one. */
export const candidateKinds: Readonly<
  Partial<Record<PricedCloud, Readonly<Partial<Record<Candidate, readonly string[]>>>>>
> = {
  azure: { "nat-gateway": ["StandardV2"], firewall: ["Premium"] },
};

/** Adds a way that is shown if it was measured, and never proposed: Azure gives it to no new network. */
export type WayOut = Candidate | "default-snat";

/** Whether a way out is made of Linux machines of a chosen size. */
export function isNatInstance(out: WayOut | null): boolean {
  return out === "nat-instance" || out === "nat-instance-ha" || out === "fck-nat";
}

/** The way out behind a measured topology; null: a yardstick such as `direct` or a peering. */
export function wayOutOf(topology: string): WayOut | null {
  return wayOuts.find((out) => out === topology) ?? null;
}

const wayOuts: readonly WayOut[] = [...candidates.aws, ...candidates.azure, "default-snat"];

/** Seconds of silence after which this project's NAT instance forgets a TCP connection: the minimum of RFC 5382 (REQ-5). */
export const NAT_INSTANCE_IDLE_SECONDS = 7_440;

/** Azure ends an idle flow of a public address after 4 minutes, however long the machine behind it remembers the flow. */
export const AZURE_IDLE_SECONDS = 240;

/** Default seconds of silence after which a NAT gateway of the cloud forgets a flow. */
export const idleTimeoutSeconds = {
  /** Fixed: https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html */
  aws: 350,
  /** The default of 4 minutes: https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource */
  azure: AZURE_IDLE_SECONDS,
} as const satisfies Record<PricedCloud, number>;

/** Limits of one gateway or instance and its addresses. Null: no such limit is published. */
export interface WayOutLimits {
  /** Concurrent flows through one public address to one destination (address, port and protocol). */
  readonly flowsPerAddressAndDestination: number;
  /** Concurrent flows through one public address to all destinations. Null: only the destinations limit them. */
  readonly flowsPerAddress: number | null;
  /** Concurrent flows through one gateway to all destinations, with any number of addresses. */
  readonly flows: number | null;
  /** Most ports for one machine behind it. */
  readonly portsPerMachine: number | null;
  /** Most public addresses of one gateway. */
  readonly addressesPerGateway: number;
  /** Addresses that an account may use without a quota request. Null: as many as one gateway takes. */
  readonly addressesUnasked: number | null;
  /** Both directions together. Null: a machine's size decides, or the cloud publishes no limit. */
  readonly bitsPerSecond: number | null;
  /** Each direction alone. */
  readonly bitsPerSecondEachWay: number | null;
  readonly packetsPerSecond: number | null;
  /** One connection, both directions together. */
  readonly connectionBitsPerSecond: number | null;
  /** Longest idle time-out of a TCP connection that can be configured. */
  readonly idleSeconds: number;
  /** Whether it is one machine, so that its failure stops all traffic. */
  readonly singlePoint: boolean;
  /** Whether it stands in one zone, so that each zone needs its own. */
  readonly zonal: boolean;
  /** Whether its public addresses are the account's own, and stay. */
  readonly fixedAddress: boolean;
  /** Ports are one pool for all machines, allotted to each beforehand, or each machine's own. */
  readonly ports: "pool" | "allotted" | "own";
  /** Logs and metrics that show its traffic. */
  readonly seenIn: string;
  /** What goes on when a part of it fails. */
  readonly keeps: string;
  readonly source: string;
  /** When the source was read, `YYYY-MM-DD`. */
  readonly read: string;
}

const unlessSaid = {
  read: "2026-11-23",
  ports: "pool",
  flowsPerAddress: null,
  flows: null,
  portsPerMachine: null,
  addressesUnasked: null,
  bitsPerSecond: null,
  bitsPerSecondEachWay: null,
  packetsPerSecond: null,
  connectionBitsPerSecond: null,
} as const;

/** Ports from 1024 to 65535. */
export const PORTS_PER_ADDRESS = 64_512;

/** The most connections that a NAT instance's set-up lets any machine track (`set-up/sysctls.sh`). */
const MOST_CONNECTIONS = 2_097_152;

/** Connections that it lets a machine track: one for 4 KiB of the memory that the kernel leaves, about three quarters. */
export function connectionsIn(memoryGib: number): number {
  return Math.min(MOST_CONNECTIONS, Math.max(65_536, Math.floor((0.75 * memoryGib * 2 ** 20) / 4)));
}

const linuxMachine: WayOutLimits = {
  ...unlessSaid,
  flowsPerAddressAndDestination: PORTS_PER_ADDRESS,
  flows: MOST_CONNECTIONS,
  addressesPerGateway: 1,
  idleSeconds: NAT_INSTANCE_IDLE_SECONDS,
  singlePoint: true,
  zonal: true,
  fixedAddress: true,
  seenIn: "the VPC's flow logs, and the machine's own metrics (Prometheus, CloudWatch)",
  keeps: "nothing until the machine is back",
  source: "ports 1024 to 65535 of one address; time-outs of components/nat-instance/sysctls.ts",
};

/** Azure's flow table allows a network virtual appliance 250,000 connections, each of which is two flows. */
const azureMachine: WayOutLimits = {
  ...linuxMachine,
  flows: 250_000,
  seenIn: "virtual network flow logs, and the machine's own metrics (Prometheus, Azure Monitor)",
  idleSeconds: Math.min(NAT_INSTANCE_IDLE_SECONDS, AZURE_IDLE_SECONDS),
  source: `${linuxMachine.source}; https://learn.microsoft.com/azure/virtual-network/virtual-machine-network-throughput (flow limits)`,
};

/** Managed services of several machines, with the account's own addresses. */
const managed = { ...unlessSaid, singlePoint: false, zonal: false, fixedAddress: true } as const;

const azureNatGateway: WayOutLimits = {
  ...managed,
  zonal: true,
  flowsPerAddressAndDestination: 50_000,
  flows: 2_000_000,
  addressesPerGateway: 16,
  bitsPerSecond: 50e9,
  bitsPerSecondEachWay: 25e9,
  packetsPerSecond: 5e6,
  seenIn: "Azure Monitor (ByteCount, SNATConnectionCount); StandardV2 also in NatGatewayFlowlogsV1",
  keeps: "all, within its zone; StandardV2 also when a zone fails",
  // 4 minutes unless set otherwise, up to 120.
  idleSeconds: 7_200,
  source: "https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource#performance",
};

const azureFirewall: WayOutLimits = {
  ...managed,
  // 2,496 ports per address and instance, and at least two instances.
  flowsPerAddressAndDestination: 2 * 2_496,
  // Azure allows 250; the component makes 16.
  addressesPerGateway: 16,
  bitsPerSecond: 30e9,
  seenIn: "Azure Monitor (DataProcessed, SNATPortUtilization) and AZFWNetworkRule logs",
  keeps: "new connections; those of a failed instance are reset",
  // 4 minutes; up to 15 by request.
  idleSeconds: 900,
  source:
    "https://learn.microsoft.com/azure/firewall/firewall-performance, firewall-known-issues (SNAT ports)",
};

/** Limits of each way out, for its usual kind. Null: the cloud has no such way out. */
export const limits = {
  aws: {
    "nat-gateway": {
      ...managed,
      zonal: true,
      flowsPerAddressAndDestination: 55_000,
      // A zonal gateway. A regional one has them, and is billed, by zone; projects report 32 a zone.
      addressesPerGateway: 8,
      addressesUnasked: 2,
      bitsPerSecond: 100e9,
      packetsPerSecond: 10e6,
      seenIn: "CloudWatch (BytesOutToDestination, BytesInFromDestination) and VPC flow logs",
      keeps: "all, within its zone; a regional one also when a zone fails",
      // Fixed.
      idleSeconds: idleTimeoutSeconds.aws,
      source: "https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html",
    },
    "nat-instance": linuxMachine,
    // Zonal as each machine is: traffic from other zones would be charged for crossing.
    "nat-instance-ha": {
      ...linuxMachine,
      singlePoint: false,
      keeps: "all, sessions too: the standby takes address, routes and connections over",
    },
    "fck-nat": linuxMachine,
  },
  azure: {
    "nat-gateway": azureNatGateway,
    "nat-instance": azureMachine,
    "nat-instance-ha": {
      ...azureMachine,
      singlePoint: false,
      zonal: false,
      keeps: "new connections; those behind the failed machine's address are lost",
    },
    "load-balancer": {
      ...managed,
      // Ports are assigned to machines beforehand, eight at a time, for all destinations.
      flowsPerAddressAndDestination: 64_000,
      flowsPerAddress: 64_000,
      portsPerMachine: 64_000,
      ports: "allotted",
      // Azure allows 600; the component makes 16.
      addressesPerGateway: 16,
      seenIn: "Azure Monitor (ByteCount, SnatConnectionCount, UsedSnatPorts)",
      keeps: "all",
      // 4 minutes unless set otherwise, up to 100.
      idleSeconds: 6_000,
      source: "https://learn.microsoft.com/azure/load-balancer/load-balancer-outbound-connections",
    },
    firewall: azureFirewall,
    "default-snat": {
      ...unlessSaid,
      // Ports per machine in a pool of at most 50 machines.
      ports: "own",
      flowsPerAddressAndDestination: 1_024,
      flowsPerAddress: 1_024,
      addressesPerGateway: 1,
      idleSeconds: AZURE_IDLE_SECONDS,
      singlePoint: false,
      zonal: false,
      fixedAddress: false,
      seenIn: "virtual network flow logs",
      keeps: "all, but its address may change",
      source: "https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access",
    },
  },
} satisfies Readonly<Record<PricedCloud, Readonly<Partial<Record<WayOut, WayOutLimits>>>>>;

/** Limits of kinds other than the usual one, by the cloud's name for the kind. */
const kinds: Readonly<Partial<Record<WayOut, Readonly<Record<string, Partial<WayOutLimits>>>>>> = {
  "nat-gateway": {
    StandardV2: {
      zonal: false,
      bitsPerSecond: 100e9,
      bitsPerSecondEachWay: null,
      packetsPerSecond: 10e6,
      connectionBitsPerSecond: 1e9,
    },
  },
  firewall: { Basic: { bitsPerSecond: 250e6 }, Premium: { bitsPerSecond: 100e9 } },
};

/**
 * Limits of one way out of a cloud. Undefined: the cloud does not have it.
 *
 * @param kind SKU or tier, as the cloud names it. @default the usual one, which is `Standard` on Azure
 */
export function limitsOf(
  cloud: PricedCloud,
  out: WayOut,
  kind: string | null = null,
): WayOutLimits | undefined {
  const ofCloud: Readonly<Partial<Record<WayOut, WayOutLimits>>> = limits[cloud];
  const usual = ofCloud[out];
  const own = kind === null ? undefined : kinds[out]?.[kind];
  return usual === undefined || own === undefined ? usual : { ...usual, ...own };
}

/**
 * Ports that a load balancer gives each machine by default: largest pool size, and ports per machine for each public address.
 *
 * Source: https://learn.microsoft.com/azure/load-balancer/load-balancer-outbound-connections#preallocatedports
 */
export const defaultPortAllocation = [
  { machines: 50, ports: 1_024 },
  { machines: 100, ports: 512 },
  { machines: 200, ports: 256 },
  { machines: 400, ports: 128 },
  { machines: 800, ports: 64 },
  { machines: 1_000, ports: 32 },
] as const;
