# Forwards IPv6. A forwarding machine ignores router advertisements, which carry its own address and route, unless accept_ra
# is 2.

forward_ipv6() {
  set_sysctl "net/ipv6/conf/$out/accept_ra" 2 || note "router advertisements are not taken on $out: accept_ra is read-only here"
  set_sysctl net.ipv6.conf.all.forwarding 1 || fail "net.ipv6.conf.all.forwarding cannot be set to 1"
}
