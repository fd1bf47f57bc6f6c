/**
 * What a comparison costs before it starts: what is deployed by the hour, and what its traffic may add.
 *
 * @module
 */
import {
  topologies as allTopologies,
  type Case,
  type Plan,
  type Topology,
  topologyNamed,
} from "../../bench/index.ts";
import {
  type PriceBook,
  type PricedCloud,
  type PricedMachine,
  type PricedTopology,
  priceDefaults,
  runCost,
} from "../../report/index.ts";
import { settingsSchema as awsSettings } from "../../stacks/aws/settings.ts";
import { settingsSchema as azureSettings } from "../../stacks/azure/settings.ts";
import { caseSeconds } from "../run/run-steps.ts";
import type { StackFile, TopologyOfFile } from "../run/stack-file.ts";
import { duration } from "../terminal/progress-board.ts";
import { UsageError } from "../usage-error.ts";

export interface StackCost {
  readonly stack: string;
  /** Measuring time, when all goes well. */
  readonly measuringSeconds: number;
  /** Of everything deployed whose price is known. */
  readonly hourlyUsd: number;
  /** At most, of the known prices. */
  readonly trafficUsd: number;
  /** Of the whole run, building and taking down included; at most as far as traffic goes. */
  readonly totalUsd: number;
  /** Meters without a price. */
  readonly missing: readonly string[];
}

/**
 * Bits a second that a case without a rate of its own is taken to reach: the most that the clouds publish for the
 * clients of the comparisons, Standard_D8ls_v5 and c7g.8xlarge.
 */
const CEILING: Readonly<Record<PricedCloud, number>> = { azure: 12.5e9, aws: 15e9 };

/** @param book Prices of the stack's cloud; a local stack costs nothing and needs none. */
export function stackCost(file: StackFile, plan: Plan, book: PriceBook | null): StackCost {
  const cases = Array.from({ length: plan.repeat.most }, () => plan.cases).flat();
  const measuringSeconds =
    cases.reduce((sum, one) => sum + plan.pauseSeconds + caseSeconds(one), 0) * file.topologies.length;
  const time = { stack: file.name, measuringSeconds };
  if (book === null) {
    return { ...time, hourlyUsd: 0, trafficUsd: 0, totalUsd: 0, missing: [] };
  }
  const topologies = file.topologies.map((one) => priced(one, book.cloud, file.pairs));
  const own = runCost(topologies, machines(file, book.cloud), cases, CEILING[book.cloud], book);
  const server = serverCost(topologies, cases, book, file.pairs);
  const hourlyUsd = own.hourlyUsd + server.hourlyUsd;
  const trafficUsd = own.trafficUsd + server.trafficUsd;
  const built = Math.max(0, ...topologies.map(({ topology }) => recordOf(topology).buildHours));
  return {
    ...time,
    hourlyUsd,
    trafficUsd,
    totalUsd: hourlyUsd * (measuringSeconds / 3600 + built) + trafficUsd,
    missing: [...new Set([...own.missing, ...server.missing])],
  };
}

/** The servers' addresses, and what they send to the internet: they are the other end of every case. */
function serverCost(
  topologies: readonly PricedTopology[],
  cases: readonly Case[],
  book: PriceBook,
  pairs: number,
) {
  const turned = cases.map(turn);
  const throughInternet = topologies
    .filter(({ topology }) => recordOf(topology).serverSide === "public")
    .map((one) => ({ ...one, topology: "direct" }));
  const { trafficUsd, missing } = runCost(throughInternet, [], turned, CEILING[book.cloud], book);
  const standing = topologies.slice(0, 1).map((one) => ({ ...one, topology: "direct", publicIps: pairs }));
  return { trafficUsd, missing, hourlyUsd: runCost(standing, [], [], 0, book).hourlyUsd };
}

/** @throws {UsageError} that names the topology; the engine would refuse it too. */
function recordOf(name: string): Topology {
  const record = topologyNamed(name);
  if (record === undefined) {
    const known = Object.keys(allTopologies).join(", ");
    throw new UsageError(`topologies: "${name}" is no topology; choose one of ${known}`);
  }
  return record;
}

/** Prices are those of the default region, the only one whose prices ship. */
function priced({ topology, options }: TopologyOfFile, cloud: PricedCloud, pairs: number): PricedTopology {
  const { region, natSize } = priceDefaults[cloud];
  const size = options.size ?? options.instanceType ?? natSize;
  const shared = Number(options.publicIpCount ?? 1);
  // Each client has an address of its own where it needs no NAT.
  const publicIps = topology === "direct" ? pairs : shared;
  return { topology, cloud, region, natSize: String(size), publicIps };
}

/** Clients, servers and jump hosts. */
function machines({ topologies, settings, pairs }: StackFile, cloud: PricedCloud): PricedMachine[] {
  const { region } = priceDefaults[cloud];
  const sizes = sizesOf(settings, cloud);
  const kinds = topologies.map(({ topology }) => recordOf(topology));
  const hidden = kinds.filter(({ jumpHost }) => jumpHost).length;
  const ownServers = kinds.filter(({ ownServer }) => ownServer).length;
  const servers = ownServers + (ownServers < kinds.length ? 1 : 0);
  const jumps = cloud === "aws" ? Math.min(hidden, 1) : hidden;
  const all = [
    ...Array.from({ length: kinds.length * pairs }, () => sizes.client),
    ...Array.from({ length: servers * pairs }, () => sizes.server),
    ...Array.from({ length: jumps }, () => sizes.jump),
  ];
  return all.map((size) => ({ size, region }));
}

/** @throws {z.ZodError} on settings that the engine would refuse too */
function sizesOf(settings: unknown, cloud: PricedCloud) {
  if (cloud === "azure") {
    const { clientSize, serverSize, jumpSize } = azureSettings.parse(settings);
    return { client: clientSize, server: serverSize, jump: jumpSize };
  }
  const { clientInstanceType, serverInstanceType, jumpInstanceType } = awsSettings.parse(settings);
  return { client: clientInstanceType, server: serverInstanceType, jump: jumpInstanceType };
}

/** From here on a person is asked. */
const ASK_FROM = { usd: 10, seconds: 2 * 3600 };

/** Why a person must agree first; null when there is no need. */
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

/** A line a stack. */
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
        `(list prices of ${priceDefaults[book.cloud].region} of ${book.asOf}; not counted: disks, addresses of jump hosts, data through VPN and ExpressRoute gateways)`,
      ];
}

/** A case as the server sees it. */
function turn(one: Case): Case {
  const other = (direction: Case["direction"]) => (direction === "egress" ? "ingress" : "egress");
  const turned = { ...one, direction: other(one.direction) } as Case;
  return "load" in turned && turned.load !== null
    ? { ...turned, load: { ...turned.load, direction: other(turned.load.direction) } }
    : turned;
}
