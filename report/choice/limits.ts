/**
 * What the ways out of a private subnet can carry, as the clouds publish it (read 2026-11-22).
 *
 * @module
 */
import type { PricedCloud } from "../../bench/topologies/index.ts";

/** The ways out to choose between. `direct` is none: a private subnet is to stay private. */
export const candidates = {
  aws: ["nat-gateway", "nat-instance"],
  azure: ["nat-gateway", "nat-instance", "load-balancer", "firewall"],
} as const satisfies Record<PricedCloud, readonly string[]>;
/** A way out that can be picked, of any cloud. */
export type Candidate = (typeof candidates)[PricedCloud][number];

/** What else carries a private subnet's traffic where it is there: measured and shown, and not proposed unmeasured. */
export type WayOut = Candidate | "default-snat" | "nat-instance-ha";

/** Whether Linux machines of a size translate. */
export function isNatInstance(out: WayOut | null): boolean {
  return out === "nat-instance" || out === "nat-instance-ha";
}

/** The way out that a measured topology is; null: it is none, but a yardstick such as `direct` or a peering. */
export function wayOutOf(topology: string): WayOut | null {
  return wayOuts[topology] ?? null;
}

const wayOuts: Readonly<Record<string, WayOut>> = {
  "nat-gateway": "nat-gateway",
  "nat-instance": "nat-instance",
  "nat-instance-ha": "nat-instance-ha",
  "fck-nat": "nat-instance",
  "load-balancer": "load-balancer",
  firewall: "firewall",
  "default-snat": "default-snat",
};

/** Seconds without a packet after which a NAT of the cloud forgets a flow. */
export const idleTimeoutSeconds = {
  /** NAT gateway, fixed: https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html */
  aws: 350,
  /** NAT gateway, the default of 4 minutes: https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource */
  azure: 240,
} as const satisfies Record<PricedCloud, number>;

/** What one gateway, or instance, and its addresses can take. */
export interface Limits {
  /** Flows at once through one public address to one destination (address, port and protocol). */
  readonly flowsPerAddressAndDestination: number;
  /** Flows at once through one public address to all destinations. Null: as many as there are destinations. */
  readonly flowsPerAddress: number | null;
  readonly addressesPerGateway: number;
  /** Both directions together. Null: a machine's size decides, or the cloud publishes none. */
  readonly bitsPerSecond: number | null;
  /** The longest silence of a TCP connection that it can be set to outlive. */
  readonly idleSeconds: number;
  /** Whether it is one machine, so that nothing gets out while that is down. */
  readonly singlePoint: boolean;
  /** Whether its public addresses are the reader's own, and stay. */
  readonly fixedAddress: boolean;
  /** Where the figures are from. */
  readonly source: string;
}

/** Ports from 1024 to 65535. */
const PORTS_PER_ADDRESS = 64_512;

/** A Linux machine that translates: ports of one address; connection tracking forgets after `nf_conntrack_tcp_timeout_established`. */
const linuxMachine: Limits = {
  flowsPerAddressAndDestination: PORTS_PER_ADDRESS,
  flowsPerAddress: null,
  addressesPerGateway: 1,
  bitsPerSecond: null,
  idleSeconds: 432_000,
  singlePoint: true,
  fixedAddress: true,
  source: "ports 1024 to 65535 of one address; https://docs.kernel.org/networking/nf_conntrack-sysctl.html",
};

/** Two of them, one at a time. */
const linuxPair: Limits = { ...linuxMachine, singlePoint: false };

/** What the cloud runs, more than one machine of it, with addresses of the reader's own. */
const managed = { singlePoint: false, fixedAddress: true } as const;

/** Published limits of each way out. None: no limit of it is published. */
export const limits: Readonly<Record<PricedCloud, Readonly<Partial<Record<WayOut, Limits>>>>> = {
  aws: {
    "nat-gateway": {
      flowsPerAddressAndDestination: 55_000,
      flowsPerAddress: null,
      addressesPerGateway: 8,
      bitsPerSecond: 100e9,
      // Fixed.
      idleSeconds: 350,
      ...managed,
      source: "https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html",
    },
    "nat-instance": linuxMachine,
    "nat-instance-ha": linuxPair,
  },
  azure: {
    "nat-gateway": {
      flowsPerAddressAndDestination: 50_000,
      flowsPerAddress: null,
      addressesPerGateway: 16,
      bitsPerSecond: 50e9,
      // 4 minutes unless set otherwise, up to 120.
      idleSeconds: 7_200,
      ...managed,
      source: "https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource#performance",
    },
    "nat-instance": linuxMachine,
    // Half an hour, of the load balancer before them.
    "nat-instance-ha": { ...linuxPair, idleSeconds: 1_800 },
    "load-balancer": {
      // Ports are given to machines beforehand, eight at a time, whatever they connect to.
      flowsPerAddressAndDestination: 64_000,
      flowsPerAddress: 64_000,
      addressesPerGateway: 600,
      bitsPerSecond: null,
      // 4 minutes unless set otherwise, up to 100.
      idleSeconds: 6_000,
      ...managed,
      source: "https://learn.microsoft.com/azure/load-balancer/load-balancer-outbound-connections",
    },
    firewall: {
      // 2,496 ports an address and instance, of which there are two at least.
      flowsPerAddressAndDestination: 2 * 2_496,
      flowsPerAddress: null,
      addressesPerGateway: 250,
      bitsPerSecond: 30e9,
      // 4 minutes; up to 15 by request.
      idleSeconds: 900,
      ...managed,
      source: "https://learn.microsoft.com/azure/firewall/firewall-known-issues (SNAT port limits)",
    },
    "default-snat": {
      // What a machine gets in a pool of 50 machines at most.
      flowsPerAddressAndDestination: 1_024,
      flowsPerAddress: 1_024,
      addressesPerGateway: 1,
      bitsPerSecond: null,
      idleSeconds: 240,
      singlePoint: false,
      fixedAddress: false,
      source: "https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access",
    },
  },
};

/** A size of NAT machine whose price is known. */
export interface MachineSize {
  readonly size: string;
  /** What it can send all day, bits per second: a NAT sends what both sides send. */
  readonly sustainedBitsPerSecond: number;
  /** What it can send for minutes. */
  readonly burstBitsPerSecond: number;
}

/** Smallest first. The prices' snapshot has all of them. */
export const machineSizes: Readonly<Record<PricedCloud, readonly MachineSize[]>> = {
  // https://docs.aws.amazon.com/ec2/latest/instancetypes/gp.html; instances under 32 vCPU have 5 Gbit/s to the internet
  aws: [
    { size: "t4g.nano", sustainedBitsPerSecond: 0.032e9, burstBitsPerSecond: 5e9 },
    { size: "t4g.micro", sustainedBitsPerSecond: 0.064e9, burstBitsPerSecond: 5e9 },
    { size: "t4g.small", sustainedBitsPerSecond: 0.128e9, burstBitsPerSecond: 5e9 },
    { size: "m7g.xlarge", sustainedBitsPerSecond: 1.876e9, burstBitsPerSecond: 5e9 },
    { size: "c7g.8xlarge", sustainedBitsPerSecond: 7.5e9, burstBitsPerSecond: 7.5e9 },
  ],
  // https://learn.microsoft.com/azure/virtual-machines/sizes
  azure: [
    { size: "Standard_B2ats_v2", sustainedBitsPerSecond: 6.25e9, burstBitsPerSecond: 6.25e9 },
    { size: "Standard_D8ls_v5", sustainedBitsPerSecond: 12.5e9, burstBitsPerSecond: 12.5e9 },
  ],
};

/**
 * Ports that a load balancer gives each machine where nobody sets a number, by the size of the pool: to how many machines,
 * and how many ports for each public address.
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
