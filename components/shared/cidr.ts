/** IPv4 address arithmetic for preview-time checks. */
import { isIPv4 } from "node:net";

export interface Cidr {
  /** The first address, as an unsigned 32-bit integer. */
  readonly network: number;
  /** Length of the network prefix, 0 to 32. */
  readonly prefix: number;
}

/** Reads `a.b.c.d/n`. Host bits must be zero, as the clouds demand. @throws {Error} naming the text and how to write it. */
export function parseCidr(text: string): Cidr {
  const [, address, length] = /^([^/]*)\/(0|[1-9]\d?)$/.exec(text) ?? [];
  const prefix = Number(length);
  if (address === undefined || prefix > 32) {
    throw new Error(`"${text}" is not an IPv4 CIDR block; write it like 10.0.0.0/16`);
  }
  const network = firstOf(parseAddress(address), prefix);
  if (network !== parseAddress(address)) {
    throw new Error(`"${text}" has host bits set; write ${formatAddress(network)}/${prefix}`);
  }
  return { network, prefix };
}

/** Whether {@link parseCidr} can read it. */
export function isBlock(text: string): boolean {
  try {
    parseCidr(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether two blocks share an address. @throws {Error} as {@link parseCidr} */
export function cidrsOverlap(one: string, other: string): boolean {
  const [a, b] = [parseCidr(one), parseCidr(other)];
  const shorter = Math.min(a.prefix, b.prefix);
  return firstOf(a.network, shorter) === firstOf(b.network, shorter);
}

/** Whether `inner`, a block or a single address, lies wholly in `outer`. @throws {Error} as {@link parseCidr} */
export function cidrContains(outer: string, inner: string): boolean {
  const a = parseCidr(outer);
  const b = parseCidr(inner.includes("/") ? inner : `${inner}/32`);
  return b.prefix >= a.prefix && firstOf(b.network, a.prefix) === a.network;
}

/**
 * Whether blocks together open access to the whole internet: they have half of all IPv4 addresses or more.
 * @throws {Error} as {@link parseCidr}
 */
export function isEverybody(cidrs: readonly string[]): boolean {
  // Two blocks either share nothing, or one contains the other.
  const outermost = [...new Set(cidrs)].filter(
    (cidr) => !cidrs.some((other) => cidrPrefix(other) < cidrPrefix(cidr) && cidrContains(other, cidr)),
  );
  return outermost.reduce((sum, cidr) => sum + 2 ** -cidrPrefix(cidr), 0) >= 1 / 2;
}

/** Length of a block's network prefix: 16 of 10.0.0.0/16. @throws {Error} as {@link parseCidr} */
export function cidrPrefix(cidr: string): number {
  return parseCidr(cidr).prefix;
}

/**
 * The `n`th address of a block, the network's own being 0; negative from the end, the last one being -1.
 *
 * @example nthAddress("10.0.1.0/24", 4) // "10.0.1.4"
 * @throws {Error} when the block has no such address.
 */
export function nthAddress(cidr: string, n: number): string {
  const { network, prefix } = parseCidr(cidr);
  const size = 2 ** (32 - prefix);
  const offset = n < 0 ? size + n : n;
  if (!Number.isInteger(n) || offset < 0 || offset >= size) {
    throw new Error(`${cidr} has ${size} addresses; there is no address ${n} in it`);
  }
  return formatAddress(network + offset);
}

/** The first free address: Azure and AWS reserve the first four of a subnet. */
const FIRST_FREE_ADDRESS = 4;

/**
 * The address of the `number`th machine of a cloud's subnet, from 1.
 *
 * @throws {Error} when the subnet has no such address.
 */
export function machineAddress(subnetCidr: string, number: number): string {
  return nthAddress(subnetCidr, FIRST_FREE_ADDRESS + number - 1);
}

/** First address of a subnet for machines. @throws {Error} as `machineAddress` */
export function firstFreeAddress(subnetCidr: string): string {
  return machineAddress(subnetCidr, 1);
}

/**
 * The `n`th subnet, from 0, when a block is split into subnets of the given prefix.
 *
 * @example nthSubnet("10.0.0.0/16", 24, 2) // "10.0.2.0/24"
 * @throws {Error} when the block has no such subnet.
 */
export function nthSubnet(cidr: string, prefix: number, n: number): string {
  const outer = parseCidr(cidr);
  const count = Number.isInteger(prefix) && prefix <= 32 ? Math.floor(2 ** (prefix - outer.prefix)) : 0;
  if (!Number.isInteger(n) || n < 0 || n >= count) {
    throw new Error(`${cidr} splits into ${count} subnets of /${prefix}; there is no subnet ${n} in it`);
  }
  return `${formatAddress(outer.network + n * 2 ** (32 - prefix))}/${prefix}`;
}

/** Reads `a.b.c.d` as an unsigned 32-bit integer; octets without leading zeros, which some tools read as octal. */
function parseAddress(text: string): number {
  if (!isIPv4(text)) {
    throw new Error(`"${text}" is not an IPv4 address; write it like 10.0.0.4`);
  }
  return text.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
}

function formatAddress(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
}

/** The address with its host bits cleared. Arithmetic, because JavaScript shifts by 32 as by 0. */
function firstOf(address: number, prefix: number): number {
  const size = 2 ** (32 - prefix);
  return Math.floor(address / size) * size;
}
