/** Masks addresses, interfaces and file names in advice; all figures stay. */
import type { Traffic } from "./traffic.ts";

/** Numbers names in the order of their first use, so that a name always gets the same number. */
class Masks {
  readonly #numbers = new Map<string, number>();
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  mask(name: string): string {
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, number);
    return `${this.#kind}-${number}`;
  }
}

/** Traffic without names. Unusable lines are left out, since they may contain anything. */
export function maskTraffic(traffic: Traffic): Traffic {
  const [address, client, prefix, nat, file, subnet] = [
    ...["address", "client", "block", "interface", "file", "subnet"],
  ].map((kind) => new Masks(kind)) as [Masks, Masks, Masks, Masks, Masks, Masks];
  const { flows, logs, zones } = traffic;
  const destinations = traffic.destinations.map((one) => ({
    ...one,
    address: address.mask(one.address),
    prefix: prefix.mask(one.prefix),
  }));
  return {
    ...traffic,
    destinations,
    prefixes: traffic.prefixes.map((one) => ({ ...one, prefix: prefix.mask(one.prefix) })),
    nats: traffic.nats.map((one) => ({ ...one, name: nat.mask(one.name) })),
    // Zones are public names; subnets identify the owner.
    zones: zones && {
      ...zones,
      zones: zones.named ? zones.zones : zones.zones.map((one) => subnet.mask(one)),
    },
    logs: {
      ...logs,
      bad: logs.bad.map((one) => ({ ...one, examples: [] })),
      unusable: logs.unusable.map((one) => ({ ...one, file: file.mask(one.file) })),
      cut: logs.cut.map((name) => file.mask(name)),
    },
    flows: flows && maskFlows(flows, address, client),
  };
}

function maskFlows(flows: NonNullable<Traffic["flows"]>, address: Masks, client: Masks): Traffic["flows"] {
  const { busiest, silences } = flows;
  const longest = silences.longest.map((one) => ({
    ...one,
    client: client.mask(one.client),
    address: address.mask(one.address),
  }));
  return {
    ...flows,
    busiest: busiest && { ...busiest, address: address.mask(busiest.address) },
    silences: { ...silences, longest },
  };
}
