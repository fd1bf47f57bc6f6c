# Finds the interfaces that the rules and the tuning name.
# Settings: out_interface, private_addresses (one in each private block).

route_device() {
  sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1
}

find_out_interface() {
  out=$out_interface
  [ -n "$out" ] || out=$(ip -4 route show default | route_device)
  [ -n "$out" ] || fail "no IPv4 default route shows the outside interface; add one or set outInterface"
  ip link show dev "$out" >/dev/null 2>&1 || fail "outInterface: there is no interface $out"
}

# The outside interface's one address; empty without one, or with several.
find_out_address() {
  out_address=$(ip -4 -o address show dev "$out" scope global -secondary | sed -n 's/.* inet \([0-9.]*\).*/\1/p')
  case $out_address in *.*.*.*.*) out_address= ;; esac
}

# Several networks may have an eth0, and sysfs may show another network's: it counts if index and address agree.
in_sysfs() {
  of_link=$(ip -o link show dev "$1" | sed -n 's,^\([0-9]*\):.* link/[a-z]* \([^ ]*\).*,\1 \2,p')
  [ "$of_link" = "$(cat "/sys/class/net/$1/ifindex" "/sys/class/net/$1/address" 2>/dev/null | paste -s -d ' ' -)" ]
}

# Interfaces beneath another one do not count, such as the virtual function of Azure's eth0.
physical_interfaces() {
  for name in $(ip -o link show up | grep -v ' master ' | sed -n 's/^[0-9]*: \([^:@]*\).*/\1/p'); do
    if in_sysfs "$name" && [ -e "/sys/class/net/$name/device" ]; then echo "$name"; fi
  done
}

find_data_interfaces() {
  data=$({
    echo "$out"
    for block in $private_addresses; do
      ip -4 route get "$block" 2>/dev/null | route_device
    done
    physical_interfaces
  } | grep -vx lo | sort -u | paste -s -d ' ' -)
}
