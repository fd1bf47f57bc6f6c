/**
 * From traffic to advice: what each way out would need and cost, and which to take.
 *
 * @module
 */
import { type Candidate, candidates, machineSizes } from "../report/choice/limits.ts";
import { type Demand, type Need, needOf } from "../report/choice/sizing.ts";
import { type Cost, HOURS_PER_MONTH, type PricedCloud, topologyCost } from "../report/index.ts";
import { demandOf } from "./demand.ts";
import { type Month, type MonthlyTraffic, monthOf } from "./month.ts";
import { notesOn } from "./notes.ts";
import { type PrivateEndpoint, privateEndpointsOf } from "./private-endpoints.ts";
import { type Recommendation, recommend } from "./recommend.ts";
import type { Traffic } from "./traffic.ts";
import type { AdviceOptions, EndpointSaving, Option } from "./types.ts";

/** Version of the advice document. */
const ADVICE_SCHEMA_VERSION = 1;

/** All that advice says. */
export interface Advice {
  readonly schemaVersion: typeof ADVICE_SCHEMA_VERSION;
  readonly madeAt: string;
  readonly cloud: PricedCloud;
  readonly region: string;
  readonly regionFrom: AdviceOptions["regionFrom"];
  readonly pricesFrom: string;
  readonly rangesFrom: string;
  readonly traffic: Traffic;
  readonly month: Month;
  readonly demand: Demand;
  readonly now: { readonly topology: Candidate; readonly need: Need<Candidate>; readonly bill: Cost };
  readonly endpoints: readonly EndpointSaving[];
  /** Endpoints that cost money, for services of the region. */
  readonly privateEndpoints: readonly PrivateEndpoint[];
  readonly options: readonly Option[];
  readonly recommendation: Recommendation;
  /** Notes on these figures. */
  readonly notes: readonly string[];
}

/** @throws {RangeError} when the cloud has no such way out */
export function advise(traffic: Traffic, options: AdviceOptions): Advice {
  const { cloud } = traffic;
  const month = monthOf(traffic, options.region);
  const demand = demandOf(traffic);
  const billFor = billing(cloud, options);
  const needed = candidates[cloud].flatMap((candidate) => needOf(cloud, candidate, demand) ?? []);
  const nowNeed = needed.find(({ candidate }) => candidate === options.now);
  if (nowNeed === undefined) {
    throw new RangeError(`${cloud} has no ${options.now}; expected one of ${candidates[cloud].join(", ")}`);
  }
  const need = asDeployed(nowNeed, traffic);
  const bill = billFor(need, month.all);
  const ways = needed.map((one): Option => {
    const then = billFor(one, month.rest);
    return { candidate: one.candidate, need: one, bill: then, savesUsd: less(bill.totalUsd, then.totalUsd) };
  });
  const natSaves = (part: MonthlyTraffic) =>
    less(bill.totalUsd, billFor(need, subtract(month.all, part)).totalUsd);
  const endpoints = endpointsOf(month, natSaves);
  const now = { topology: options.now, need, bill };
  return {
    schemaVersion: ADVICE_SCHEMA_VERSION,
    madeAt: options.madeAt,
    cloud,
    region: options.region,
    regionFrom: options.regionFrom,
    pricesFrom: `${options.book.origin} of ${options.book.asOf}`,
    rangesFrom: options.ranges,
    traffic,
    month,
    demand,
    now,
    endpoints,
    privateEndpoints: privateEndpointsOf(cloud, month.services, options.book, natSaves),
    options: ways,
    recommendation: recommend({ traffic, demand, now, options: ways, endpoints, measured: options.measured }),
    notes: notesOn(traffic, options, bill),
  };
}

/** Cost of a cloud's way out for some traffic. */
function billing(cloud: Traffic["cloud"], options: AdviceOptions) {
  return ({ addresses, gateways, ...need }: Need, { gbIn, gbOut, gbOutInternet }: MonthlyTraffic) => {
    const usage = { hours: HOURS_PER_MONTH, gbIn, gbOut, gbOutInternet, addresses, gateways };
    return topologyCost(pricedAs(need, cloud, options), usage, options.book);
  };
}

function endpointsOf(
  { all, offloads }: Advice["month"],
  natSaves: (part: MonthlyTraffic) => number | null,
): EndpointSaving[] {
  const total = all.gbIn + all.gbOut;
  return offloads.map((offload) => {
    const share = total === 0 ? 0 : (offload.gbIn + offload.gbOut) / total;
    return { ...offload, share, savesUsd: natSaves(offload) };
  });
}

function less(now: number | null, then: number | null): number | null {
  return now === null || then === null ? null : now - then;
}

function subtract(all: MonthlyTraffic, part: MonthlyTraffic): MonthlyTraffic {
  return {
    gbIn: Math.max(0, all.gbIn - part.gbIn),
    gbOut: Math.max(0, all.gbOut - part.gbOut),
    gbOutInternet: all.gbOutInternet,
  };
}

/** Number of gateways in the log, if it shows any. */
function asDeployed(need: Need<Candidate>, { nats }: Traffic): Need<Candidate> {
  const gateways = nats.length === 0 ? 1 : nats.length;
  return { ...need, gateways, addresses: Math.max(gateways, nats.length === 0 ? 1 : gateways) };
}

function pricedAs(need: Pick<Need, "candidate" | "size">, cloud: PricedCloud, { region }: AdviceOptions) {
  return {
    topology: need.candidate,
    cloud,
    region,
    // Where no machine is large enough, the largest is priced; it is not recommended.
    natSize: need.size ?? machineSizes[cloud].at(-1)?.size ?? "",
  };
}
