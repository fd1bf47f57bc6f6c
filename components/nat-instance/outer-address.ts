/**
 * A pair whose outside addresses cannot move because each belongs to a subnet. Both machines translate to one common, unused
 * address, and each swaps it for its own where packets leave and arrive. Copied connections name only the common address, so
 * they are valid on either machine. A public address, which leads to one machine at a time, does the rest.
 */
import { type Part, setUpText } from "./part.ts";

/** The common address, never seen on a wire. It is link-local, so that nothing else uses it. */
export const COMMON_ADDRESS = "169.254.79.1";

/** Defines `set_up_outer_address`. @param address This machine's own address, on its outside interface. */
export function outerAddressPart(address: string): Part {
  return {
    settings: {
      outer_address: address,
      outer_bits: bitsOf(address),
      common_address: COMMON_ADDRESS,
      common_bits: bitsOf(COMMON_ADDRESS),
      outer_difference: difference(address, COMMON_ADDRESS),
    },
    texts: [setUpText("outer-address.sh")],
  };
}

/** The bits of an IPv6 address, in the form that an nftables rule compares. */
export function bitsOf(address: string): string {
  return `0x${wordsOf(address)
    .map((word) => word.toString(16).padStart(4, "0"))
    .join("")}`;
}

/** The change of the checksum's sum of 16-bit words when one address replaces another (RFC 1071, section 2). */
function difference(before: string, after: string): number {
  const sum = (address: string) => wordsOf(address).reduce((total, word) => total + word, 0);
  const modulus = 0xffff;
  return (((sum(before) - sum(after)) % modulus) + modulus) % modulus;
}

function wordsOf(address: string): readonly [number, number] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  return [256 * a + b, 256 * c + d];
}
