# Restarts the guard with each set-up, except one that the guard itself has started. Settings: guarded_text, guard_chains.
# Text: guard_program.
#
# The guard's table has the same rules once more, each chain behind the one that it repeats: what the first table has accepted or
# translated it accepts, and while the first one is missing it forwards and translates instead. The flowtable is not repeated.

guard_rules() {
  nft_definitions
  $guarded_text | sed '/^delete\|bench$/d; s/bench {/bench_guard { flags owner;/; s/\(filter\|raw\|srcnat\);/\1 + 1;/; $d'
  echo "$guard_chains }"
}

start_guard() {
  guard_program > /usr/local/sbin/egress-bench-nat-guard
  guard_rules > /etc/egress-bench/guard.nft
  [ -d /run/systemd/system ] || return 0
  guard=egress-bench-nat-guard
  [ "${1-}" = if-drifted ] || systemctl -q stop $guard 2>/dev/null || :
  systemctl is-active --quiet $guard || systemd-run -qu $guard -p Restart=always -p RestartSec=3 \
    sh /usr/local/sbin/egress-bench-nat-guard /etc/egress-bench/guard.nft "$set_up_program" || note "$guard does not start"
}
