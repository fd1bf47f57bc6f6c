# Prints the kernel settings and the data plane's rules that decide forwarding; no other table. The output is stable unless
# something changes them. Settings: sysctl_file, other_rules, the command that lists rules beside nftables.

settings_in_force() {
  # shellcheck disable=SC2046 # split into words on purpose
  [ ! -f "$sysctl_file" ] || sysctl -e $(sed -n 's/^#*-\(.*\) = .*/\1/p' "$sysctl_file") 2>/dev/null || :
}

rules_in_force() {
  # The set of a pair's own requests changes on its own.
  nft -s list table inet egress_bench 2>/dev/null | sed '/^\tset own_requests {/,/^\t}/d'
  $other_rules
}

in_force() { settings_in_force; rules_in_force; }
