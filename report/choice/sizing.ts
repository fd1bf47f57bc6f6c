/** Sizes a way out for traffic: ports, addresses, gateways, and the machine. */
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { isNatInstance, limitsOf, type WayOut, type WayOutLimits } from "../../bench/topologies/limits.ts";
import type { PricedCloud } from "../cost/prices.ts";
import { count, counted } from "../text/format.ts";
import { isEnough, machineCapacity, mayCarry } from "./capacity.ts";
import type { Demand, NatMachine, Sizing } from "./demand.ts";

/** A load balancer assigns ports in steps of eight. */
const PORT_STEP = 8;

const digits = (value: number) => count(Math.round(value));
const mbit = (rate: number) => `${digits(rate / 1e6)} Mbit/s`;

/** Facts of a way out besides its cloud's published limits. */
export interface Known {
  /** SKU or tier. @default the usual one */
  readonly kind?: string | null;
  /** The NAT instance's machine. @default the cheapest of `machines` that carries the demand */
  readonly machine?: NatMachine;
  /** The sizes to choose from. @default none */
  readonly machines?: readonly NatMachine[];
  /** Region whose prices decide between sizes. @default "" */
  readonly region?: string;
  /** Concurrent flows to one destination per address, if a probe found the maximum. @default as published */
  readonly flowsPerAddress?: number;
  /** Measured capacity, for both directions. @default not measured */
  readonly measuredBitsPerSecond?: number;
  /** Limit of one connection, both directions together. @default as published */
  readonly connectionBitsPerSecond?: number;
}

/** The size that one way out needs. Null: the cloud has no such way out. */
export function sizingOf<Way extends WayOut>(
  cloud: PricedCloud,
  candidate: Way,
  demand: Demand,
  known: Known = {},
): Sizing<Way> | null {
  const published = limitsOf(cloud, candidate, known.kind);
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
  const ports = portsOf(published, demand);
  const addresses = Math.max(1, Math.ceil((ports ?? 0) / limit.flowsPerAddressAndDestination));
  const gateways = Math.max(
    limit.zonal ? demand.zones : 1,
    Math.ceil(addresses / limit.addressesPerGateway),
    ...gatewaysFor(limit, demand),
  );
  const machine = isNatInstance(candidate) ? machineFor(demand, known) : null;
  return {
    candidate,
    ports,
    // Each gateway has at least one address of its own.
    addresses: Math.max(addresses, gateways),
    gateways,
    size: known.machine?.size ?? machine?.size ?? null,
    unpriced: machine === null ? null : (unpricedFor(demand, known, machine)?.size ?? null),
    formula: formulaOf(isNatInstance(candidate) ? "machine" : "gateway", ports, addresses, limit, gateways),
    tooSmall:
      fewConnections(demand, known.connectionBitsPerSecond ?? published.connectionBitsPerSecond) ??
      tooFew(candidate, limit, addresses, demand, known.machine) ??
      (isNatInstance(candidate) ? machineTooSmall(cloud, demand, known, machine) : null),
  };
}

function portsOf(
  { ports }: WayOutLimits,
  { flowsToOneDestination, flowsOfOneClient, clients }: Demand,
): number | null {
  if (ports === "own") {
    return flowsOfOneClient;
  }
  if (ports === "pool") {
    return flowsToOneDestination;
  }
  // Each client has the same number of ports, and a port serves one flow per destination.
  return flowsOfOneClient === null || clients === null
    ? null
    : clients * Math.max(PORT_STEP, Math.ceil(flowsOfOneClient / PORT_STEP) * PORT_STEP);
}

/** Gateways needed for the rate of both directions, for the busier direction's, for all connections and for packets. */
function gatewaysFor(limit: WayOutLimits, demand: Demand): number[] {
  const { bitsPerSecond, bitsPerSecondEachWay, flows, packetsPerSecond } = limit;
  const parts = (wanted: number | null, each: number | null) =>
    wanted === null || each === null ? [] : [Math.ceil(wanted / each)];
  return [
    ...parts(demand.peakBitsPerSecond, bitsPerSecond),
    ...parts(demand.peakOneWayBitsPerSecond, bitsPerSecondEachWay),
    ...parts(demand.flows, flows),
    ...parts(demand.packetsPerSecond ?? null, packetsPerSecond),
  ];
}

/** Whether a size carries the busiest hour all month, the busiest minute, and the longest silence. */
function carries(machine: NatMachine, demand: Demand): boolean {
  return (
    demand.busyBitsPerSecond <= (machine.sustainedBitsPerSecond ?? 0) &&
    demand.peakBitsPerSecond <= (machine.peakBitsPerSecond ?? 0) &&
    (demand.flows ?? 0) <= (machine.connections ?? Number.MAX_VALUE) &&
    (demand.idleSeconds ?? 0) <= (machine.trackedTcpSeconds ?? Number.MAX_VALUE)
  );
}

/** Bits per second that a machine can send for minutes; Infinity if not known. */
export function mostOf(
  cloud: PricedCloud,
  { peakBitsPerSecond }: Pick<NatMachine, "peakBitsPerSecond">,
  measured: number,
): number {
  const peak = peakBitsPerSecond ?? Number.POSITIVE_INFINITY;
  return cloudRecords[cloud].holdsToRate ? peak : Math.max(peak, measured);
}

/**
 * The cheapest size that carries the demand. Sizes with a price come before those without, sizes with enough evidence before those
 * that need a test, and these before those that would carry less by what is known.
 */
function machineFor(demand: Demand, { machine, machines = [], region = "" }: Known): NatMachine | null {
  const price = ({ prices }: NatMachine) => prices[region]?.anHour ?? Number.MAX_VALUE;
  const held = ({ sustainedBitsPerSecond }: NatMachine) => sustainedBitsPerSecond ?? 0;
  const doubt = (one: NatMachine) => {
    const capacity = machineCapacity(one);
    return !(region in one.prices) ? 3 : isEnough(capacity, demand) ? 0 : mayCarry(capacity, demand) ? 1 : 2;
  };
  if (machine !== undefined) {
    return machine;
  }
  // Not sorted: a page runs this hundreds of times per change of an input.
  let best: NatMachine | null = null;
  for (const one of machines) {
    if (!carries(one, demand)) {
      continue;
    }
    const less: number =
      best === null ? -1 : doubt(one) - doubt(best) || price(one) - price(best) || held(one) - held(best);
    best = less < 0 ? one : best;
  }
  return best;
}

/** The size without a price here that is cheaper than the chosen one wherever both have a price. */
function unpricedFor(
  demand: Demand,
  { machines = [], region = "" }: Known,
  chosen: NatMachine,
): NatMachine | undefined {
  const isCheaper = ({ prices }: NatMachine) => {
    const elsewhere = Object.entries(prices).filter(([name]) => name in chosen.prices);
    return (
      elsewhere.length > 0 &&
      elsewhere.every(([name, { anHour }]) => anHour < (chosen.prices[name]?.anHour ?? 0))
    );
  };
  return region in chosen.prices
    ? machines.find((one) => !(region in one.prices) && carries(one, demand) && isCheaper(one))
    : undefined;
}

/** Why no machine, or not this one, carries the rate; null: it does, or its capacity is not known. */
function machineTooSmall(
  cloud: PricedCloud,
  { peakBitsPerSecond, busyBitsPerSecond, idleSeconds }: Demand,
  { machine, machines = [], measuredBitsPerSecond = 0 }: Known,
  chosen: NatMachine | null,
): string | null {
  if (machine === undefined) {
    const largest = machines.toSorted(
      (a, b) => (b.sustainedBitsPerSecond ?? 0) - (a.sustainedBitsPerSecond ?? 0) || b.vcpus - a.vcpus,
    )[0];
    return chosen !== null || largest === undefined
      ? null
      : `its busiest hour or minute (${mbit(peakBitsPerSecond)}) is more than the largest machine, ${largest.size}, carries${idleSeconds === null ? "" : ", or its silences are too long"}`;
  }
  const { size, sustainedBitsPerSecond: sustained } = machine;
  const most = mostOf(cloud, machine, measuredBitsPerSecond);
  if (sustained !== null && busyBitsPerSecond > sustained) {
    return `its busiest hour (${mbit(busyBitsPerSecond)}) is more than ${size} holds (${mbit(sustained)})`;
  }
  return peakBitsPerSecond > most
    ? `its busiest minute (${mbit(peakBitsPerSecond)}) is more than ${size} carries (${mbit(most)})`
    : null;
}

/** Why the connections are too few to carry the peak; null: they suffice, or their number is not known. */
function fewConnections({ flows, peakBitsPerSecond }: Demand, each: number | null): string | null {
  if (each === null || flows === null || flows * each >= peakBitsPerSecond) {
    return null;
  }
  const least = Math.ceil(peakBitsPerSecond / each);
  return `it lets one connection carry ${mbit(each)}: ${digits(flows)} cannot carry ${mbit(peakBitsPerSecond)}, which takes ${digits(least)}`;
}

/** Limits of a way out that cannot be multiplied: addresses, ports and connections. */
function tooFew(
  candidate: WayOut,
  { addressesPerGateway, flowsPerAddressAndDestination, portsPerMachine, flows }: WayOutLimits,
  addresses: number,
  demand: Demand,
  machine: NatMachine | undefined,
): string | null {
  if (addressesPerGateway === 1 && addresses > 1) {
    return `one address has ${digits(flowsPerAddressAndDestination)} ports to a destination, and ${digits(addresses)} would be needed`;
  }
  if (portsPerMachine !== null && (demand.flowsOfOneClient ?? 0) > portsPerMachine) {
    return `a machine can have ${digits(portsPerMachine)} ports, and ${digits(demand.flowsOfOneClient ?? 0)} would be needed`;
  }
  const held = Math.min(flows ?? Number.MAX_VALUE, machine?.connections ?? Number.MAX_VALUE);
  return isNatInstance(candidate) && (demand.flows ?? 0) > held
    ? `a machine can hold ${digits(held)} connections, and ${digits(demand.flows ?? 0)} would be needed`
    : null;
}

function formulaOf(
  unit: "gateway" | "machine",
  ports: number | null,
  addresses: number,
  limit: WayOutLimits,
  gateways: number,
): string {
  const { addressesPerGateway: most, addressesUnasked, bitsPerSecond, bitsPerSecondEachWay: eachWay } = limit;
  const needed = counted(addresses, "address", "addresses");
  const addressing =
    ports === null
      ? `connections not given: ${needed}`
      : `${counted(ports, "port")} at up to ${digits(limit.flowsPerAddressAndDestination)} per address: ${needed}`;
  const ways = eachWay === null ? "" : ` (${digits(eachWay / 1e9)} each way)`;
  const rate = bitsPerSecond === null ? "" : ` and ${count(bitsPerSecond / 1e9)} Gbit/s${ways}`;
  const asked =
    addressesUnasked === null || addresses <= addressesUnasked
      ? ""
      : `; more than ${digits(addressesUnasked)} must be asked for (a quota)`;
  return `${addressing}; up to ${counted(most, "address", "addresses")}${rate} per ${unit}: ${counted(gateways, unit)}${asked}`;
}
