# Publishes the machine's figures now and each minute. Setting: metrics_file. Text: publisher_text.

publish_program=/usr/local/sbin/egress-bench-nat-publish

publish_metrics() {
  publisher_text > "$publish_program"
  chmod 755 "$publish_program"
  said=$("$publish_program" "$metrics_file" 2>&1) || note "figures not published: $said"
  run_every egress-bench-nat-publish 60 "$publish_program" "$metrics_file"
}
