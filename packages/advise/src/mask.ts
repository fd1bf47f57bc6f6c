/** Masks addresses, interfaces and file names in advice; all figures stay. */
import type { Traffic } from "./traffic.ts";

type Mask = (name: string) => string;

/** Numbers names in the order of their first use, so that a name always gets the same number. */
function maskOf(kind: string): Mask {
  const numbers = new Map<string, number>();
  return (name) => {
    numbers.set(name, numbers.get(name) ?? numbers.size + 1);
    return `${kind}-${numbers.get(name)}`;
  };
}

/** Traffic without names. Unusable lines are left out, since they may contain anything. */
export function maskTraffic(traffic: Traffic): Traffic {
  const [address, client, prefix] = [maskOf("address"), maskOf("client"), maskOf("block")];
  const [nat, file, subnet] = ["interface", "file", "subnet"].map(maskOf) as [Mask, Mask, Mask];
  const { flows, logs, zones } = traffic;
  const destinations = traffic.destinations.map((one) => ({
    ...one,
    address: address(one.address),
    prefix: prefix(one.prefix),
  }));
  return {
    ...traffic,
    account: null,
    network: null,
    destinations,
    prefixes: traffic.prefixes.map((one) => ({ ...one, prefix: prefix(one.prefix) })),
    nats: traffic.nats.map((one) => ({ ...one, name: nat(one.name) })),
    counters: traffic.counters && {
      ...traffic.counters,
      gateways: traffic.counters.gateways.map(nat),
      carried: traffic.counters.carried.map((one) => ({ ...one, name: nat(one.name) })),
      idle: traffic.counters.idle.map(nat),
    },
    // Zones are public names; subnets identify the owner.
    zones: zones && {
      ...zones,
      zones: zones.named ? zones.zones : zones.zones.map(subnet),
    },
    logs: {
      ...logs,
      bad: logs.bad.map((one) => ({ ...one, examples: [] })),
      unusable: logs.unusable.map((one) => ({ ...one, file: file(one.file) })),
      cut: logs.cut.map(file),
    },
    flows: flows && maskFlows(flows, address, client),
  };
}

function maskFlows(flows: NonNullable<Traffic["flows"]>, address: Mask, client: Mask): Traffic["flows"] {
  const { busiest, silences } = flows;
  const longest = silences.longest.map((one) => ({
    ...one,
    client: client(one.client),
    address: address(one.address),
  }));
  return {
    ...flows,
    busiest: busiest && { ...busiest, address: address(busiest.address) },
    silences: { ...silences, longest },
  };
}
