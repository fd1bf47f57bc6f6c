# Writes the machine's figures now and, by systemd, every 15 s. Setting: metrics_directory. Text: metrics_text, which
# replaces the file as a whole, so that no reader sees half of it.

metrics_program=/usr/local/sbin/egress-bench-nat-metrics

write_metrics() {
  mkdir -p "$metrics_directory"
  metrics_text > "$metrics_program"
  chmod 755 "$metrics_program"
  "$metrics_program" "$data" || note "no metrics in $metrics_directory"
  run_every egress-bench-nat-metrics 15 "$metrics_program" "$data"
}
