# Makes systemd run the set-up again at each boot. Settings: unit, peer_address. A pair's failed set-up is repeated, such as
# when the cloud did not answer at boot.

set_up_program=/usr/local/sbin/egress-bench-nat-instance

unit_text() {
  cat <<END_OF_UNIT
[Unit]
Description=egress-bench NAT instance
# nftables.service flushes all rulesets when it starts.
After=network-online.target nftables.service
Wants=network-online.target
${peer_address:+StartLimitIntervalSec=0}

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh $set_up_program
${peer_address:+Restart=on-failure}
${peer_address:+RestartSec=10}

[Install]
WantedBy=multi-user.target
END_OF_UNIT
}

run_at_each_boot() {
  [ ! -f "$0" ] || cmp -s "$0" "$set_up_program" || install -D -m 700 "$0" "$set_up_program"
  [ -d /run/systemd/system ] || return 0
  if [ ! -f "$0" ]; then
    note "not set up again at the next boot or after a change: the script was not run from a file"
    return
  fi
  unit_text > "/etc/systemd/system/$unit"
  { systemctl daemon-reload && systemctl --quiet enable "$unit"; } ||
    note "not set up again at the next boot: systemd does not enable $unit"
  [ -n "$peer_address" ] || return 0
  # The first set-up runs outside the unit; if it fails, the unit keeps trying.
  trap '[ "$?" = 0 ] || [ "$0" = "$set_up_program" ] || systemctl start --no-block "$unit"' EXIT
}
