# Prints what decides what is forwarded: kernel settings and the rules of the data plane, of no other table. The same as long
# as nobody changes them. Settings: sysctl_file, other_rules, the command that lists rules beside
# nftables.

settings_in_force() {
  # shellcheck disable=SC2046 # words of their own
  [ ! -f "$sysctl_file" ] || sysctl -e $(sed -n 's/^#*-\(.*\) = .*/\1/p' "$sysctl_file") 2>/dev/null || :
}

rules_in_force() {
  # The set of a pair's own requests changes by itself.
  nft -s list table inet egress_bench 2>/dev/null | sed '/^\tset own_requests {/,/^\t}/d'
  $other_rules
}

in_force() { settings_in_force; rules_in_force; }
