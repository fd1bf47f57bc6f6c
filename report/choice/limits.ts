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
export type Candidate = (typeof candidates)[PricedCloud][number];

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
  /** Both directions together. Null: a machine's size decides. */
  readonly bitsPerSecond: number | null;
  /** Where the figures are from. */
  readonly source: string;
}

/** Ports from 1024 to 65535. */
const PORTS_PER_ADDRESS = 64_512;

export const limits: Readonly<Record<PricedCloud, Readonly<Partial<Record<Candidate, Limits>>>>> = {
  aws: {
    "nat-gateway": {
      flowsPerAddressAndDestination: 55_000,
      flowsPerAddress: null,
      addressesPerGateway: 8,
      bitsPerSecond: 100e9,
      source: "https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html",
    },
    "nat-instance": {
      flowsPerAddressAndDestination: PORTS_PER_ADDRESS,
      flowsPerAddress: null,
      addressesPerGateway: 1,
      bitsPerSecond: null,
      source: "ports 1024 to 65535 of one address",
    },
  },
  azure: {
    "nat-gateway": {
      flowsPerAddressAndDestination: 50_000,
      flowsPerAddress: null,
      addressesPerGateway: 16,
      bitsPerSecond: 50e9,
      source: "https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource#performance",
    },
    "nat-instance": {
      flowsPerAddressAndDestination: PORTS_PER_ADDRESS,
      flowsPerAddress: null,
      addressesPerGateway: 1,
      bitsPerSecond: null,
      source: "ports 1024 to 65535 of one address",
    },
    "load-balancer": {
      // Ports are given to machines beforehand, eight at a time, whatever they connect to.
      flowsPerAddressAndDestination: 64_000,
      flowsPerAddress: 64_000,
      addressesPerGateway: 600,
      bitsPerSecond: null,
      source: "https://learn.microsoft.com/azure/load-balancer/load-balancer-outbound-connections",
    },
    firewall: {
      // 2,496 ports an address and instance, of which there are two at least.
      flowsPerAddressAndDestination: 2 * 2_496,
      flowsPerAddress: null,
      addressesPerGateway: 250,
      bitsPerSecond: 30e9,
      source: "https://learn.microsoft.com/azure/firewall/firewall-known-issues (SNAT port limits)",
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
