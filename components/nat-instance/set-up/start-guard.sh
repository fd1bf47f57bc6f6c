# Begins the guard anew with each set-up but one that the guard itself has started. Setting: guard_rules, where @out@ is
# the outside interface. Text: guard_program.

start_guard() {
  guard_program > /usr/local/sbin/egress-bench-nat-guard
  [ -d /run/systemd/system ] || return 0
  guard=egress-bench-nat-guard
  [ "${1-}" = if-drifted ] || systemctl -q stop $guard 2>/dev/null || :
  systemctl is-active --quiet $guard || systemd-run -qu $guard -p Restart=always -p RestartSec=3 \
    sh /usr/local/sbin/egress-bench-nat-guard "$(printf %s "$guard_rules" | sed "s/@out@/$out/g")" "$set_up_program" || note "$guard does not start"
}
