/** Classifies IP addresses, and groups them into prefixes. */
import ipaddr from "ipaddr.js";

/**
 * An address's kind, as a NAT sees it.
 *
 * - `private`: RFC 1918, 100.64.0.0/10 and fc00::/7: has no way to the internet of its own
 * - `local`: loopback, link-local (metadata, DNS of the cloud), multicast, broadcast: never leaves
 * - `public`: IPv4 that is reached through a NAT
 * - `public6`: IPv6 that needs no NAT
 * - `nat64`: 64:ff9b::/96, which a NAT gateway turns into IPv4
 * - `invalid`: no address at all
 */
export const addressKinds = ["invalid", "private", "local", "public", "public6", "nat64"] as const;
type AddressKind = (typeof addressKinds)[number];

const kindsOfRange: Readonly<Record<string, AddressKind>> = {
  private: "private",
  carrierGradeNat: "private",
  uniqueLocal: "private",
  loopback: "local",
  linkLocal: "local",
  multicast: "local",
  broadcast: "local",
  unspecified: "local",
  rfc6052: "nat64",
};

/** An address as a number of 32 or 128 bits. */
export interface Address {
  readonly kind: AddressKind;
  readonly bits: 32 | 128;
  readonly value: bigint;
}

const invalid: Address = { kind: "invalid", bits: 32, value: 0n };

/** Reads `192.0.2.1` or `2001:db8::1`; anything else is `invalid`. IPv4 inside IPv6 is IPv4. */
export function readAddress(text: string): Address {
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(text);
  if (!isIpv4 && !(text.includes(":") && !text.includes("%") && ipaddr.IPv6.isValid(text))) {
    return invalid;
  }
  const address = ipaddr.process(text);
  const value = address.toByteArray().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const bits = address.kind() === "ipv4" ? 32 : 128;
  return { kind: kindsOfRange[address.range()] ?? (bits === 32 ? "public" : "public6"), bits, value };
}

/** The block that an address is counted in: /24 of IPv4, /48 of IPv6. */
export function prefixOf(text: string): string {
  const { kind, bits } = readAddress(text);
  if (kind === "invalid") {
    return text;
  }
  const [family, length] = bits === 32 ? [ipaddr.IPv4, 24] : [ipaddr.IPv6, 48];
  return `${family.networkAddressFromCIDR(`${ipaddr.process(text)}/${length}`)}/${length}`;
}

/** The first address and the length of a block's prefix. Null: the text is no block. */
export function readPrefix(text: string): { first: Address; length: number } | null {
  const [address = "", length = ""] = text.split("/");
  const first = readAddress(address);
  const bits = Number(length);
  return first.kind === "invalid" || !/^\d{1,3}$/.test(length) || bits > first.bits
    ? null
    : { first, length: bits };
}
