# Swaps the pair's common address for this machine's own where packets leave and arrive. Without state, and outside of
# connection tracking: on the device itself, where a flowtable's packets pass too.
#
# nftables mends the checksums of an address that it knows, not that of a quoted one: the unused bytes take the difference, so
# that the sum stays as it was. An ICMP error quotes the packet that it is about: its source is after 8 bytes of ICMP and 12
# of IP (@th,160,32). Two bytes are unused in the kinds of ICMP error below (@th,32,16).
#
# Settings: outer_address, common_address, and of both their bits; outer_difference, the change of the checksum.

outer_address_rules() {
  cat <<END_OF_RULES
table netdev egress_bench_outer
delete table netdev egress_bench_outer
table netdev egress_bench_outer {
	chain arriving {
		type filter hook ingress device "$out" priority -450; policy accept;
		ip daddr != $outer_address accept
		icmp type { destination-unreachable, time-exceeded } @th,32,16 0 @th,160,32 $outer_bits @th,32,16 set $outer_difference @th,160,32 set $common_bits
		ip daddr set $common_address
	}
	chain leaving {
		type filter hook egress device "$out" priority 450; policy accept;
		ip saddr $common_address ip saddr set $outer_address
	}
}
END_OF_RULES
}

set_up_outer_address() {
  ip -o -4 address show dev "$out" | grep -qF " inet $outer_address/" ||
    ip address add "$outer_address/32" dev "$out" || fail "highAvailability: $out does not take $outer_address"
  outer_address_rules | nft -f - ||
    fail "highAvailability: this kernel has no egress rules (Linux 5.16 has)"
}
