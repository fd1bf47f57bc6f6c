# Enables the requested data plane, or else the next simpler one. Leaves its name in $data_plane and in a file. Settings:
# wanted_data_plane, is_strict, data_plane_file, peer_address. Text: ruleset_text, flowtable_text.

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

# Linux 6.14 to the mend of 2026 (Fixes 03428ca5cee9, "flowtable: fix offloaded ct timeout never being extended") forgets an
# offloaded connection that never pauses after a day. Distributions mend it under any number, so none from 6.14 on is trusted.
keeps_offloaded() {
  ! printf '6.14\n%s\n' "$(uname -r)" | sort -VC || { echo "Error: Linux $(uname -r) may forget connections"; return 1; }
}

# The ruleset as this machine can have it.
own_ruleset() {
  if [ -n "$out_address" ]; then
    ruleset_text
  else
    ruleset_text | sed 's/snat ip to [$]out_address:/masquerade to :/; s/snat ip to [$]out_address/masquerade/'
  fi
}

load_flowtable() {
  { nft_definitions; own_ruleset; flowtable_text; } | write_ruleset || exit
  data_plane=flowtable
  said=$(nft -f "$ruleset_file" 2>&1 && keeps_offloaded) && return
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
