/**
 * A pair whose outside addresses cannot move because each belongs to a subnet. Both machines translate to one common, unused
 * address, and each swaps it for its own where packets leave and arrive. Copied connections name only the common address, so
 * they are valid on either machine. A public address, which leads to one machine at a time, does the rest.
 */

/** The common address, never seen on a wire. It is link-local, so that nothing else has it. */
export const COMMON_ADDRESS = "169.254.79.1";

const TABLE = "egress_bench_outer";

/** An ICMP error quotes the packet that it is about: its source is after 8 bytes of ICMP and 12 of IP. */
const QUOTED_SOURCE = "@th,160,32";
/** Two bytes that are unused in the kinds of ICMP error below. */
const UNUSED = "@th,32,16";

/**
 * Defines `set_up_outer_address`. Without state, and outside of connection tracking: on the device itself, where a
 * flowtable's packets pass too. Expects `$out` and `fail`.
 *
 * nftables mends the checksums of an address that it knows, not that of a quoted one: the unused bytes take the difference,
 * so that the sum stays as it was.
 *
 * @param address This machine's own, of its outside interface.
 */
export function outerAddressScript(address: string): string {
  return `
outer_address_rules() {
  cat <<END_OF_RULES
table netdev ${TABLE}
delete table netdev ${TABLE}
table netdev ${TABLE} {
	chain arriving {
		type filter hook ingress device "$out" priority -450; policy accept;
		ip daddr != ${address} accept
		icmp type { destination-unreachable, time-exceeded } ${UNUSED} 0 ${QUOTED_SOURCE} ${bitsOf(address)} ${UNUSED} set ${difference(address, COMMON_ADDRESS)} ${QUOTED_SOURCE} set ${bitsOf(COMMON_ADDRESS)}
		ip daddr set ${COMMON_ADDRESS}
	}
	chain leaving {
		type filter hook egress device "$out" priority 450; policy accept;
		ip saddr ${COMMON_ADDRESS} ip saddr set ${address}
	}
}
END_OF_RULES
}

set_up_outer_address() {
  ip -o -4 address show dev "$out" | grep -qF " inet ${address}/" ||
    ip address add ${address}/32 dev "$out" || fail "highAvailability: $out does not take ${address}"
  outer_address_rules | nft -f - ||
    fail "highAvailability: this kernel has no rules for packets that leave a device (Linux 5.16 and later do)"
}
`;
}

/** As a rule compares them. */
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
