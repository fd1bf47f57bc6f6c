/** Estimates a comparison's cost: deployed resources by the hour, and the maximum of its traffic. */
import {
  topologies as allTopologies,
  type Plan,
  type Topology,
  type TopologyName,
  topologyNamed,
} from "../../bench/index.ts";
import { machineOf } from "../../bench/machines/index.ts";
import type { PlannedTraffic } from "../../bench/plan/traffic.ts";
import type { PricedTopology } from "../../report/cost/cost.ts";
import { findPrice, type PriceBook, type PricedCloud } from "../../report/cost/prices.ts";
import { kindMeters, priceDefaults } from "../../report/cost/pricing.ts";
import { type PricedMachine, usageCost } from "../../report/cost/run-cost.ts";
import { awsInventory } from "../../stacks/aws/inventory.ts";
import { settingsSchema as awsSettings } from "../../stacks/aws/settings.ts";
import { azureInventory } from "../../stacks/azure/inventory.ts";
import { settingsSchema as azureSettings } from "../../stacks/azure/settings.ts";
import { casesOf, type Inventory, type InventoryPath } from "../../stacks/inventory.ts";
import { caseSeconds } from "../run/run-steps.ts";
import type { StackFile } from "../run/stack-file.ts";
import { duration } from "../terminal/progress-board.ts";
import { UsageError } from "../usage-error.ts";

/** Expected time and cost of a stack, in seconds and USD. */
export interface StackCost {
  readonly stack: string;
  /** Normal measuring time. */
  readonly measuringSeconds: number;
  /** Time from `up` to the first case, plus `destroy`. */
  readonly buildSeconds: number;
  /** USD an hour of all deployed resources with a known price. */
  readonly hourlyUsd: number;
  /** Maximum, over known prices. */
  readonly trafficUsd: number;
  /** USD for the whole run, including deployment, destruction and the maximum traffic. */
  readonly totalUsd: number;
  /** Meters without a price. */
  readonly missing: readonly string[];
}

/** Seconds to create and remove a lab's hosts. */
const LAB_BUILD_SECONDS = 20;

/** @param book Prices of the stack's cloud; a local stack costs nothing and needs none. */
export function stackCost(file: StackFile, plan: Plan, book: PriceBook | null): StackCost {
  const measuringSeconds = casesOf(plan, file.topologies).reduce(
    (sum, one) => sum + plan.pauseSeconds + caseSeconds(one.case),
    0,
  );
  const time = { stack: file.name, measuringSeconds };
  if (book === null) {
    return {
      ...time,
      buildSeconds: LAB_BUILD_SECONDS,
      hourlyUsd: 0,
      trafficUsd: 0,
      totalUsd: 0,
      missing: [],
    };
  }
  const inventory = inventories[book.cloud](file, plan);
  const topologies = inventory.paths.map((path) => priced(path, inventory, book.cloud));
  const usage = inventory.paths[0]?.usage ?? { hours: 0, gbIn: 0, gbOut: 0 };
  const own = usageCost(topologies, machines(inventory, book.cloud), usage, book);
  const server = serverCost(topologies, usage, book, file.pairs);
  const hourlyUsd = own.hourlyUsd + server.hourlyUsd;
  const trafficUsd = own.trafficUsd + server.trafficUsd;
  const built = Math.max(0, ...topologies.map(({ topology }) => recordOf(topology).buildHours));
  const hours = measuringSeconds / 3600;
  return {
    ...time,
    buildSeconds: built * 3600,
    hourlyUsd,
    trafficUsd,
    totalUsd: hourlyUsd * (hours + built) + trafficUsd + surplusCreditUsd(topologies, book) * hours,
    missing: [...new Set([...own.missing, ...server.missing])],
  };
}

/** A server is paid for as a client with a public address. */
const SERVER: TopologyName = "direct";

/** The servers' addresses and internet traffic: they are the other end of every case. */
function serverCost(
  topologies: readonly PricedTopology[],
  { hours, gbIn, gbOut }: PlannedTraffic,
  book: PriceBook,
  pairs: number,
) {
  const throughInternet = topologies
    .filter(({ topology }) => recordOf(topology).serverSide === "public")
    .map((one) => ({ ...one, topology: SERVER }));
  const sent = { hours, gbIn: gbOut, gbOut: gbIn };
  const { trafficUsd, missing } = usageCost(throughInternet, [], sent, book);
  const standing = topologies.slice(0, 1).map((one) => ({ ...one, topology: SERVER, publicIps: pairs }));
  return { trafficUsd, missing, hourlyUsd: usageCost(standing, [], sent, book).hourlyUsd };
}

/** @throws {UsageError} naming the topology; the engine would refuse it too. */
function recordOf(name: string): Topology {
  const record = topologyNamed(name);
  if (record === undefined) {
    const known = Object.keys(allTopologies).join(", ");
    throw new UsageError(`topologies: "${name}" is not a topology; choose one of ${known}`);
  }
  return record;
}

/** Machines and ways out from the stack's file. @throws {z.ZodError} on settings that the engine would refuse too */
export const inventories: Readonly<Record<PricedCloud, (file: StackFile, plan: Plan) => Inventory>> = {
  azure: (file, plan) => azureInventory({ ...file, plan, settings: azureSettings.parse(file.settings) }),
  aws: (file, plan) => ({
    ...awsInventory({ ...file, plan, settings: awsSettings.parse(file.settings) }),
    region: file.region,
  }),
};

/** A way out as in price lists. A region without shipped prices uses the default region's. */
function priced({ topology, options, ...path }: InventoryPath, inventory: Inventory, cloud: PricedCloud) {
  const { region: standIn } = priceDefaults[cloud];
  const { region = standIn, serverRegion = region } = inventory;
  const { natSize, publicIps, gateways, moreAddresses } = path;
  const record = recordOf(topology);
  return {
    ...{ topology, cloud, region, standIn, natSize, publicIps, gateways },
    // Tests pay internet prices if the server is in another region.
    sentTo: serverRegion === region ? ("region" as const) : ("internet" as const),
    moreAddresses: moreAddresses.client + moreAddresses.server,
    kinds: kindMeters(record, options[record.kinds?.option ?? ""]),
  };
}

/** Clients, servers and jump hosts; NAT machines are priced with their topology. */
function machines({ hosts, region }: Inventory, cloud: PricedCloud): PricedMachine[] {
  const { region: standIn } = priceDefaults[cloud];
  const own = hosts.filter(({ role }) => role !== "nat");
  return own.map(({ size }) => ({ size, region: region ?? standIn, standIn }));
}

/**
 * USD per hour of NAT instances at full load, beyond the credits that they earn. T4g instances are `unlimited` unless
 * the account says otherwise; this is their price.
 */
function surplusCreditUsd(topologies: readonly PricedTopology[], book: PriceBook): number {
  return topologies
    .filter(({ topology }) => recordOf(topology).nat === "instance")
    .map(({ natSize, region }) => {
      const machine = natSize.startsWith("t4g.") ? machineOf(natSize) : null;
      const price = findPrice(book, "surplus-credit-vcpu-hour", region)?.tiers[0]?.price ?? 0;
      const beyond =
        machine === null ? 0 : machine.vcpus * (1 - (machine.credits?.baselinePercent ?? 100) / 100);
      return beyond * price;
    })
    .reduce((sum, usd) => sum + usd, 0);
}

/** Threshold from which a person is asked. */
const ASK_FROM = { usd: 10, seconds: 2 * 3600 };

/** Reason for asking for consent; null: not needed. */
export function whyAsk(costs: readonly StackCost[]): string | null {
  const usd = costs.reduce((sum, { totalUsd }) => sum + totalUsd, 0);
  const longest = Math.max(0, ...costs.map(({ measuringSeconds }) => measuringSeconds));
  const missing = costs.flatMap((cost) => cost.missing);
  const reasons = [
    ...(usd > ASK_FROM.usd ? [`it may cost ${usd.toFixed(2)} USD`] : []),
    ...(longest > ASK_FROM.seconds ? [`it measures for ${duration(longest)}`] : []),
    ...(missing.length > 0 ? ["not all of its prices are known"] : []),
  ];
  return reasons.length === 0 ? null : reasons.join(", and ");
}

/** One line per stack. */
export function costLines(costs: readonly StackCost[], book: PriceBook | null): string[] {
  const lines = costs.map(({ stack, measuringSeconds, hourlyUsd, trafficUsd, totalUsd, missing }) => {
    const time = `${stack}: measures for ${duration(measuringSeconds)}`;
    const unknown = missing.length === 0 ? "" : `; no price known: ${missing.join(", ")}`;
    return book === null
      ? `${time}; costs nothing`
      : `${time}; ${hourlyUsd.toFixed(2)} USD an hour while deployed, traffic up to ${trafficUsd.toFixed(2)} USD; in all about ${totalUsd.toFixed(2)} USD at most${unknown}`;
  });
  return book === null
    ? lines
    : [
        ...lines,
        `(list prices of ${book.asOf}, and those of ${priceDefaults[book.cloud].region} where the region's own are not known; not counted: disks, addresses of jump hosts, data through VPN and ExpressRoute gateways)`,
      ];
}
