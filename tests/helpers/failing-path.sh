#!/bin/sh
# Stands where a pair of NAT instances has its program, so that the failover probe's `drain` makes this path fail as
# /tmp/failing-path says: `half`, `flap` or `stateful`. Leaves in /tmp/failed how many milliseconds all outages took.
set -eu
mode=$(cat /tmp/failing-path)
now() { date +%s%3N; }
table() { nft "add table inet failing; flush table inet failing"; }
chain() { nft "add chain inet failing forward { type filter hook forward priority -200; }"; }
lose() { nft "add rule inet failing forward meta l4proto { tcp, udp, icmp } $1 drop"; }
table
chain
case $mode in
half) # of the flows, by a hash of their client's port, for 3 s
  begin=$(now)
  nft "add rule inet failing forward ip saddr 198.18.0.0/16 meta l4proto { tcp, udp } jhash th sport mod 2 == 0 drop"
  sleep 3
  table
  ;;
flap) # ten times 0.3 s, as long apart
  lost=0
  for turn in 1 2 3 4 5 6 7 8 9 10; do
    since=$(now)
    lose ""
    sleep 0.3
    table
    lost=$((lost + $(now) - since))
    sleep 0.3
  done
  begin=$(($(now) - lost))
  ;;
stateful) # lets in the answers to what the client has sent since, until the case is over
  begin=$(now)
  nft "add set inet failing heard { type ipv4_addr . inet_service; size 65535; flags dynamic; }"
  nft "add rule inet failing forward ip saddr 198.18.0.0/16 meta l4proto { tcp, udp } add @heard { ip saddr . th sport }"
  nft "add rule inet failing forward ip daddr 198.18.0.0/16 meta l4proto { tcp, udp } ip daddr . th dport != @heard drop"
  ;;
esac
echo "$(($(now) - begin))" > /tmp/failed
