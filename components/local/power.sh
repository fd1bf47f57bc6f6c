# egress-bench-power kill|stop|reboot SECONDS: loses everything in the machine's memory (connections, rules, a pair's
# daemons), passes no traffic for SECONDS, and boots again. `kill` cuts the links first, without notice; the others shut
# down in order. Settings: pair_program, boot_file.

links() { ip -o link show up | sed -n 's/^[0-9]*: \([^:@]*\).*/\1/p' | grep -vx lo; }

# Drops both directions, ARP and signs of life too, ahead of all other rules.
cut_links() {
  for hook in ingress egress; do
    for link in $(links); do
      echo "table netdev egress_bench_power {
        chain ${hook}_$link { type filter hook $hook device \"$link\" priority -500; policy drop; }
      }"
    done
  done | nft -f -
}

forget() {
  sysctl -qw net.ipv4.ip_forward=0
  printf 'table inet egress_bench\ndelete table inet egress_bench\n' | nft -f -
  conntrack -F 2>/dev/null
}

pair() { [ ! -x "$pair_program" ] || "$pair_program" "$1"; }

case $1 in
kill) cut_links; pair crash ;;
stop | reboot) pair stop; cut_links ;;
*) exit 2 ;;
esac
forget
sleep "$2"
nft delete table netdev egress_bench_power
exec sh "$boot_file"
