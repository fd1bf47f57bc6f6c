# Prints what is wrong with this kernel's flowtable, and nothing if it keeps connections; fails if that is unproved. Runs in a
# network namespace of its own, whose devices end with it, and sends from the check's network.
#
# Since a change that came with Linux 6.14 (03428ca5cee9), flowtables themselves prolong the tracking entries of their flows.
# Until a fix of 2026 they never did, so that a connection without pauses was lost after a day. Both went into older kernels
# too. A kernel without that change has tracking prolong them, once a minute, and leaves an entry of more than a day as it is.

set -eu
ip -n ebcheck link delete probe0 2>/dev/null || :
ip link add eth0 type veth peer name probe0 netns ebcheck
trap 'ip link delete eth0' EXIT
ip address add 192.0.2.1/30 dev eth0
ip -n ebcheck address add 192.0.2.2/30 dev probe0
ip -n ebcheck link set probe0 up
nft 'table ip probe { flowtable ft { hook ingress priority filter; devices = { eth0 }; }
  chain forward { type filter hook forward priority filter; meta l4proto udp flow add @ft; }; }'
sysctl -qw net.ipv4.ip_forward=1
for kind in timeout timeout_stream; do sysctl -qw net.netfilter.nf_conntrack_udp_$kind=200000; done

tracked() { conntrack -L -p udp 2>/dev/null; }
is_offloaded() { tracked | grep -qF '[OFFLOAD]'; }
offload() {
  ip link set eth0 up
  ip route replace 192.0.2.9 via 192.0.2.2
  ip -n ebcheck route replace 192.0.2.9 via 192.0.2.1
  ip netns exec ebcheck bash -c 'exec 3>/dev/udp/192.0.2.9/9; for _ in 1 2 3; do echo >&3; done'
  is_offloaded
}

offload
# Its flows leave the flowtable.
ip link set eth0 down
[ "$(tracked | awk '{ print $3 + 0 }')" -le 86400 ] || exit 0
# Twice, as a flow also leaves by itself if a route changes, such as soon after a link is up. Each second wakes an idle CPU.
for _ in 1 2; do
  offload
  conntrack -U -p udp -t 3 >/dev/null 2>&1
  for _ in 1 2 3 4; do sleep 1; done
  ! is_offloaded || exit 0
done
echo "Error: Linux $(uname -r) forgets connections of its flowtable after a day"
