/**
 * What makes a pair of two NAT instances: conntrackd keeps the standby's copy of the connections, keepalived decides who
 * is active, and a program of ours takes over. Shell text, the same in the lab and in a cloud; only how addresses are
 * taken differs.
 *
 * @module
 */

import { checkNetworkScript, forwardingCheck } from "./forwarding-check.ts";
import type { HighAvailability } from "./high-availability-args.ts";
import { outerAddressScript } from "./outer-address.ts";
import {
  conntrackdConfiguration,
  HA_PROGRAM,
  keepalivedConfiguration,
  tunnelScript,
} from "./pair-configuration.ts";

/** Debian and Ubuntu packages of a pair; one that copies no connections does without `conntrackd`. */
export const HA_PACKAGES = ["conntrack", "conntrackd", "keepalived"] as const;

/** What runs on a machine of a pair, in the order of its start. */
function daemonsOf({ translatedTo }: HighAvailability): readonly string[] {
  return translatedTo === undefined ? ["keepalived"] : ["conntrackd", "keepalived"];
}

/** After how long a UDP flow that was taken over is forgotten unless it speaks: RFC 4787 (REQ-5), and the kernel's default. */
const UDP_SECONDS = 120;

/** Says which role a machine of a pair has: `active` or `standby`; not there while it has none. */
const HA_ROLE_FILE = "/run/egress-bench-ha";

/** Defines `set_up_pair`. Expects `fail`, `$out` and a loaded ruleset. */
export function pairScript(ha: HighAvailability): string {
  return `${ha.translatedTo === undefined ? "" : conntrackdFile(ha)}
keepalived_configuration() {
  cat <<'END_OF_KEEPALIVED'
${keepalivedConfiguration(ha)}END_OF_KEEPALIVED
}

ha_program() {
  cat <<'END_OF_PROGRAM'
${haProgram(ha)}END_OF_PROGRAM
}
${ha.outerAddress === undefined ? "" : outerAddressScript(ha.outerAddress)}${starting(ha)}`;
}

function conntrackdFile(ha: HighAvailability): string {
  return `
conntrackd_configuration() {
  cat <<'END_OF_CONNTRACKD'
${conntrackdConfiguration(ha)}END_OF_CONNTRACKD
}
`;
}

/**
 * Order is what sessions survive by: first the connections are in the kernel, then the first packet comes. One that came
 * before would be a flow that nobody knows.
 */
function haProgram(ha: HighAvailability): string {
  return `${moves(ha)}${helpers}case $1 in
${roles(ha)}${daemons(ha)}esac
`;
}

/** Whether this pair's sessions are copied from one machine to the other. */
const copiesSessions = ({ translatedTo }: HighAvailability) => translatedTo !== undefined;

/** How addresses move, and copies of connections. */
function moves(ha: HighAvailability): string {
  const { move } = ha;
  return `#!/bin/sh
# Take-over of a NAT instance. Written by egress-bench.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
pids=/run/egress-bench-ha.d
${
  copiesSessions(ha)
    ? `state() { conntrackd -C /etc/egress-bench/conntrackd.conf "$@" >/dev/null 2>&1; }`
    : `# Sessions end with the machine that carries them: there is nothing to copy.
state() { :; }`
}

${move.definitions ?? ""}
take_addresses() {
${move.take}
}

may_take_addresses() {
${move.allowed ?? "  :"}
}

release_addresses() {
${move.release}
}

`;
}

const helpers = `# One at a time, and what keepalived said last is what counts.
alone() { exec 9>/run/egress-bench-ha.lock; flock 9; }

role() { if [ -n "$1" ]; then echo "$1" > ${HA_ROLE_FILE}; else rm -f ${HA_ROLE_FILE}; fi; }

running() { kill -0 "$(cat "$pids/$1" 2>/dev/null)" 2>/dev/null; }

# Ahead of whatever else the machine does: sessions wait for it.
first() { renice -n -20 -p $$ >/dev/null 2>&1 || true; }

# Foreground of its own session, its number on record. Where the kernel shares time by sessions, those have a nice value too.
in_front='echo -20 > /proc/self/autogroup; exec nice -n -20 "$@"'
launch() { name=$1; shift; setsid sh -c "$in_front" sh "$@" </dev/null >"/run/egress-bench-$name.log" 2>&1 9>&- & echo $! > "$pids/$name"; }

`;

/** What keepalived calls. */
function roles(ha: HighAvailability): string {
  const copies = copiesSessions(ha);
  return `active)
  first
  alone
  state -c
  take_addresses || logger -t egress-bench "addresses not taken: status $?"
  role active
  date +%s >> /run/egress-bench-ha-takeovers
  # The other side is sent all of it, whatever it has.
  state -f; state -R; state -B
${copies ? lettingGo : ""}  ;;
standby)
  alone
  release_addresses
  state -t; state -n
  role standby
  ;;
check)
${
  copies
    ? `  # Each second: who else would see that the copies of connections have stopped?
  running conntrackd || "$0" start
`
    : ""
}${forwardingCheck(ha.check)}  ;;
`;
}

/** What starts and ends the pair's programs. */
function daemons(ha: HighAvailability): string {
  const copies = copiesSessions(ha);
  const running = daemonsOf(ha)
    .map((daemon) => `running ${daemon}`)
    .join(" && ");
  return `start)
  mkdir -p "$pids"
${copies ? startingConntrackd : ""}  running keepalived || launch keepalived keepalived --dont-fork --log-console --vrrp \\
    --use-file /etc/egress-bench/keepalived.conf --pid /run/egress-bench-keepalived.pid \\
    --vrrp_pid /run/egress-bench-keepalived-vrrp.pid
  ${running}
  ;;
allowed) may_take_addresses ;;
drain|stop)
  # Says good-bye: the other machine takes over at once, and what is under way here goes on meanwhile.
  kill "$(cat "$pids/keepalived")"
  while running keepalived; do sleep 0.02; done
  sleep 1
  alone
  release_addresses
  role ''
  [ "$1" = drain ] || { ${copies ? `kill "$(cat "$pids/conntrackd")"; ` : ""}exit 0; }
  flock -u 9
  "$0" start
  ;;
crash)
  for name in ${[...daemonsOf(ha)].reverse().join(" ")}; do kill -9 "$(cat "$pids/$name")"; done
  [ ! -s /run/egress-bench-keepalived-vrrp.pid ] || kill -9 "$(cat /run/egress-bench-keepalived-vrrp.pid)"
  release_addresses
  role ''
  ;;
`;
}

const lettingGo = `  # All were committed with the time of an established connection, which what is over would hold a port for.
  conntrack -U -f ipv4 -p udp --timeout ${UDP_SECONDS} >/dev/null 2>&1
  for over in TIME_WAIT CLOSE; do conntrack -D -p tcp --state $over >/dev/null 2>&1; done
`;

const startingConntrackd = `  running conntrackd || { rm -f /run/egress-bench-conntrackd.lock /run/egress-bench-conntrackd.ctl
    launch conntrackd conntrackd -C /etc/egress-bench/conntrackd.conf
    for _ in 1 2 3 4 5 6 7 8 9 10; do [ -S /run/egress-bench-conntrackd.ctl ] && break; sleep 0.1; done
    # What this machine tracks, and what the other one does.
    state -R; state -n; }
`;

function starting(ha: HighAvailability): string {
  const { self, peer, check, move, translatedTo, tunnel } = ha;
  const daemons = daemonsOf(ha);
  const logs = daemons.map((daemon) => `/run/egress-bench-${daemon}.log`).join(" ");
  const packages = HA_PACKAGES.filter((name) => name !== "conntrackd" || translatedTo !== undefined);
  return `${checkNetworkScript}
${tunnel ? tunnelScript(ha) : ""}set_up_pair() {
  for tool in ${daemons.join(" ")}; do
    command -v "$tool" >/dev/null || fail "$tool is missing; install ${packages.join(", ")}"
  done
  ip -o -4 address | grep -q ' inet ${self}/' || fail "highAvailability: this machine does not have the address ${self}"
  link=$(ip -4 route get ${peer} 2>/dev/null | route_device)
  # Another interface's default route is no link, nor is an interface whose cable is out.
  ip -o -4 address show dev "$link" 2>/dev/null | grep -q ' inet ${self}/' && ! ip link show dev "$link" | grep -q NO-CARRIER || link=
  [ -n "$link" ] || fail "highAvailability: there is no link to the other machine, ${peer}"
  # The packages' own would be others of the same name.
  [ ! -d /run/systemd/system ] || systemctl --quiet disable --now ${daemons.map((daemon) => `${daemon}.service`).join(" ")} || true
  mkdir -p /etc/egress-bench
${translatedTo === undefined ? "" : `  conntrackd_configuration | sed "s/@link@/$link/" > /etc/egress-bench/conntrackd.conf\n`}${tunnel ? "  set_up_tunnel\n" : ""}${ha.outerAddress === undefined ? "" : "  set_up_outer_address\n"}  keepalived_configuration | sed "s/@link@/$link/" > /etc/egress-bench/keepalived.conf
  ha_program > ${HA_PROGRAM}
  chmod 755 ${HA_PROGRAM}
  set_up_check
  ${HA_PROGRAM} allowed || fail "highAvailability: this machine could not take over${move.refusal === undefined ? "" : `: ${move.refusal}`}"
  ${HA_PROGRAM} start || fail "highAvailability: ${daemons.join(" or ")} does not run: $(tail -n 2 ${logs} | paste -s -d ' ' -)"
  for _ in $(seq 50); do [ ! -s ${HA_ROLE_FILE} ] || break; sleep 0.1; done
  [ -s ${HA_ROLE_FILE} ] || fail "highAvailability: neither active nor standby after 5 s: $(tail -n 2 /run/egress-bench-keepalived.log | paste -s -d ' ' -)"
  ${HA_PROGRAM} check || note "forwarding to ${check.address}:${check.port} does not work yet"
}
`;
}
