/** Estimates a comparison's cost: deployed resources by the hour, and the maximum of its traffic. */
import {
  topologies as allTopologies,
  isPriced,
  type Plan,
  type Topology,
  type TopologyName,
  topologyNamed,
} from "../../bench/index.ts";
import { paysForSurplus } from "../../bench/machines/capacity.ts";
import { awsFamily, machineOf } from "../../bench/machines/index.ts";
import type { PlannedTraffic } from "../../bench/plan/traffic.ts";
import type { PricedTopology } from "../../report/cost/cost.ts";
import {
  type PriceBook,
  type PricedCloud,
  type PricedPlace,
  priceAt,
  priceSnapshots,
} from "../../report/cost/prices.ts";
import { kindMeters, priceDefaults } from "../../report/cost/pricing.ts";
import { usageCost } from "../../report/cost/run-cost.ts";
import { awsInventory } from "../../stacks/aws/inventory.ts";
import { settingsSchema as awsSettings } from "../../stacks/aws/settings.ts";
import { azureInventory } from "../../stacks/azure/inventory.ts";
import { settingsSchema as azureSettings } from "../../stacks/azure/settings.ts";
import type { StackConfig } from "../../stacks/config.ts";
import { casesOf, type Inventory, type InventoryPath } from "../../stacks/inventory.ts";
import { caseSeconds } from "../pulumi/run-steps.ts";
import type { StackFile } from "../pulumi/stack-file.ts";
import { duration } from "../terminal/progress-board.ts";
import { UsageError } from "../usage-error.ts";

/** Expected time and cost of a stack, in seconds and USD. */
export interface StackCost {
  readonly stack: string;
  readonly measuringSeconds: number;
  /** Time from `up` to the first case, plus `destroy`. */
  readonly buildSeconds: number;
  /** USD an hour of all deployed resources with a known price. */
  readonly hourlyUsd: number;
  /** Maximum, over known prices. */
  readonly trafficUsd: number;
  /** USD for the whole run, including deployment, destruction and the maximum traffic. */
  readonly totalUsd: number;
  readonly missing: readonly string[];
  /** Machines that are spot instances, or may be. The price lists have on-demand prices only, so these cost less. */
  readonly spotMachines: number;
}

const LAB_BUILD_SECONDS = 20;

/** @param book Prices of the stack's cloud; a local stack costs nothing and needs none. */
export function stackCost(file: StackFile, plan: Plan, book: PriceBook | null): StackCost {
  const measuringSeconds = casesOf(plan, file.topologies).reduce(
    (sum, one) => sum + plan.pauseSeconds + caseSeconds(one.case),
    0,
  );
  const time = { stack: file.name, measuringSeconds };
  if (book === null) {
    const free = { hourlyUsd: 0, trafficUsd: 0, totalUsd: 0, missing: [], spotMachines: 0 };
    return { ...time, buildSeconds: LAB_BUILD_SECONDS, ...free };
  }
  const inventory = inventories[book.cloud](file, plan);
  const { paths, hosts, addresses, temporaryAddresses } = inventory;
  const { region: standIn } = priceDefaults[book.cloud];
  const at = ({ region = standIn }: Pick<Inventory, "region">): PricedPlace => ({ region, standIn });
  const topologies = paths.map((path) => priced(path, inventory, book.cloud));
  const usage = paths[0]?.usage ?? { hours: 0, gbIn: 0, gbOut: 0 };
  // NAT machines are priced with their topology.
  const machines = hosts
    .filter(({ role }) => role !== "nat")
    .map((host) => ({ ...at(host), size: host.size }));
  const everyAddress = [...addresses, ...temporaryAddresses].map(at);
  const own = usageCost(topologies, machines, usage, book, everyAddress);
  const server = serverTraffic(topologies, usage, book);
  const surplus = paths.map((path) => surplusCredit(path, at(inventory), book));
  const surplusUsd = surplus.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  const hourlyUsd = own.hourlyUsd;
  const trafficUsd = own.trafficUsd + server.trafficUsd;
  const built = Math.max(0, ...topologies.map(({ topology }) => recordOf(topology).buildHours));
  const hours = measuringSeconds / 3600;
  return {
    ...time,
    buildSeconds: built * 3600,
    hourlyUsd,
    trafficUsd,
    totalUsd: hourlyUsd * (hours + built) + trafficUsd + surplusUsd * hours,
    missing: [
      ...new Set([
        ...own.missing,
        ...server.missing,
        ...surplus.flatMap(({ meter, usd }) => (usd === null ? [meter] : [])),
      ]),
    ],
    spotMachines: hosts.filter(({ purchase }) => purchase !== "on demand").length,
  };
}

/** A server's traffic is paid for as that of a client with a public address. */
const SERVER: TopologyName = "direct";

/** The servers' internet traffic: they are the other end of every case. */
function serverTraffic(
  topologies: readonly PricedTopology[],
  { hours, gbIn, gbOut }: PlannedTraffic,
  book: PriceBook,
) {
  const throughInternet = topologies
    .filter(({ topology }) => recordOf(topology).serverSide === "public")
    .map((one) => ({ ...one, topology: SERVER }));
  return usageCost(throughInternet, [], { hours, gbIn: gbOut, gbOut: gbIn }, book);
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

/**
 * USD per hour of a NAT instance at full load, beyond the credits that it earns. Null: no price is known. Of a pair one
 * machine works.
 */
function surplusCredit(
  { topology, natSize, options }: InventoryPath,
  place: PricedPlace,
  book: PriceBook,
): { readonly meter: string; readonly usd: number | null } {
  const machine = recordOf(topology).nat === "instance" ? machineOf(natSize) : null;
  const meter = `surplus-credit-vcpu-hour:${awsFamily(natSize)}`;
  if (!machine?.credits || !paysForSurplus(machine, options.creditMode)) {
    return { meter, usd: 0 };
  }
  const price = priceAt(book, meter, place).price?.tiers[0]?.price;
  const beyond = machine.vcpus * (1 - machine.credits.baselinePercent / 100);
  return { meter, usd: price === undefined ? null : beyond * price };
}

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

export function costLines(costs: readonly StackCost[], book: PriceBook | null): string[] {
  const lines = costs.map(
    ({ stack, measuringSeconds, hourlyUsd, trafficUsd, totalUsd, missing, spotMachines }) => {
      const time = `${stack}: measures for ${duration(measuringSeconds)}`;
      const spot =
        spotMachines === 0
          ? ""
          : `; ${spotMachines} spot ${spotMachines === 1 ? "machine" : "machines"} at the on-demand price: spot costs less`;
      const unknown = `${spot}${missing.length === 0 ? "" : `; no price known: ${missing.join(", ")}`}`;
      return book === null
        ? `${time}; costs nothing`
        : `${time}; ${hourlyUsd.toFixed(2)} USD an hour while deployed, traffic up to ${trafficUsd.toFixed(2)} USD; in all about ${totalUsd.toFixed(2)} USD at most${unknown}`;
    },
  );
  return book === null
    ? lines
    : [
        ...lines,
        `(list prices of ${book.asOf}, and those of ${priceDefaults[book.cloud].region} where the region's own are not known; not counted: disks, data through VPN and ExpressRoute gateways)`,
      ];
}

/** @returns null for a stack of a cloud without prices. @throws {Error} on settings that the stack refuses too */
export function previewCost(config: StackConfig): string | null {
  const { stack, cloud, plan, pairs, settings } = config;
  if (!isPriced(cloud)) {
    return null;
  }
  const topologies = config.topologies.map(({ topology, name, ...options }) => ({
    topology: String(topology),
    name: String(name ?? topology),
    options,
  }));
  const file = { name: stack, cloud, plan, pairs, settings, topologies };
  const book = priceSnapshots[cloud];
  return costLines([stackCost(file, plan, book)], book).join("\n");
}
