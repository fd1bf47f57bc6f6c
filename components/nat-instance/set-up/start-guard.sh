# Begins the guard anew with each set-up but one that the guard itself has started. Text: guard_program, guard_rules.

start_guard() {
  guard_program > /usr/local/sbin/egress-bench-nat-guard
  { nft_definitions; guard_rules; } > /etc/egress-bench/guard.nft
  [ -d /run/systemd/system ] || return 0
  guard=egress-bench-nat-guard
  [ "${1-}" = if-drifted ] || systemctl -q stop $guard 2>/dev/null || :
  systemctl is-active --quiet $guard || systemd-run -qu $guard -p Restart=always -p RestartSec=3 \
    sh /usr/local/sbin/egress-bench-nat-guard /etc/egress-bench/guard.nft "$set_up_program" || note "$guard does not start"
}
