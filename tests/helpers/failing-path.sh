#!/bin/sh
# Stands where a pair of NAT instances has its program, so that the failover probe's `drain` makes this path fail as
# /tmp/failing-path says: `half`, `flap` or `stateful`. Leaves in /tmp/failed the least and the most milliseconds that all
# outages took together: a rule comes and goes at some time while `nft` runs.
set -eu
mode=$(cat /tmp/failing-path)
least=0
most=0
now() { date +%s%3N; }
table() { nft "add table inet failing; flush table inet failing"; }
chain() { nft "add chain inet failing forward { type filter hook forward priority -200; }"; }
lose() { nft "add rule inet failing forward $1 drop"; }
# outage <seconds> <of which packets>
outage() {
  a=$(now)
  lose "$2"
  b=$(now)
  sleep "$1"
  c=$(now)
  table
  d=$(now)
  least=$((least + c - b))
  most=$((most + d - a))
}
table
chain
case $mode in
half) # of the flows, by a hash of their client's port
  outage 3 "ip saddr 198.18.0.0/16 meta l4proto { tcp, udp } jhash th sport mod 2 == 0"
  ;;
flap)
  for turn in 1 2 3 4 5; do
    outage 0.6 "meta l4proto { tcp, udp, icmp }"
    sleep 0.6
  done
  ;;
stateful) # lets in the answers to what the client has sent since, until the case is over
  nft "add set inet failing heard { type ipv4_addr . inet_service; size 65535; flags dynamic; }"
  nft "add rule inet failing forward ip saddr 198.18.0.0/16 meta l4proto { tcp, udp } add @heard { ip saddr . th sport }"
  nft "add rule inet failing forward ip daddr 198.18.0.0/16 meta l4proto { tcp, udp } ip daddr . th dport != @heard drop"
  ;;
esac
echo "$least $most" > /tmp/failed
