/**
 * How many ports, addresses and gateways a way out needs for some traffic.
 *
 * @module
 */
import type { PricedCloud } from "../../bench/topologies/index.ts";
import { count } from "../text/format.ts";
import { isNatInstance, type Limits, limits, type MachineSize, machineSizes, type WayOut } from "./limits.ts";

/** What decides it, at its highest. */
export interface Demand {
  /** At once to the busiest destination; null: the log does not tell. */
  readonly flowsToOneDestination: number | null;
  /** At once to all destinations. */
  readonly flows: number | null;
  /** At once from one client to one destination. */
  readonly flowsOfOneClient: number | null;
  /** Private addresses that open flows. */
  readonly clients: number | null;
  /** Bits per second of the busiest minute, both directions together. */
  readonly peakBitsPerSecond: number;
  /** Bits per second of the busiest hour, both directions together. */
  readonly busyBitsPerSecond: number;
}

/** Ports, addresses and gateways that the traffic takes. */
export interface Need<Way extends WayOut = WayOut> {
  readonly candidate: Way;
  /** Ports to the destination that has most; for a load balancer, given to all clients. Null: the log does not tell. */
  readonly ports: number | null;
  readonly addresses: number;
  readonly gateways: number;
  /** The machine's size, for a NAT instance. */
  readonly size: string | null;
  /** How the counts come about, with their figures. */
  readonly formula: string;
  /** Why it cannot carry the traffic; null: it can. */
  readonly tooSmall: string | null;
}

/** A load balancer gives ports by eights. */
const PORT_STEP = 8;

const digits = (value: number) => count(Math.round(value));

/** What is known of a way out beside what its cloud publishes. */
export interface Known {
  /** The NAT instance's size. @default the smallest that carries the demand */
  readonly size?: string;
  /** Flows at once to one destination through one address, where a probe came to their end. @default as published */
  readonly flowsPerAddress?: number;
  /** What it lets one connection carry, both directions together. @default no such limit */
  readonly connectionBitsPerSecond?: number;
}

/** What one way out needs. Null: the cloud has no such way out. */
export function needOf<Way extends WayOut>(
  cloud: PricedCloud,
  candidate: Way,
  demand: Demand,
  known: Known = {},
): Need<Way> | null {
  const published = limits[cloud][candidate];
  if (published === undefined) {
    return null;
  }
  const { flowsPerAddress = published.flowsPerAddressAndDestination } = known;
  const limit = {
    ...published,
    flowsPerAddressAndDestination: Math.max(
      1,
      Math.min(flowsPerAddress, published.flowsPerAddressAndDestination),
    ),
  };
  const ports = portsOf(candidate, demand);
  const perAddress = limit.flowsPerAddressAndDestination;
  const addresses = Math.max(1, Math.ceil((ports ?? 0) / perAddress));
  const forRate =
    limit.bitsPerSecond === null ? 1 : Math.ceil(demand.peakBitsPerSecond / limit.bitsPerSecond);
  const gateways = Math.max(1, Math.ceil(addresses / limit.addressesPerGateway), forRate);
  const machine = isNatInstance(candidate) ? machineFor(cloud, demand, known.size) : null;
  return {
    candidate,
    ports,
    // Each gateway has an address of its own at least.
    addresses: Math.max(addresses, gateways),
    gateways,
    size: known.size ?? machine?.size ?? null,
    formula: formulaOf(ports, perAddress, addresses, limit, gateways),
    tooSmall: fewConnections(demand, known) ?? tooSmall(cloud, limit, addresses, machine, demand, known.size),
  };
}

function portsOf(
  candidate: WayOut,
  { flowsToOneDestination, flowsOfOneClient, clients }: Demand,
): number | null {
  if (candidate === "default-snat") {
    // Each machine has ports of its own.
    return flowsOfOneClient;
  }
  if (candidate !== "load-balancer") {
    return flowsToOneDestination;
  }
  // Each client has the same number of ports, and a port serves one flow to a destination.
  return flowsOfOneClient === null || clients === null
    ? null
    : clients * Math.max(PORT_STEP, Math.ceil(flowsOfOneClient / PORT_STEP) * PORT_STEP);
}

/**
 * The smallest machine that carries the busiest hour all day, and the busiest minute; of one size, where that is given.
 * Undefined: none. Null: what machines of that size carry is not known here.
 */
function machineFor(cloud: PricedCloud, demand: Demand, size?: string): MachineSize | undefined | null {
  const sizes = machineSizes[cloud].filter((one) => size === undefined || one.size === size);
  return sizes.length === 0
    ? null
    : sizes.find(
        ({ sustainedBitsPerSecond, burstBitsPerSecond }) =>
          demand.busyBitsPerSecond <= sustainedBitsPerSecond &&
          demand.peakBitsPerSecond <= burstBitsPerSecond,
      );
}

/** Why so many connections cannot carry the peak; null: they can, or nobody said how many there are. */
function fewConnections(
  { flows, peakBitsPerSecond }: Demand,
  { connectionBitsPerSecond: each }: Known,
): string | null {
  if (each === undefined || flows === null || flows * each >= peakBitsPerSecond) {
    return null;
  }
  const least = Math.ceil(peakBitsPerSecond / each);
  return `it lets one connection carry ${digits(each / 1e6)} Mbit/s: ${digits(flows)} cannot carry ${digits(peakBitsPerSecond / 1e6)} Mbit/s, which takes ${digits(least)}`;
}

function tooSmall(
  cloud: PricedCloud,
  { addressesPerGateway, flowsPerAddressAndDestination }: Limits,
  addresses: number,
  machine: MachineSize | null | undefined,
  { peakBitsPerSecond }: Demand,
  size?: string,
): string | null {
  if (machine === undefined) {
    const which = size ?? `the largest machine with a known price, ${machineSizes[cloud].at(-1)?.size},`;
    return `its busiest hour or minute (${digits(peakBitsPerSecond / 1e6)} Mbit/s) is more than ${which} carries`;
  }
  // What cannot be made many of has the addresses that it has.
  return addressesPerGateway === 1 && addresses > 1
    ? `one address has ${digits(flowsPerAddressAndDestination)} ports to a destination, and ${digits(addresses)} would be needed`
    : null;
}

function formulaOf(
  ports: number | null,
  perAddress: number,
  addresses: number,
  { addressesPerGateway, bitsPerSecond }: Limits,
  gateways: number,
): string {
  const counted =
    ports === null
      ? "ports not known: one address"
      : `${digits(ports)} ports / ${digits(perAddress)} an address, rounded up: ${digits(addresses)}`;
  const rate = bitsPerSecond === null ? "" : `, ${digits(bitsPerSecond / 1e9)} Gbit/s`;
  return `${counted}; ${digits(addressesPerGateway)} ${addressesPerGateway === 1 ? "address" : "addresses"}${rate} a gateway: ${digits(gateways)}`;
}
