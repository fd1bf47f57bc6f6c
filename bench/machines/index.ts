/** Machine sizes: the one table behind burst sums, limits, sizing, documents and prices. */
import { formatBitRate } from "../plan/quantities.ts";
import type { PricedCloud } from "../topologies/clouds.ts";
import { awsMachines, awsMachinesFrom } from "./aws.ts";
import { azureMachines, azureMachinesFrom } from "./azure.ts";
import type { Machine } from "./machine.ts";

export { awsFamily } from "./aws.ts";
export { type Capacity, capacityOf } from "./capacity.ts";
export { type Machine, machineMeter } from "./machine.ts";

/** All known sizes, by cloud. */
export const machines: Readonly<Record<PricedCloud, readonly Machine[]>> = {
  aws: awsMachines,
  azure: azureMachines,
};

/** Where and when each cloud's sizes were read. */
export const machinesFrom: Readonly<Record<PricedCloud, { readonly asOf: string; readonly source: string }>> =
  { aws: awsMachinesFrom, azure: azureMachinesFrom };

/** Size of a NAT instance unless given. */
export const defaultNatSize: Readonly<Record<PricedCloud, string>> = {
  azure: "Standard_B2ats_v2",
  aws: "t4g.micro",
};

/** Default sizes of a benchmark's machines: clients and servers as in the published comparisons, and jump hosts. */
export const defaultBenchSizes: Readonly<
  Record<PricedCloud, Readonly<Record<"client" | "server" | "jump", string>>>
> = {
  azure: { client: "Standard_D8ls_v5", server: "Standard_D8ls_v5", jump: "Standard_B2ats_v2" },
  aws: { client: "c7g.8xlarge", server: "m7g.xlarge", jump: "t4g.nano" },
};

/** Words for a size's published limits in descriptions of options. @throws {RangeError} for a size that the table lacks */
export function limitWords(size: string): { sustains: string; sends: string; cpuShare: string } {
  const { network, credits, vcpus } = knownMachine(size);
  const rate = (bits: number | null) => (bits === null ? "an unpublished rate" : formatBitRate(bits));
  return {
    sustains: rate(network.baselineBitsPerSecond),
    sends: rate(network.peakBitsPerSecond),
    cpuShare: `${credits?.baselinePercent ?? 100} % of its ${vcpus} CPUs`,
  };
}

function knownMachine(size: string): Machine {
  const machine = machineOf(size);
  if (machine === null) {
    throw new RangeError(`bench/machines: expected facts of ${size}; got none`);
  }
  return machine;
}

const bySize = new Map([...awsMachines, ...azureMachines].map((one) => [one.size.toLowerCase(), one]));

/** Facts of a size; upper and lower case are equal. Null: not in the table. */
export function machineOf(size: string): Machine | null {
  return bySize.get(size.toLowerCase()) ?? null;
}

/**
 * Azure sizes outside the table without accelerated networking: series A, sizes of D, DS and F with one vCPU, third-generation
 * D and E with two, DCsv2 and DCsv3.
 *
 * Source: learn.microsoft.com/azure/virtual-network/accelerated-networking-overview and the size pages; dcsv2-series of
 * 2024-07-31 and dcsv3-series of 2026-03-10, read on 2026-11-23.
 */
const slowAzure = [
  /^(Standard|Basic)_A\d/i,
  /^Standard_D[CS]*1s?(_v[23])?$/i,
  /^Standard_F1s?$/i,
  /^Standard_[DE]2s?_v3$/i,
  /^Standard_DC\d+s?_v[23]$/i,
];

/** Whether an Azure size has accelerated networking. Unknown sizes are taken to have it: all new ones do. */
export function hasAcceleratedNetworking(size: string): boolean {
  return machineOf(size)?.acceleratedNetworking ?? !slowAzure.some((pattern) => pattern.test(size));
}
