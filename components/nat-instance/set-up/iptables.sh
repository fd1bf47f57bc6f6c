# The iptables data plane, beside the machine's own firewall. Text: input_ruleset.

load_iptables() {
  data_plane=iptables
  reason='there is no program iptables'
  command -v iptables >/dev/null || return
  iptables_rule -C >/dev/null || reason=$(iptables_rule -A | head -n 1)
  iptables_rule -C >/dev/null || return
  { nft_definitions; input_ruleset; } | write_ruleset || exit
  nft -f "$ruleset_file" || fail "nftables does not take the ruleset in $ruleset_file"
}
