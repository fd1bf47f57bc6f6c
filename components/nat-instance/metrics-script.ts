/** Shell functions that write a NAT instance's own figures for Prometheus, where they are asked for. */
import { DRIFTS_FILE } from "./drift.ts";
import { HA_PROGRAM } from "./pair-configuration.ts";
import { PAIR_METRICS_FILE } from "./pair-program.ts";

/** File in the directory of node_exporter's textfile collector. */
const METRICS_FILE = "egress_bench_nat.prom";

const METRICS_PROGRAM = "/usr/local/sbin/egress-bench-nat-metrics";
const PUBLISHER = "/usr/local/sbin/egress-bench-nat-publish";

/** Where they are for a publisher alone. */
export const METRICS_DIRECTORY = "/run/egress-bench-metrics";

/**
 * Defines `write_metrics`: a program that writes them, run now and, by systemd, every 15 s. The file is replaced as a whole,
 * so that nobody reads half of it. Expects `$data`, `note` and `repeat`.
 *
 * @param publisher A program that is called each minute with the file. @default none
 */
export function metricsScript(directory: string, publisher?: string): string {
  return `
metrics_program() {
  cat <<'END_OF_METRICS'
#!/bin/sh
p=egress_bench_nat file=${directory}/${METRICS_FILE}
{
  for i in $1; do
    for way in rx tx; do
      for what in packets bytes dropped; do
        echo "$p"_"$what"'_total{interface="'$i'",direction="'$way'"}' "$(cat /sys/class/net/$i/statistics/\${way}_$what)"
      done
    done
    # What ENA counts of EC2's own limits; no other driver has any.
    ethtool -S $i 2>/dev/null | sed -n 's/^ *\\([a-z_]*_allowance_[a-z]*\\): /'$p'_\\1{interface="'$i'"} /p'
  done
  echo "$p"_conntrack_entries "$(cat /proc/sys/net/netfilter/nf_conntrack_count)"
  echo "$p"_conntrack_limit "$(cat /proc/sys/net/netfilter/nf_conntrack_max)"
  conntrack -S | awk -v p="$p" '{
    for (i = 1; i <= NF; i++) { split($i, f, "="); if (f[1] ~ /^(insert_failed|drop|early_drop)$/) n[f[1]] += f[2] }
  } END { for (what in n) print p "_conntrack_" what "_total " n[what] + 0; room = n["drop"] - n["insert_failed"]
    print p "_conntrack_no_room_total " (room > 0 ? room : 0) }'
  echo "$p"'_data_plane{name="'"$(cat /run/egress-bench-data-plane)"'"}' 1
  # A pair's program writes each second what it is; what is older says nothing, or, as a clock was set back, newer.
  [ ! -x ${HA_PROGRAM} ] || find ${PAIR_METRICS_FILE} -newermt '-10 seconds' ! -newermt '10 seconds' -exec cat {} + 2>/dev/null | grep . || printf "$p"'_%s 0\\n' active ready
  echo "$p"_drifts_total "$(wc -l 2>/dev/null < ${DRIFTS_FILE} || echo 0)"
  echo "$p"_takeovers_total "$(wc -l 2>/dev/null < /run/egress-bench-ha-takeovers || echo 0)"
} > "$file.new" && chmod 644 "$file.new" && mv "$file.new" "$file"
END_OF_METRICS
}

write_metrics() {
  mkdir -p ${directory}
  metrics_program > ${METRICS_PROGRAM}
  chmod 755 ${METRICS_PROGRAM}
  ${METRICS_PROGRAM} "$data" || note "no metrics in ${directory}"
  repeat egress-bench-nat-metrics 15 ${METRICS_PROGRAM} "$data"${publisher === undefined ? "" : `\n  publish_metrics`}
}
${publisher === undefined ? "" : publishing(`${directory}/${METRICS_FILE}`, publisher)}`;
}

function publishing(file: string, publisher: string): string {
  return `
publisher() {
  cat <<'END_OF_PUBLISHER'
${publisher}END_OF_PUBLISHER
}

publish_metrics() {
  publisher > ${PUBLISHER}
  chmod 755 ${PUBLISHER}
  said=$(${PUBLISHER} ${file} 2>&1) || note "figures not published: $said"
  repeat egress-bench-nat-publish 60 ${PUBLISHER} ${file}
}
`;
}
