/** Addresses of the lab: all from 198.18.0.0/15, which is set aside for benchmarks (RFC 2544). */

/** The server, the same for all topologies of a lab. */
export const SERVER_ADDRESS = "198.18.0.1";

/** The router in front of several servers. */
export const SERVERS_GATEWAY = "198.18.0.254";

/** Most clients of a topology, and most servers of a lab. */
const MAX_HOSTS = 200;

/** Address of the lab's `number`th server, from 1. */
export function serverAddress(number: number): string {
  return `198.18.0.${checkNumber("number", number, MAX_HOSTS)}`;
}

/** Address of the `number`th client, from 1, of the `index`th topology. */
export function clientAddress(index: number, number: number): string {
  return topologyAddresses(index).client.replace(
    /\d+$/,
    String(1 + checkNumber("number", number, MAX_HOSTS)),
  );
}

/** Most topologies of one lab. */
const MAX_TOPOLOGIES = 250;

export interface TopologyAddresses {
  /** Number of the topology within the lab. */
  readonly index: number;
  /** The private subnet: client and forwarder. */
  readonly privateCidr: string;
  /** IPv4 address of the first client. */
  readonly client: string;
  /** The forwarder's address in the private subnet, the client's gateway. */
  readonly gateway: string;
  /** The forwarder's address towards the server, which the server sees with NAT. */
  readonly outside: string;
}

/** The addresses of a topology. @param index 1 to `MAX_TOPOLOGIES`, unique within the lab. */
export function topologyAddresses(index: number): TopologyAddresses {
  checkNumber("index", index, MAX_TOPOLOGIES);
  return {
    index,
    privateCidr: `198.18.${index}.0/24`,
    client: `198.18.${index}.2`,
    gateway: `198.18.${index}.1`,
    outside: `198.19.${index}.1`,
  };
}

/** Addresses of one machine of a pair, beside those that move between both. */
export interface PairAddresses {
  /** Address in the private subnet. */
  readonly inside: string;
  /** Address towards the server. */
  readonly outside: string;
}

export function pairAddresses(index: number): readonly [PairAddresses, PairAddresses] {
  checkNumber("index", index, MAX_TOPOLOGIES);
  const machine = (last: number, outside: number) => ({
    inside: `198.18.${index}.${last}`,
    outside: `198.19.${index}.${outside}`,
  });
  return [machine(252, 2), machine(253, 3)];
}

function checkNumber(argument: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new RangeError(`${argument}: ${value} is not a whole number from 1 to ${most}`);
  }
  return value;
}
