# Enables the requested data plane, or else the next simpler one. Leaves its name in $data_plane and in a file. Settings:
# wanted_data_plane, is_strict, data_plane_file, peer_address. Text: ruleset_text,
# masquerading_text, flowtable_text, flowtable_probe.

ruleset_file=/etc/egress-bench/nat.nft

# Replaced in one step: a full disk leaves the earlier file.
write_ruleset() {
  { mkdir -p /etc/egress-bench && cat > "$ruleset_file.new" && mv "$ruleset_file.new" "$ruleset_file"; } ||
    fail "$ruleset_file cannot be written"
}

nft_definitions() {
  printf 'define out_interface = "%s"\n' "$out"
  printf 'define data_interfaces = { %s }\n' "$(printf '%s' "$data" | sed 's/ /, /g')"
  [ -z "$out_address" ] || echo "define out_address = $out_address"
  echo "define check_mac = $check_mac"
  [ -n "$peer_address" ] || return 0
  # Where no interface leads to the other machine, the pair's own set-up fails later.
  pair_link=$(ip -4 route get "$peer_address" 2>/dev/null | route_device)
  printf 'define pair_link = "%s"\n' "${pair_link:-none}"
}

# A verdict holds until the next boot.
flowtable_verdict=/run/egress-bench-nat-flowtable
keeps_connections() {
  [ -e "$flowtable_verdict" ] ||
    { flowtable_probe | unshare -n sh > "$flowtable_verdict.new" && mv "$flowtable_verdict.new" "$flowtable_verdict"; } ||
    { echo "Error: unproved that Linux $(uname -r) keeps connections of its flowtable"; return 1; }
  ! grep . "$flowtable_verdict"
}

own_ruleset() { if [ -n "$out_address" ]; then ruleset_text; else masquerading_text; fi; }

load_flowtable() {
  { nft_definitions; own_ruleset; flowtable_text; } | write_ruleset || exit
  data_plane=flowtable
  said=$(nft -f "$ruleset_file" 2>&1 && keeps_connections) && return
  reason=$(printf '%s' "$said" | sed -n '1s/.*Error: //p')
  return 1
}

load_nftables() {
  { nft_definitions; own_ruleset; } | write_ruleset || exit
  data_plane=nftables
  nft -f "$ruleset_file" || fail "nftables does not take the ruleset in $ruleset_file"
}

load_data_plane() {
  rm -f "$data_plane_file"
  "load_$wanted_data_plane" || {
    [ -z "$is_strict" ] || fail "this machine has no $wanted_data_plane data plane, and strict was asked for: $reason"
    load_nftables
    note "no $wanted_data_plane data plane but $data_plane: $reason"
  }
  echo "$data_plane" > "$data_plane_file"
}
