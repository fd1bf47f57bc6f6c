# Sets the kernel settings. Settings: sysctl_file, off_on_each_interface, peer_address. Text: machine_sysctls, one call a setting.

# A value counts if it is in force afterwards, whoever set it. A boot applies the file before the rules exist, so
# forwarding, which is turned on after them, is a comment in it.
set_sysctl() {
  comment=
  case $1 in *forward*) comment='#' ;; esac
  printf -- '%s-%s = %s\n' "$comment" "$1" "$2" >> "$sysctl_file"
  sysctl -q -w "$1=$2" >/dev/null 2>&1 || true
  value_now=$(sysctl -e "$1" 2>/dev/null)
  [ -z "$value_now" ] || set_values="$set_values$value_now
"
  [ "${value_now#* = }" = "$2" ]
}

want() { set_sysctl "$1" "$2" || left="$left $1"; }

need() { set_sysctl "$1" "$2" || fail "$1 cannot be set to $2"; }

set_sysctls() {
  # Connections to track, from the machine's memory. An entry with its extensions and buckets counts as 512 bytes and the table
  # gets an eighth of the memory, so that 1 GiB tracks about 250,000. A multiple of 8,192 because the kernel rounds buckets up
  # to whole pages, 64 KiB at most. On a machine of a pair conntrackd has a copy of each, so that a full table takes little
  # more than a quarter of the memory.
  memory_kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo)
  conntrack_max=$((memory_kib / 4 / 8192 * 8192))
  [ "$conntrack_max" -ge 65536 ] || conntrack_max=65536
  [ "$conntrack_max" -le 2097152 ] || conntrack_max=2097152
  mkdir -p /etc/sysctl.d
  echo '# egress-bench' > "$sysctl_file"
  set_values=
  left=
  machine_sysctls
  for link in $data; do
    for key in $off_on_each_interface; do
      set_sysctl "net/ipv4/conf/$link/$key" 0 || left="$left $link/$key"
    done
    # ip_forward that reads 1 says nothing of one interface, and 1 written over its 1 changes none (systemd: IPv4Forwarding=).
    need "net/ipv4/conf/$link/forwarding" 1
    # Set before the rules, which drop a private host's router advertisements too. A cloud's pair has one interface.
    [ -n "$peer_address" ] || [ "$link" = "$out" ] || set_sysctl "net/ipv6/conf/$link/accept_ra" 0 || :
  done
  [ -z "$left" ] || note "sysctls that are absent or read-only here:$left"
}
