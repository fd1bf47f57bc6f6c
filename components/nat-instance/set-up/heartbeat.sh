# Makes the machine report at intervals whether it forwards, and when its system shuts down. Settings: leaving_file,
# beat_seconds. Text: heartbeat_text.

heartbeat_program=/usr/local/sbin/egress-bench-nat-heartbeat

leave_unit() {
  cat <<END_OF_UNIT
[Unit]
Description=egress-bench NAT instance says when it goes down
# Units that start after these stop before them.
After=network-online.target nss-lookup.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/rm -f $leaving_file
ExecStop=$heartbeat_program leave
TimeoutStopSec=20
END_OF_UNIT
}

set_up_heartbeat() {
  heartbeat_text > "$heartbeat_program"
  chmod 755 "$heartbeat_program"
  said=$("$heartbeat_program" 2>&1) || note "no heartbeat: $said"
  run_every egress-bench-nat-heartbeat "$beat_seconds" "$heartbeat_program"
  [ -d /run/systemd/system ] || return 0
  leave_unit > /run/systemd/system/egress-bench-nat-leave.service
  { systemctl daemon-reload && systemctl --no-block start egress-bench-nat-leave; } ||
    note "does not say when it goes down: systemd does not start egress-bench-nat-leave"
}
