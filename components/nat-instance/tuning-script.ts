/** Shell functions that tune the network interfaces of a forwarding machine. All of it is optional. */

/** Ring entries at most: enough for bursts, and 32 MB at two queues of 4 KiB buffers. */
const RING_SIZE = 4096;

const beneath = `# Of a bond its ports, of a VLAN what it is on, of Azure's eth0 the virtual function; all the way down.
interfaces_beneath() {
  in_sysfs "$1" || return 0
  for lower in "/sys/class/net/$1"/lower_*; do
    if [ -e "$lower" ]; then
      echo "\${lower##*/lower_}"
      (interfaces_beneath "\${lower##*/lower_}")
    fi
  done
}

`;

/**
 * Defines `tune_interfaces`. Expects `$data`, `note` and `in_sysfs`. RPS is that of the interfaces that the kernel
 * forwards on; offloads and rings are also those of the interfaces beneath, such as an Azure virtual function or a
 * bond's ports: packets are merged on the interface that received them.
 *
 * @param interfacesBeneath Whether there may be some, as there are not on EC2.
 */
export const tuningScript = (interfacesBeneath = true) => `
# UDP packets of one flow travel the stack as one, in a form that may be forwarded and translated.
merge_udp() {
  ethtool -K "$1" rx-udp-gro-forwarding on rx-gro-list off
}

# Never smaller than they are, since each change interrupts the link.
enlarge_rings() {
  sizes=$(ethtool -g "$1") || return
  changes=$(printf '%s\\n' "$sizes" | awk -v size=${RING_SIZE} '
    $1 == "RX:" || $1 == "TX:" {
      ring = tolower(substr($1, 1, 2))
      if (ring in most) {
        want = most[ring] < size ? most[ring] : size
        if (want > $2 + 0) printf "%s %d ", ring, want
      } else most[ring] = $2 + 0
    }')
  # Not quoted: words of their own.
  [ -z "$changes" ] || ethtool -G "$1" $changes
}

# A bit a CPU, in groups of 32.
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

${interfacesBeneath ? beneath : ""}tune_interfaces() {
  unmerged= unenlarged= unspread=
  for interface in $data; do
    spread_over_cpus "$interface" 2>/dev/null || unspread="$unspread $interface"
    for receiver in "$interface"${interfacesBeneath ? ' $(interfaces_beneath "$interface")' : ""}; do
      merge_udp "$receiver" >/dev/null 2>&1 || unmerged="$unmerged $receiver"
      enlarge_rings "$receiver" >/dev/null 2>&1 || unenlarged="$unenlarged $receiver"
    done
  done
  [ -z "$unmerged" ] || note "no UDP GRO forwarding:$unmerged"
  [ -z "$unspread" ] || note "no receive packet steering:$unspread"
  [ -z "$unenlarged" ] || note "no larger rings:$unenlarged"
}
`;
