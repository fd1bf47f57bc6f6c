# Runs tayga, which translates between IPv6 hosts and IPv4 servers. The pool's addresses are remembered, so that connections
# survive a restart of tayga. Settings: nat64_device, nat64_pool, nat64_prefix.

nat64_file=/etc/egress-bench/nat64.conf
nat64_state=/var/lib/egress-bench-nat64
nat64_service=egress-bench-nat64

# The translator's own ICMP errors come from an unrouted address (RFC 4193) that spells the package's name in ASCII.
nat64_configuration() {
  cat <<END_OF_NAT64
tun-device $nat64_device
ipv4-addr ${nat64_pool%.0/16}.1
ipv6-addr fd74:6179:6761::1
prefix $nat64_prefix
dynamic-pool $nat64_pool
data-dir $nat64_state
END_OF_NAT64
}

# MTU as on the way out: a packet too large there is refused by the interface that it does not fit.
nat64_interface() {
  modprobe -q tun || :
  ip link show dev "$nat64_device" >/dev/null 2>&1 || tayga --config $nat64_file --mktun || return
  mtu=$(ip -o link show dev "$out" | sed -n 's/.* mtu \([0-9]*\) .*/\1/p')
  ip link set dev "$nat64_device" mtu "$mtu" up && ip route replace "$nat64_pool" dev "$nat64_device" &&
    ip -6 route replace "$nat64_prefix" dev "$nat64_device"
}

# tayga drops its rights once it has its interface.
nat64_translator() {
  set -- tayga --config $nat64_file --user nobody --group nogroup
  if [ -d /run/systemd/system ]; then
    systemctl is-active --quiet $nat64_service ||
      systemd-run --quiet --unit $nat64_service --property Restart=always --property RestartSec=1 "$@" --nodetach
  else
    kill -0 "$(cat /run/$nat64_service.pid 2>/dev/null)" 2>/dev/null || "$@" --pidfile /run/$nat64_service.pid
  fi
}

set_up_nat64() {
  # Masked: the package's own service would start with its example configuration on installation.
  [ ! -d /run/systemd/system ] || systemctl --quiet mask --now tayga.service 2>/dev/null || :
  command -v tayga >/dev/null || { note "no NAT64: there is no program tayga"; return; }
  install -d -o nobody -g nogroup $nat64_state
  mkdir -p /etc/egress-bench
  nat64_configuration > $nat64_file
  said=$(nat64_interface 2>&1) || { note "no NAT64: its interface cannot be made: $said"; return; }
  nat64_translator || note "no NAT64: tayga does not start"
}
