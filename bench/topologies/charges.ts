/** Building blocks of topologies' charges. */
import type { ChargeRule } from "./topology.ts";

/** A managed service, per hour of existence. */
export function service(meter: string, count = 1): ChargeRule {
  return { kind: "service", meter, per: "hour", count };
}

/** Data through a service, in either direction, charged at a number of sides. */
export function data(meter: string, sides = 1): ChargeRule {
  return { kind: "data", meter, per: "gb", count: sides };
}

export const ADDRESS_METER = "public-ip-hour";

/** Public addresses: the topology's own number, or a fixed one. */
export function addresses(count: ChargeRule["count"] = "addresses"): ChargeRule {
  return { kind: "address", meter: ADDRESS_METER, per: "hour", count };
}

/** A NAT instance of the measured size. */
export const instance: ChargeRule = { kind: "service", meter: "vm-hour", per: "hour", count: 1 };

export const disk: ChargeRule = { kind: "disk", meter: "disk-month", per: "month", count: 1 };

export const egress: ChargeRule = { kind: "egress", meter: "egress-gb", per: "gb-sent", count: 1 };
