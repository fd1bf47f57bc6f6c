# Adds addresses that the outside interface lacks. Setting: source_addresses.

add_source_addresses() {
  for address in $source_addresses; do
    ip -o -4 address show dev "$out" | grep -qF " inet $address/" ||
      ip address add "$address/32" dev "$out" || fail "sourceAddresses: $out does not take $address"
  done
}
