/** Scales a log's traffic to a month. */
import { HOURS_PER_MONTH } from "../../../report/index.ts";
import { type EndpointKind, endpoints } from "./endpoints.ts";
import type { Traffic, Volume } from "./traffic.ts";

/** Traffic through a NAT in a month of 730 hours. GB are 10^9 bytes. */
export interface MonthlyTraffic {
  readonly gbOut: number;
  readonly gbIn: number;
  /** The part of `gbOut` charged as internet egress, i.e. without the cloud's own services in the region. */
  readonly gbOutInternet: number;
}

export interface ServiceMonth extends MonthlyTraffic {
  readonly service: string;
  readonly region: string;
}

/** A service's monthly traffic that a free endpoint can take off the NAT. */
export interface Offload extends ServiceMonth {
  readonly kind: EndpointKind<"free">;
}

/** The log's traffic, scaled to a month of 730 hours. */
export interface Month {
  /** Factor from the log's traffic to a month's. */
  readonly factor: number;
  readonly all: MonthlyTraffic;
  /** Services in the deployment's region. */
  readonly services: readonly ServiceMonth[];
  readonly offloads: readonly Offload[];
  /** Traffic left for the NAT once all free endpoints are in place. */
  readonly rest: MonthlyTraffic;
}

/** Each one's share of what its account sends to the internet, among these. */
export function egressShares(
  places: readonly { readonly traffic: Traffic; readonly region: string }[],
): number[] {
  const sent = places.map(({ traffic, region }) => monthOf(traffic, region).all.gbOutInternet);
  return places.map(({ traffic: { cloud, account } }, at) => {
    const all = places.reduce(
      (sum, { traffic }, other) =>
        traffic.cloud === cloud && traffic.account === account ? sum + (sent[other] ?? 0) : sum,
      0,
    );
    return all === 0 ? 1 : (sent[at] ?? 0) / all;
  });
}

/** The traffic that is left once a region's free endpoints are in place; by service and destination all of it stays. */
export function restOf(traffic: Traffic, region: string): Traffic {
  const found = traffic.rest.find((one) => one.region === region);
  if (found === undefined) {
    return traffic;
  }
  const { crossingShare, crossingShareOfOne, region: _, ...rest } = found;
  const zones = traffic.zones && { ...traffic.zones, crossingShare, crossingShareOfOne };
  return { ...traffic, ...rest, zones };
}

/** Minimum log length: one minute of traffic cannot be scaled to a month. */
const LEAST_HOURS = 1 / 60;

/** Scales the log's traffic to a month. @param region The deployment's own */
export function monthOf(traffic: Traffic, region: string): Month {
  const factor = HOURS_PER_MONTH / Math.max(traffic.hours, LEAST_HOURS);
  const gb = (bytes: number) => (bytes * factor) / 1e9;
  const monthly = ({ outBytes, inBytes }: Volume, charged: boolean): MonthlyTraffic => ({
    gbOut: gb(outBytes),
    gbIn: gb(inBytes),
    gbOutInternet: charged ? gb(outBytes) : 0,
  });
  const own = traffic.services.filter((one) => one.service !== null && one.region === region);
  const ownBytes = own.reduce((sum, { outBytes }) => sum + outBytes, 0);
  const all = { ...monthly(traffic.total, true), gbOutInternet: gb(traffic.total.outBytes - ownBytes) };
  const services = own.map(
    (one): ServiceMonth => ({ service: one.service ?? "", region, ...monthly(one, false) }),
  );
  const { kind, services: free } = endpoints[traffic.cloud].free;
  const offloads = services.flatMap((one): Offload[] =>
    free.includes(one.service) ? [{ ...one, kind }] : [],
  );
  const taken = (key: "gbIn" | "gbOut") => offloads.reduce((sum, offload) => sum + offload[key], 0);
  // Rounding can bring a difference of sums below 0.
  const rest = (key: "gbIn" | "gbOut") => Math.max(0, all[key] - taken(key));
  return {
    factor,
    all,
    services,
    offloads,
    rest: { gbIn: rest("gbIn"), gbOut: rest("gbOut"), gbOutInternet: all.gbOutInternet },
  };
}
