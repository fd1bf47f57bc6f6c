# Tests whether the machine forwards, and names what is in the way where its own rules and settings are as written.
# Settings: check_targets; pair_figures, what a pair's program publishes.

forwards_file=${pair_figures:+/dev/null}
: "${forwards_file:=/run/egress-bench-nat-forwards}"

# A connection proves it; a refusal may be this machine's own. A pair's program tests it each second.
forwards() {
  target=${check_targets##* }
  [ -z "$pair_figures" ] || { ! grep -qs 'nat_forwards 0' "$pair_figures"; return; }
  for target in $check_targets; do
    ! ip netns exec ebcheck timeout 1 bash -c "exec 3<>/dev/tcp/$target" 2>/dev/null || return 0
  done
  return 1
}

# The rules of other tables count with all chains, as those with hooks jump to others.
foreign_drops() {
  nft -s list ruleset | awk '$1 == "table" { t = $2 " " $3 } $1 == "chain" { c = $2 }
    t !~ / egress_bench/ && /policy drop|(^|[ \t])(drop|reject|notrack|queue|xt target "(DROP|REJECT|CT)")/ { print "rules in " t " " c }' | uniq
  ! command -v iptables-legacy >/dev/null || iptables-legacy -S FORWARD | grep -q 'DROP\|REJECT' && echo "iptables-legacy's FORWARD"
}

obstacles() {
  for link in $data; do
    ip -o link show dev "$link" 2>/dev/null | grep -q '[<,]UP[,>]' || echo "$link is down"
    ! ip -o link show dev "$link" 2>/dev/null | grep -q 'NO-CARRIER' || echo "$link has no carrier"
    ! ip -o link show dev "$link" 2>/dev/null | grep -q 'prog/xdp' || echo "an XDP program on $link"
    for way in ingress egress; do
      [ -z "$(tc filter show dev "$link" $way 2>/dev/null)" ] || echo "a tc filter on $link, $way"
    done
    silent=$(ip -4 neigh show dev "$link" nud failed nud incomplete | sed 's/ .*//' | head -n 3 | paste -s -d ' ' -)
    [ -z "$silent" ] || echo "neighbours of $link that do not answer: $silent"
  done
  # The kernel's own decision for such a packet: routes, rules and source filter. Nobody may be there to look a name up.
  case ${target%/*} in *[!0-9.]*) target=1.1.1.1 ;; esac
  way=$(ip -4 route get "${target%/*}" from 169.254.77.2 iif "$inside" 2>&1 | head -n 1)
  case $way in *" dev $out "*) ;; *) echo "its route: $way" ;; esac
  [ "$(sysctl -n net.netfilter.nf_conntrack_count)" -lt "$(sysctl -n net.netfilter.nf_conntrack_max)" ] || echo "a full connection table"
  foreign_drops
}

# Unproved is not unfit: a machine that has never got an answer says nothing.
watch_forwarding() {
  [ -e /run/netns/ebcheck ] || return
  check_is_whole || ! ip -n ebcheck link >/dev/null 2>&1 || return
  # As at the set-up: what is down now must not be missing.
  { read -r out; read -r inside; read -r data; } < "$links_file"
  if forwards; then
    mkdir -p /var/lib/egress-bench
    : > /var/lib/egress-bench/forwarded
    ! grep -qs '^does not forward' "$notes_file" || { sed -i '/^does not forward/d' "$notes_file"; echo "egress-bench: forwards again"; }
    echo egress_bench_nat_forwards 1 > "$forwards_file"
  elif [ -e /var/lib/egress-bench/forwarded ]; then
    causes=$(obstacles | paste -s -d ';' -)
    causes="does not forward: ${causes:-nothing on this machine is in the way; look at its source/destination check and beyond}"
    grep -qsxF "$causes" "$notes_file" || { sed -i '/^does not forward/d' "$notes_file"; note "$causes"; }
    echo egress_bench_nat_forwards 0 > "$forwards_file"
  fi
}
