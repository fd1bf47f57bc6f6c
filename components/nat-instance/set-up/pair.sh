# Sets up a pair's machine: conntrackd, where sessions are copied, and the program of pair/. Settings: own_address,
# peer_address, pair_tools, copies_sessions, outer_address, pair_program, refusal. Text: conntrackd_configuration,
# pair_parameters, pair_sources.

pair_directory=/usr/local/lib/egress-bench-ha

# The set-up starts the pair's program after the rules, and whenever it ends. conntrackd outlives it.
pair_unit() {
  cat <<END_OF_UNIT
[Unit]
StartLimitIntervalSec=0

[Service]
ExecStart=$pair_program serve
Restart=always
RestartSec=0.2
KillMode=process
OOMScoreAdjust=-900
END_OF_UNIT
}

has_own_address() { grep -q " inet $own_address/"; }

pair_texts() { cat "$pair_directory"/*.py /etc/egress-bench/pair.json; }

set_up_pair() {
  for tool in $pair_tools; do
    command -v "$tool" >/dev/null || fail "$tool is missing; install $pair_tools"
  done
  ip -o -4 address | has_own_address || fail "highAvailability: this machine does not have the address $own_address"
  link=$(ip -4 route get "$peer_address" 2>/dev/null | route_device)
  # The default route of another interface is no link, nor is an interface without a cable.
  ip -o -4 address show dev "$link" 2>/dev/null | has_own_address && ! ip link show dev "$link" | grep -q NO-CARRIER || link=
  [ -n "$link" ] || fail "highAvailability: no link to $peer_address"
  mkdir -p /etc/egress-bench "$pair_directory"
  pair_before=$(pair_texts 2>/dev/null | cksum)
  if [ -n "$copies_sessions" ]; then
    # Disabled: the package's own service would be a second one of the same name.
    [ ! -d /run/systemd/system ] || systemctl --quiet disable --now conntrackd.service || true
    conntrackd_configuration | sed "s/@link@/$link/" > /etc/egress-bench/conntrackd.conf
  fi
  [ -z "$outer_address" ] || set_up_outer_address
  (umask 077; pair_parameters > /etc/egress-bench/pair.json)
  pair_sources "$pair_directory"
  {
    echo '#!/bin/sh'
    echo "exec python3 -B $pair_directory/main.py \"\$@\""
  } > "$pair_program"
  chmod 755 "$pair_program"
  [ ! -d /run/systemd/system ] || { pair_unit > /etc/systemd/system/egress-bench-ha.service; systemctl daemon-reload; }
  # Restarted only if its text has changed; the other machine carries meanwhile. What the peer says depends on its version,
  # which may differ.
  [ "$pair_before" = "$(pair_texts | cksum)" ] || {
    kill "$(cat /run/egress-bench-ha.d/daemon 2>/dev/null)" 2>/dev/null || true
    # The former program's role and status.
    rm -f /run/egress-bench-ha /run/egress-bench-ha.json
  }
  # Started before the role's permissions are tested: if the cloud does not answer yet, it takes over as soon as it does.
  "$pair_program" start || fail "highAvailability: the pair's program does not run: $(tail -n 1 /run/egress-bench-supervisor.log 2>/dev/null)"
  for _ in $(seq 50); do [ ! -s /run/egress-bench-ha ] || break; sleep 0.1; done
  [ -s /run/egress-bench-ha ] || fail "highAvailability: no role after 5 s"
  "$pair_program" allowed || fail "highAvailability: this machine could not take over${refusal:+: $refusal}"
  "$pair_program" check || note "the check's address does not answer yet"
}
