/** Cost of a run itself: deployed topologies per hour, and the test traffic. */

import { machineMeter } from "../../bench/machines/index.ts";
import type { Case } from "../../bench/plan/plan.ts";
import { type PlannedTraffic, planTraffic } from "../../bench/plan/traffic.ts";
import { ADDRESS_METER } from "../../bench/topologies/charges.ts";
import { type PricedTopology, topologyCost } from "./cost.ts";
import { type PriceBook, type PricedPlace, priceAt } from "./prices.ts";

/** Machines of a stack besides its topologies, such as client and server. */
export interface PricedMachine extends PricedPlace {
  readonly size: string;
}

/** A run's cost: USD per hour while deployed, and the maximum for its traffic. */
export interface RunCost {
  /** USD per hour for everything deployed with a known price. */
  readonly hourlyUsd: number;
  /** Upper bound in USD for the whole plan's traffic over all topologies, over known prices. */
  readonly trafficUsd: number;
  readonly gbIn: number;
  readonly gbOut: number;
  /** Measuring time of the plan over all topologies. */
  readonly hours: number;
  /** Meters without a price. */
  readonly missing: readonly string[];
}

/** Free GB per month in both clouds, assumed to be used up already, so that a run never looks cheaper than it is. */
const FREE_GB = 100;

/**
 * @param ceilingBitsPerSecond Rate that an unlimited case may reach, e.g. the machines' published limit.
 */
export function runCost(
  topologies: readonly PricedTopology[],
  machines: readonly PricedMachine[],
  cases: readonly Case[],
  ceilingBitsPerSecond: number,
  book: PriceBook,
): RunCost {
  return usageCost(topologies, machines, planTraffic(cases, ceilingBitsPerSecond), book);
}

/**
 * Cost for known traffic.
 *
 * @param usage Of each topology.
 * @param addresses All public addresses. Undefined: those that the topologies are charged for.
 */
export function usageCost(
  topologies: readonly PricedTopology[],
  machines: readonly PricedMachine[],
  { gbIn, gbOut, hours }: PlannedTraffic,
  book: PriceBook,
  addresses?: readonly PricedPlace[],
): RunCost {
  const standing = topologies.map((topology) =>
    topologyCost(topology, { hours: 1, gbIn: 0, gbOut: 0 }, book),
  );
  const traffic = topologies.map((topology) => {
    const at = (sent: number, received: number) =>
      topologyCost(topology, { hours: 0, gbIn: received, gbOut: sent }, book).knownCost;
    return at(FREE_GB + gbOut, gbIn) - at(FREE_GB, 0);
  });
  const priced = (meter: string, place: PricedPlace) => ({
    meter,
    usd: priceAt(book, meter, place).price?.tiers[0]?.price ?? null,
  });
  const own = [
    ...machines.map((machine) => priced(machineMeter(machine.size), machine)),
    ...(addresses ?? []).map((address) => priced(ADDRESS_METER, address)),
  ];
  const charged = standing
    .flatMap(({ charges }) => charges)
    .filter(({ kind }) => addresses === undefined || kind !== "address");
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    hourlyUsd: sum(charged.map(({ cost }) => cost ?? 0)) + sum(own.map(({ usd }) => usd ?? 0)),
    trafficUsd: sum(traffic),
    gbIn: gbIn * topologies.length,
    gbOut: gbOut * topologies.length,
    hours: hours * topologies.length,
    missing: [
      ...new Set([
        ...standing.flatMap(({ missing }) => missing),
        ...own.flatMap(({ meter, usd }) => (usd === null ? [meter] : [])),
      ]),
    ],
  };
}
