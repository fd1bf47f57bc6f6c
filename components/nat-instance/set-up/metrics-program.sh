# Writes a NAT instance's own figures for Prometheus. Argument: the interfaces.
# Settings: metrics_file, data_plane_file, wanted_data_plane, drifts_file, pair_program; pair: both addresses of a pair.

p=egress_bench_nat
{
  for i in $1; do
    for way in rx tx; do
      for what in packets bytes dropped; do
        echo "$p"_"$what"'_total{interface="'"$i"'",direction="'$way'"}' "$(cat "/sys/class/net/$i/statistics/${way}_$what")"
      done
    done
    # ENA's counters of EC2's own limits; no other driver has any.
    ethtool -S "$i" 2>/dev/null | sed -n 's/^ *\([a-z_]*_allowance_[a-z]*\): /'$p'_\1{interface="'"$i"'"} /p'
  done
  echo "$p"_conntrack_entries "$(cat /proc/sys/net/netfilter/nf_conntrack_count)"
  echo "$p"_conntrack_limit "$(cat /proc/sys/net/netfilter/nf_conntrack_max)"
  conntrack -S | awk -v p="$p" '{
    for (i = 1; i <= NF; i++) { split($i, f, "="); if (f[1] ~ /^(insert_failed|drop|early_drop)$/) n[f[1]] += f[2] }
  } END { for (what in n) print p "_conntrack_" what "_total " n[what] + 0; room = n["drop"] - n["insert_failed"]
    print p "_conntrack_no_room_total " (room > 0 ? room : 0) }'
  echo "$p"'_data_plane{name="'"$(cat "$data_plane_file")"'"}' "$(grep -cx "$wanted_data_plane" "$data_plane_file")"
  # A pair's program writes its state each second. An older file says nothing, nor does a newer one after the clock was set
  # back.
  [ ! -x "$pair_program" ] || find /run/egress-bench-ha.prom -newermt '-10 seconds' ! -newermt '10 seconds' -exec cat {} + 2>/dev/null | grep . || printf "$p"'_%s 0\n' active ready
  find /run/egress-bench-nat-forwards -mmin -1 -exec cat {} + 2>/dev/null
  [ -z "$pair" ] || echo "$p"'_pair{pair="'"$pair"'"}' 1
  echo "$p"_drifts_total "$(wc -l 2>/dev/null < "$drifts_file" || echo 0)"
  echo "$p"_takeovers_total "$(wc -l 2>/dev/null < /run/egress-bench-ha-takeovers || echo 0)"
} > "$metrics_file.new" && chmod 644 "$metrics_file.new" && mv "$metrics_file.new" "$metrics_file"
