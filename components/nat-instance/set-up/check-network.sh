# Makes a network behind the machine, from which the machine tests its own forwarding.

links_file=/run/egress-bench-nat-links

# Its link and both ends' addresses.
check_is_whole() {
  ip -4 -o address show dev ebcheck0 2>/dev/null | grep -qF 169.254.77.1/30 &&
    ip -n ebcheck -4 route get 198.51.100.1 2>/dev/null | grep -qF 'via 169.254.77.1 dev eth0 src 169.254.77.2'
}

set_up_check() {
  ! check_is_whole || return 0
  # Half of it, or a name whose network is gone.
  ip link del ebcheck0 2>/dev/null || :
  ip netns del ebcheck 2>/dev/null || :
  ip netns add ebcheck
  ip link add ebcheck0 type veth peer name eth0 netns ebcheck
  ip address add 169.254.77.1/30 dev ebcheck0
  ip link set ebcheck0 up
  ip -n ebcheck address add 169.254.77.2/30 dev eth0
  ip -n ebcheck link set eth0 up
  ip -n ebcheck route add default via 169.254.77.1
}

# What the check sends enters by the real inside interface: the kernel receives it there, with that interface's settings and
# everybody's rules for it. Sets $inside and $check_mac.
enter_by_inside() {
  # Known to nobody else, so that no other host passes as the check's.
  check_mac=$(ip -n ebcheck -o link show eth0 | sed 's/.*ether \([^ ]*\).*/\1/')
  # shellcheck disable=SC2086 # split into words on purpose
  inside=$(printf '%s\n' $data | grep -vx "$out" | head -n 1)
  [ -n "$inside" ] || inside=$out
  # ARP (another protocol) stays on the check's own link.
  { tc qdisc replace dev ebcheck0 clsact && tc filter replace dev ebcheck0 ingress protocol ip pref 1 handle 800::1 u32 match u32 0 0 action mirred ingress redirect dev "$inside"; } 2>/dev/null ||
    note "the check of forwarding does not enter by $inside: this kernel redirects no packets"
  # $data was found when all were up.
  printf '%s\n' "$out" "$inside" "$data" > "$links_file"
}
