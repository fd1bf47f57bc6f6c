# fck-nat's one rule (service/fck-nat.sh of its repository). A pair never had it.

# iptables_rule -C|-A|-D: checks, adds or deletes the rule.
iptables_rule() {
  iptables -w 10 -t nat "$1" POSTROUTING -o "$out" -m comment --comment egress-bench -j MASQUERADE 2>&1
}

# Removes the rule where another data plane is in force.
remove_iptables() {
  [ "$data_plane" = iptables ] || ! command -v iptables >/dev/null || while iptables_rule -D >/dev/null; do :; done
}
