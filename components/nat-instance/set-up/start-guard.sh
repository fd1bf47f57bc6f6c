# Begins the guard anew with each set-up but one that the guard itself has started. Setting: translated, the blocks that are.
# Text: guard_program.
#
# The guard's table has the same firewall once more, behind the first one, and a chain that drops what would leave untranslated. Only
# the first packet of a flow that nothing has translated yet reaches that chain. While a chain of this type and a rule with ct exist,
# the kernel keeps tracking and translating the flows that it knows. What is untracked was let in by the first firewall's set.

guard_rules() {
  grep '^define' "$ruleset_file"
  echo 'table inet egress_bench_guard { flags owner;'
  sed -n '/private_cidrs {$/,/^[[:space:]]*}$/p; /chain forward/,/^[[:space:]]*}$/p; /chain input/,/^[[:space:]]*}$/p' "$ruleset_file" |
    sed 's/priority filter;/priority filter + 1;/; s/.*@own_requests accept$/ct state untracked accept/'
  echo "chain left { type nat hook postrouting priority srcnat + 1; ip saddr { $translated } oifname \$out_interface ct state new drop; }; }"
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
