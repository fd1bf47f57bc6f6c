#!/bin/sh
# Makes this machine a NAT instance. Written by egress-bench; may be run again at any time.
set -eu
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

fail() {
  printf 'egress-bench: %s\n' "$*" >&2
  exit 1
}

note() {
  printf '%s\n' "$*" | tee -a /run/egress-bench-notes
}

# Again and again from now on, where there is systemd; until the next boot, which starts it anew.
repeat() {
  name=$1 seconds=$2; shift 2
  [ ! -d /run/systemd/system ] || systemctl is-active --quiet "$name.timer" || systemd-run --quiet --unit "$name" \
    --timer-property AccuracySec=1s --on-active "$seconds" --on-unit-active "$seconds" "$@" ||
    note "not run every $seconds s: systemd does not start $name.timer"
}

[ "$(id -u)" = 0 ] || fail "the NAT instance set-up needs root; run it with sudo"
for tool in nft ip sysctl; do
  command -v "$tool" >/dev/null || fail "$tool is missing; install nftables, iproute2 and procps"
done


route_device() {
  sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1
}

find_out_interface() {
  out=
  [ -n "$out" ] || out=$(ip -4 route show default | route_device)
  [ -n "$out" ] || fail "no IPv4 default route shows the outside interface; add one or set outInterface"
  ip link show dev "$out" >/dev/null 2>&1 || fail "outInterface: there is no interface $out"
}

# Several networks may have an eth0, and sysfs may show another network's: it counts if index and address agree.
in_sysfs() {
  of_link=$(ip -o link show dev "$1" | sed -n 's,^\([0-9]*\):.* link/[a-z]* \([^ ]*\).*,\1 \2,p')
  [ "$of_link" = "$(cat "/sys/class/net/$1/ifindex" "/sys/class/net/$1/address" 2>/dev/null | paste -s -d ' ' -)" ]
}

# Physical interfaces, but not one that belongs to another, as an Azure virtual function does to eth0.
physical_interfaces() {
  for name in $(ip -o link show up | grep -v ' master ' | sed -n 's/^[0-9]*: \([^:@]*\).*/\1/p'); do
    if in_sysfs "$name" && [ -e "/sys/class/net/$name/device" ]; then echo "$name"; fi
  done
}

find_data_interfaces() {
  data=$({
    echo "$out"
    for block in 10.0.1.0; do
      ip -4 route get "$block" 2>/dev/null | route_device
    done
    physical_interfaces
  } | grep -vx lo | sort -u | paste -s -d ' ' -)
}


ruleset_file=/etc/egress-bench/nat.nft

definitions() {
  printf 'define out_interface = "%s"\n' "$out"
  printf 'define data_interfaces = { %s }\n' "$(printf '%s' "$data" | sed 's/ /, /g')"
}

ruleset() {
  cat <<'END_OF_RULESET'
table inet egress_bench
delete table inet egress_bench
table inet egress_bench {
	chain forward {
		type filter hook forward priority filter; policy drop;
		ct state established,related accept
		ct state invalid drop
		ip daddr { 169.254.0.0/16, 168.63.129.16 } drop
		iifname $out_interface ip saddr 10.0.1.0/24 fib saddr . iif oif missing drop
		ip saddr 10.0.1.0/24 oifname $out_interface ct state new accept
	}

	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
		ip saddr 10.0.1.0/24 oifname $out_interface masquerade fully-random
	}

	chain input {
		type filter hook input priority filter; policy drop;
		ct state established,related accept
		iifname "lo" accept
		udp sport 67 udp dport 68 accept
		ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept
		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert, mld-listener-query } accept
		ip saddr 10.0.1.0/24 icmp type echo-request accept
	}
}
END_OF_RULESET
}

flowtable() {
  cat <<'END_OF_FLOWTABLE'
table inet egress_bench {
	flowtable ft {
		hook ingress priority filter
		devices = $data_interfaces
		counter
	}
}
insert rule inet egress_bench forward ct original packets > 10 flow add @ft
END_OF_FLOWTABLE
}

load_flowtable() {
  mkdir -p /etc/egress-bench
  { definitions; ruleset; flowtable; } > "$ruleset_file"
  data_plane=flowtable
  said=$(nft -f "$ruleset_file" 2>&1) && return
  reason=$(printf '%s' "$said" | sed -n '1s/.*Error: //p')
  return 1
}

load_nftables() {
  mkdir -p /etc/egress-bench
  { definitions; ruleset; } > "$ruleset_file"
  data_plane=nftables
  nft -f "$ruleset_file" || fail "nftables does not take the ruleset in $ruleset_file"
}

# iptables_rule -C|-A|-D: asks for, adds or deletes the rule.
iptables_rule() {
  iptables -w 10 -t nat "$1" POSTROUTING -o "$out" -m comment --comment egress-bench -j MASQUERADE 2>&1
}

remove_iptables() {
  ! command -v iptables >/dev/null || while iptables_rule -D >/dev/null; do :; done
}

load_data_plane() {
  rm -f /run/egress-bench-data-plane
  load_flowtable || { load_nftables; note "no flowtable, every packet takes the slow path: $reason"; }
  [ "$data_plane" = iptables ] || remove_iptables
  echo "$data_plane" > /run/egress-bench-data-plane
}


sysctl_file=/etc/sysctl.d/90-egress-bench.conf

# A value counts if it is in force afterwards, whoever set it.
set_sysctl() {
  printf -- '-%s = %s\n' "$1" "$2" >> "$sysctl_file"
  sysctl -q -w "$1=$2" >/dev/null 2>&1 || true
  [ "$(sysctl -n "$1" 2>/dev/null)" = "$2" ]
}

want_sysctl() { set_sysctl "$1" "$2" || left="$left $1"; }

set_sysctls() {
  memory_kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo)
  conntrack_max=$((memory_kib / 4 / 8192 * 8192))
  [ "$conntrack_max" -ge 65536 ] || conntrack_max=65536
  [ "$conntrack_max" -le 2097152 ] || conntrack_max=2097152
  mkdir -p /etc/sysctl.d
  echo '# Kernel settings of a NAT instance, written by egress-bench.' > "$sysctl_file"
  left=
  # forwards at all
  set_sysctl net.ipv4.ip_forward 1 || fail "net.ipv4.ip_forward cannot be set to 1"
  # with one interface for both sides it would tell clients to go round it
  want_sysctl net.ipv4.conf.all.send_redirects 0
  # the same, for interfaces to come
  want_sysctl net.ipv4.conf.default.send_redirects 0
  # strict it drops replies on two interfaces, loose it lets all pass and looks each packet's route up again
  want_sysctl net.ipv4.conf.all.rp_filter 0
  # the same, for interfaces to come
  want_sysctl net.ipv4.conf.default.rp_filter 0
  # would look for a local socket of each packet that is only forwarded
  want_sysctl net.ipv4.ip_early_demux 0
  # as many as connections, so that a look-up stays one step
  want_sysctl net.netfilter.nf_conntrack_buckets $conntrack_max
  # the default on 1 GiB is 65,536 at most; a full table drops new flows
  want_sysctl net.netfilter.nf_conntrack_max $conntrack_max
  # the least that RFC 5382 (REQ-5) allows, 2 h 4 min, instead of five days for a connection that vanished
  want_sysctl net.netfilter.nf_conntrack_tcp_timeout_established 7440
  # a closed connection holds its port: 64,512 ports in 60 s are 1,075 connections/s to one destination
  want_sysctl net.netfilter.nf_conntrack_tcp_timeout_time_wait 60
  # so long before Linux 6.14 a reset connection of the flowtable holds its port: 496/s to one destination
  want_sysctl net.netfilter.nf_conntrack_tcp_timeout_unacknowledged 130
  # half closed, the other side may still answer: RFC 5382 (REQ-5) wants four minutes
  want_sysctl net.netfilter.nf_conntrack_tcp_timeout_fin_wait 350
  # the same, from the other side; the default of 60 s lost an answer after 70 s
  want_sysctl net.netfilter.nf_conntrack_tcp_timeout_close_wait 350
  # the least that RFC 4787 (REQ-5) wants; the default of 30 s lost an answer after 35 s
  want_sysctl net.netfilter.nf_conntrack_udp_timeout 120
  # as AWS's NAT gateway; the default is 120 s
  want_sysctl net.netfilter.nf_conntrack_udp_timeout_stream 350
  # a pause longer than the default 30 s would send a flow back to the slow path
  want_sysctl net.netfilter.nf_flowtable_tcp_timeout 120
  # the same; tracking counts the mapping's own time from then on
  want_sysctl net.netfilter.nf_flowtable_udp_timeout 120
  # packets a receive round, twice the default
  want_sysctl net.core.netdev_budget 600
  # microseconds a receive round, four times the default, or the budget above is never reached
  want_sysctl net.core.netdev_budget_usecs 8000
  # packets waiting for another CPU where RPS spreads them; the default of 1,000 drops bursts
  want_sysctl net.core.netdev_max_backlog 16384
  for interface in $data; do
    set_sysctl "net/ipv4/conf/$interface/rp_filter" 0 || left="$left $interface/rp_filter"
    set_sysctl "net/ipv4/conf/$interface/send_redirects" 0 || left="$left $interface/send_redirects"
  done
  [ -z "$left" ] || note "sysctls that are absent or read-only here:$left"
}


# UDP packets of one flow travel the stack as one, in a form that may be forwarded and translated.
merge_udp() {
  ethtool -K "$1" rx-udp-gro-forwarding on rx-gro-list off
}

# Never smaller than they are, since each change interrupts the link.
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

# Of a bond its ports, of a VLAN what it is on, of Azure's eth0 the virtual function; all the way down.
interfaces_beneath() {
  in_sysfs "$1" || return 0
  for lower in "/sys/class/net/$1"/lower_*; do
    if [ -e "$lower" ]; then
      echo "${lower##*/lower_}"
      (interfaces_beneath "${lower##*/lower_}")
    fi
  done
}

tune_interfaces() {
  unmerged= unenlarged= unspread=
  for interface in $data; do
    spread_over_cpus "$interface" 2>/dev/null || unspread="$unspread $interface"
    for receiver in "$interface" $(interfaces_beneath "$interface"); do
      merge_udp "$receiver" >/dev/null 2>&1 || unmerged="$unmerged $receiver"
      enlarge_rings "$receiver" >/dev/null 2>&1 || unenlarged="$unenlarged $receiver"
    done
  done
  [ -z "$unmerged" ] || note "no UDP GRO forwarding:$unmerged"
  [ -z "$unspread" ] || note "no receive packet steering:$unspread"
  [ -z "$unenlarged" ] || note "no larger rings:$unenlarged"
}


program=/usr/local/sbin/egress-bench-nat-instance
unit=egress-bench-nat-instance.service

unit_text() {
  cat <<END_OF_UNIT
[Unit]
Description=egress-bench NAT instance
# nftables.service flushes all rulesets when it starts.
After=network-online.target nftables.service
Wants=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh $program

[Install]
WantedBy=multi-user.target
END_OF_UNIT
}

run_at_each_boot() {
  [ ! -f "$0" ] || cmp -s "$0" "$program" || install -D -m 700 "$0" "$program"
  [ -d /run/systemd/system ] || return 0
  if [ ! -f "$0" ]; then
    note "not set up again at the next boot or after a change: the script was not run from a file"
    return
  fi
  unit_text > "/etc/systemd/system/$unit"
  { systemctl daemon-reload && systemctl --quiet enable "$unit"; } ||
    note "not set up again at the next boot: systemd does not enable $unit"
}


settings_in_force() {
  [ ! -f /etc/sysctl.d/90-egress-bench.conf ] || sysctl -e $(sed -n 's/^-\(.*\) = .*/\1/p' /etc/sysctl.d/90-egress-bench.conf) 2>/dev/null || :
}

rules_in_force() {
  nft -s list table inet egress_bench 2>/dev/null || :
  ! grep -qsx iptables /run/egress-bench-data-plane ||
    iptables -w 10 -t nat -S POSTROUTING 2>/dev/null | grep -w egress-bench || :
}

in_force() { settings_in_force; rules_in_force; }

in_force_file=/run/egress-bench-nat-in-force
drifts_file=/run/egress-bench-nat-drifts

leave_unless_drifted() {
  changes=$(in_force | diff "$in_force_file" - 2>&1) && exit
  echo "egress-bench: something else has changed rules or kernel settings, which are set up again:"
  printf '%s\n' "$changes" | sed -n '/^[<>]/p' | head -n 10
  date -u +%Y-%m-%dT%H:%M:%SZ >> "$drifts_file"
}

remember_set_up() {
  { settings_in_force; printf '%s\n' "$loaded"; } > "$in_force_file"
  [ ! -s "$drifts_file" ] ||
    note "rules or kernel settings set up again because something else had changed them: $(wc -l < "$drifts_file") times, last at $(tail -n 1 "$drifts_file")"
  [ ! -f "$program" ] || repeat egress-bench-nat-drift 15 /bin/sh "$program" if-drifted
}


start_guard() {
  cat > /usr/local/sbin/egress-bench-nat-guard <<'END_OF_SOURCE'
{
  { echo "$1"; exec sleep infinity; } | nft -i >/dev/null
  kill $$
} &
{
  nft monitor &
  while sleep 5; do echo; done
} | while read -r _; do
  sh "$2" if-drifted
  sleep 1
done
END_OF_SOURCE
  [ -d /run/systemd/system ] || return 0
  guard=egress-bench-nat-guard
  [ "${1-}" = if-drifted ] || systemctl -q stop $guard 2>/dev/null || :
  systemctl is-active --quiet $guard || systemd-run -qu $guard -p Restart=always -p RestartSec=3 \
    sh /usr/local/sbin/egress-bench-nat-guard "table inet egress_bench_guard { flags owner; chain left { type nat hook postrouting priority srcnat + 1; ip saddr 10.0.1.0/24 oifname $out ct state new drop; }; }" "$program" || note "$guard does not start"
}


# One at a time: half a set-up would look like a drift. What a step starts must not hold the lock.
exec 9> /run/egress-bench-nat-instance.lock
flock 9
[ "${1-}" != if-drifted ] || leave_unless_drifted
: > /run/egress-bench-notes
find_out_interface
find_data_interfaces
load_data_plane
loaded=$(rules_in_force)
set_sysctls
tune_interfaces
run_at_each_boot
remember_set_up
echo "NAT instance: $data_plane, out by $out, data interfaces $data, room for $(sysctl -n net.netfilter.nf_conntrack_max) connections"
start_guard "$@" 9>&-
