# Tunes the network interfaces of a forwarding machine. All of it is optional. RPS is that of the interfaces that the kernel
# forwards on; offloads and rings are also those of the interfaces beneath, such as an Azure virtual function or a bond's
# ports: packets are merged on the interface that received them. Setting: beneath, the command
# that lists those.

# Merges UDP packets of a flow into one that can be forwarded and translated.
merge_udp() {
  ethtool -K "$1" rx-udp-gro-forwarding on rx-gro-list off
}

# Rings of 4,096 entries: enough for bursts, and 32 MB at two queues of 4 KiB buffers. Never smaller than they are, since
# each change interrupts the link.
enlarge_rings() {
  sizes=$(ethtool -g "$1") || return
  changes=$(printf '%s\n' "$sizes" | awk -v size=4096 '
    $1 == "RX:" || $1 == "TX:" {
      ring = tolower(substr($1, 1, 2))
      if (ring in most) {
        want = most[ring] < size ? most[ring] : size
        if (want > $2 + 0) printf "%s %d ", ring, want
      } else most[ring] = $2 + 0
    }')
  # shellcheck disable=SC2086 # split into words on purpose
  [ -z "$changes" ] || ethtool -G "$1" $changes
}

# One bit per CPU, in groups of 32.
all_cpus() {
  cpus=$(nproc)
  groups=
  while [ "$cpus" -gt 32 ]; do
    groups=",ffffffff$groups"
    cpus=$((cpus - 32))
  done
  printf '%x%s' "$(((1 << cpus) - 1))" "$groups"
}

# Only where the hardware has too few queues to reach every CPU.
spread_over_cpus() {
  in_sysfs "$1" || return
  set -- "/sys/class/net/$1/queues"/rx-*
  [ $# -lt "$(nproc)" ] || return 0
  for queue in "$@"; do
    all_cpus > "$queue/rps_cpus" || return
  done
}

tune_interfaces() {
  not_merged='' not_enlarged='' not_spread=''
  for interface in $data; do
    spread_over_cpus "$interface" 2>/dev/null || not_spread="$not_spread $interface"
    # shellcheck disable=SC2046 # split into words on purpose
    for receiver in "$interface" $($list_beneath "$interface"); do
      merge_udp "$receiver" >/dev/null 2>&1 || not_merged="$not_merged $receiver"
      enlarge_rings "$receiver" >/dev/null 2>&1 || not_enlarged="$not_enlarged $receiver"
    done
  done
  [ -z "$not_merged" ] || note "no UDP GRO forwarding:$not_merged"
  [ -z "$not_spread" ] || note "no receive packet steering:$not_spread"
  [ -z "$not_enlarged" ] || note "no larger rings:$not_enlarged"
}
