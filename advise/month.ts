/** From what a log covers to a month. */
import { HOURS_PER_MONTH } from "../report/index.ts";
import { type EndpointKind, endpointOf } from "./endpoints.ts";
import type { Traffic, Volume } from "./traffic.ts";

/** Traffic of a month of 730 hours that goes through a NAT. GB are 10^9 bytes. */
export interface MonthlyTraffic {
  readonly gbOut: number;
  readonly gbIn: number;
  /** The part of `gbOut` that the cloud charges as internet egress: not what its own services of the region get. */
  readonly gbOutInternet: number;
}

/** Traffic to a service of the reader's own region in a month. */
export interface ServiceMonth extends MonthlyTraffic {
  readonly service: string;
  readonly region: string;
}

/** A service's part of the month that another way can take off the NAT at no charge. */
interface Offload extends ServiceMonth {
  readonly kind: EndpointKind;
}

/** The log's traffic, scaled to a month of 730 hours. */
export interface Month {
  /** The log's traffic times this is a month's. */
  readonly factor: number;
  readonly all: MonthlyTraffic;
  /** The services of the reader's own region. */
  readonly services: readonly ServiceMonth[];
  readonly offloads: readonly Offload[];
  /** Traffic left for the NAT once all free endpoints are in place. */
  readonly rest: MonthlyTraffic;
}

/** A log that covers less is taken to cover this: one minute of traffic makes no month. */
const LEAST_HOURS = 1 / 60;

/** A month made of the log's traffic. @param region The reader's own */
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
  const offloads = services.flatMap((one): Offload[] => {
    const kind = endpointOf(traffic.cloud, one.service);
    return kind === null ? [] : [{ ...one, kind }];
  });
  const taken = (key: "gbIn" | "gbOut") => offloads.reduce((sum, offload) => sum + offload[key], 0);
  // A difference of sums may miss 0 by a hair.
  const rest = (key: "gbIn" | "gbOut") => Math.max(0, all[key] - taken(key));
  return {
    factor,
    all,
    services,
    offloads,
    rest: { gbIn: rest("gbIn"), gbOut: rest("gbOut"), gbOutInternet: all.gbOutInternet },
  };
}
