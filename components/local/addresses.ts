/**
 * Who has which address in the lab: all from 198.18.0.0/15, which is set aside for benchmarks (RFC 2544).
 *
 * @module
 */

/** The server, the same for all topologies of a lab. */
export const SERVER_ADDRESS = "198.18.0.1";

/** Topologies that fit into one lab. */
export const MAX_TOPOLOGIES = 250;

/** Addresses of one topology. */
export interface TopologyAddresses {
  /** The private subnet: client and box. */
  readonly privateCidr: string;
  readonly client: string;
  /** The box's address in the private subnet, the client's gateway. */
  readonly gateway: string;
  /** The box's address towards the server: what the server sees when the box does NAT. */
  readonly outside: string;
}

/** @param index 1 to {@link MAX_TOPOLOGIES}, another for each topology of the lab. */
export function topologyAddresses(index: number): TopologyAddresses {
  if (!Number.isInteger(index) || index < 1 || index > MAX_TOPOLOGIES) {
    throw new RangeError(`index: ${index} is not a whole number from 1 to ${MAX_TOPOLOGIES}`);
  }
  return {
    privateCidr: `198.18.${index}.0/24`,
    client: `198.18.${index}.2`,
    gateway: `198.18.${index}.1`,
    outside: `198.19.${index}.1`,
  };
}
