/**
 * The shell script that makes a NAT instance of a Linux machine: of a cloud's, as user data, and of a host of the
 * local lab, as the very same text.
 */
import { checkNatSetupArgs, type NatSetupArgs } from "./args.ts";
import { DEFAULT_DATA_PLANE, dataPlaneLoading } from "./data-plane.ts";
import { driftScript, IF_DRIFTED } from "./drift.ts";
import { guardScript } from "./guard.ts";
import { heartbeatScript } from "./heartbeat.ts";
import { pairScript } from "./high-availability.ts";
import { METRICS_DIRECTORY, metricsScript } from "./metrics-script.ts";
import { NAT64_POOL, nat64Script, upgradeWindowScript } from "./operators/index.ts";
import { conntrackMaxScript, SYSCTL_FILE, type Sysctl, sysctlsOf } from "./sysctls.ts";
import { tuningScript } from "./tuning-script.ts";

/** The systemd unit that sets NAT up again at each boot. */
export const NAT_UNIT = "egress-bench-nat-instance.service";

/** Where a machine keeps the set-up script. */
const NAT_PROGRAM = "/usr/local/sbin/egress-bench-nat-instance";

/** Where a host keeps what the results must say about it, one line a note. */
export const NOTES_FILE = "/run/egress-bench-notes";

/**
 * A POSIX shell script that sets up NAT: nftables ruleset, kernel settings, interfaces, a systemd unit that runs it again
 * at each boot, and a timer that runs it where something else has changed rules or kernel settings. Idempotent. It finds
 * the interfaces itself: the outside one by the default route, those of the flowtable by the routes to the private blocks.
 *
 * A missing optional feature adds a line to {@link NOTES_FILE}; a missing requirement ends the script with status 1 and one
 * line on stderr that names it.
 *
 * @example
 * natSetup({ privateCidrs: ["10.0.1.0/24"] })
 * @throws {Error} naming each bad argument, its value and what is allowed.
 */
export function natSetup(args: NatSetupArgs): string {
  checkNatSetupArgs(args);
  const { dataPlane = DEFAULT_DATA_PLANE, highAvailability, upgradeWindow, publisher, heartbeat } = args;
  const { metricsDirectory = publisher && METRICS_DIRECTORY } = args;
  return [
    preamble,
    interfaces(args),
    dataPlaneLoading(args),
    sysctlSetting(args),
    // fck-nat leaves the interfaces as they are.
    dataPlane === "iptables"
      ? "tune_interfaces() { :; }\n"
      : tuningScript(highAvailability?.move.kind !== "ec2"),
    persistence(highAvailability !== undefined),
    driftScript(highAvailability !== undefined),
    guardScript([...args.privateCidrs, ...(args.nat64 ? [NAT64_POOL] : [])]),
    ...(highAvailability === undefined ? [] : [pairScript(highAvailability)]),
    ...(metricsDirectory === undefined ? [] : [metricsScript(metricsDirectory, publisher)]),
    ...(heartbeat === undefined ? [] : [heartbeatScript(heartbeat)]),
    ...(upgradeWindow === undefined ? [] : [upgradeWindowScript(upgradeWindow)]),
    ...(args.privateIpv6Cidrs === undefined ? [] : [ipv6Forwarding]),
    ...(args.nat64 ? [nat64Script] : []),
    main((args.sourceAddresses ?? []).length > 0, [
      ...(highAvailability === undefined ? [] : ["set_up_pair"]),
      ...(metricsDirectory === undefined ? [] : ["write_metrics"]),
      ...(heartbeat === undefined ? [] : ["set_up_heartbeat"]),
      ...(upgradeWindow === undefined ? [] : ["set_upgrade_window"]),
      ...(args.privateIpv6Cidrs === undefined ? [] : ["forward_ipv6"]),
      ...(args.nat64 ? ["set_up_nat64"] : []),
    ]),
  ].join("\n");
}

/** A forwarding machine ignores router advertisements, which carry its own address and route, unless accept_ra is 2. */
const ipv6Forwarding = `
forward_ipv6() {
  set_sysctl "net/ipv6/conf/$out/accept_ra" 2 || note "router advertisements are not taken on $out: accept_ra is read-only here"
  set_sysctl net.ipv6.conf.all.forwarding 1 || fail "net.ipv6.conf.all.forwarding cannot be set to 1"
}
`;

const preamble = `#!/bin/sh
# Makes this machine a NAT instance. Written by egress-bench; may be run again at any time.
set -eu
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

fail() {
  printf 'egress-bench: %s\\n' "$*" >&2
  exit 1
}

note() {
  printf '%s\\n' "$*" | tee -a ${NOTES_FILE}
}

# Again and again from now on, where there is systemd; until the next boot, which starts it anew.
repeat() {
  name=$1 seconds=$2; shift 2
  [ ! -d /run/systemd/system ] || systemctl is-active --quiet "$name.timer" || systemd-run --quiet --unit "$name" \\
    --timer-property AccuracySec=1s --on-active "$seconds" --on-unit-active "$seconds" "$@" ||
    note "not run every $seconds s: systemd does not start $name.timer"
}

[ "$(id -u)" = 0 ] || fail "the NAT instance set-up needs root; run it with sudo"
for tool in nft ip sysctl; do
  command -v "$tool" >/dev/null || fail "$tool is missing; install nftables, iproute2 and procps"
done
`;

// Several networks may have an eth0, and sysfs may show another network's: it counts if index and address agree.
// No interface that belongs to another counts, as an Azure virtual function does to eth0.
const physicalInterfaces = `in_sysfs() {
  of_link=$(ip -o link show dev "$1" | sed -n 's,^\\([0-9]*\\):.* link/[a-z]* \\([^ ]*\\).*,\\1 \\2,p')
  [ "$of_link" = "$(cat "/sys/class/net/$1/ifindex" "/sys/class/net/$1/address" 2>/dev/null | paste -s -d ' ' -)" ]
}

physical_interfaces() {
  for name in $(ip -o link show up | grep -v ' master ' | sed -n 's/^[0-9]*: \\([^:@]*\\).*/\\1/p'); do
    if in_sysfs "$name" && [ -e "/sys/class/net/$name/device" ]; then echo "$name"; fi
  done
}

`;

function interfaces({ privateCidrs, outInterface = "", sourceAddresses = [] }: NatSetupArgs): string {
  return `
route_device() {
  sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' | head -n 1
}

find_out_interface() {
  out=${outInterface}
  [ -n "$out" ] || out=$(ip -4 route show default | route_device)
  [ -n "$out" ] || fail "no IPv4 default route shows the outside interface; add one or set outInterface"
  ip link show dev "$out" >/dev/null 2>&1 || fail "outInterface: there is no interface $out"
}

${physicalInterfaces}find_data_interfaces() {
  data=$({
    echo "$out"
    for block in ${privateCidrs.map((cidr) => cidr.replace(/\/.*/, "")).join(" ")}; do
      ip -4 route get "$block" 2>/dev/null | route_device
    done
    physical_interfaces
  } | grep -vx lo | sort -u | paste -s -d ' ' -)
}
${addingAddresses(sourceAddresses)}`;
}

function addingAddresses(addresses: readonly string[]): string {
  return addresses.length === 0
    ? ""
    : `
add_source_addresses() {
  for address in ${addresses.join(" ")}; do
    ip -o -4 address show dev "$out" | grep -qF " inet $address/" ||
      ip address add "$address/32" dev "$out" || fail "sourceAddresses: $out does not take $address"
  done
}
`;
}

function sysctlSetting(args: NatSetupArgs): string {
  const { machine, offOnEachInterface } = sysctlsOf(args);
  return `
sysctl_file=${SYSCTL_FILE}

# A value counts if it is in force afterwards, whoever set it.
set_sysctl() {
  printf -- '-%s = %s\\n' "$1" "$2" >> "$sysctl_file"
  sysctl -q -w "$1=$2" >/dev/null 2>&1 || true
  [ "$(sysctl -n "$1" 2>/dev/null)" = "$2" ]
}

want_sysctl() { set_sysctl "$1" "$2" || left="$left $1"; }

set_sysctls() {
  ${conntrackMaxScript.replaceAll("\n", "\n  ")}
  mkdir -p /etc/sysctl.d
  echo '# egress-bench' > "$sysctl_file"
  left=
${machine.map(sysctlLines).join("\n")}
  for link in $data; do
${offOnEachInterface.map((key) => `    set_sysctl "net/ipv4/conf/$link/${key}" 0 || left="$left $link/${key}"`).join("\n")}${takesNoRouters(args)}
  done
  [ -z "$left" ] || note "sysctls that are absent or read-only here:$left"
}
`;
}

/** Ahead of the rules, which drop a private host's advertisements too. A cloud's pair has one interface, and its user data is small. */
function takesNoRouters({ highAvailability }: NatSetupArgs): string {
  return highAvailability === undefined
    ? `
    [ "$link" = "$out" ] || set_sysctl "net/ipv6/conf/$link/accept_ra" 0 || :`
    : "";
}

function sysctlLines({ key, value, why, required }: Sysctl): string {
  const set = required
    ? `set_sysctl ${key} ${value} || fail "${key} cannot be set to ${value}"`
    : `want_sysctl ${key} ${value}`;
  return `  # ${why}\n  ${set}`;
}

/** @param again Whether a set-up that fails is tried again by systemd, as where the cloud did not answer at boot. */
const persistence = (again: boolean) => `
program=${NAT_PROGRAM}
unit=${NAT_UNIT}

unit_text() {
  cat <<END_OF_UNIT
[Unit]
Description=egress-bench NAT instance
# nftables.service flushes all rulesets when it starts.
After=network-online.target nftables.service
Wants=network-online.target
${again ? "StartLimitIntervalSec=0\n" : ""}
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh $program
${again ? "Restart=on-failure\nRestartSec=10\n" : ""}
[Install]
WantedBy=multi-user.target
END_OF_UNIT
}

run_at_each_boot() {
  [ ! -f "$0" ] || cmp -s "$0" "$program" || install -D -m 700 "$0" "$program"
  [ -d /run/systemd/system ] || return 0
  if [ ! -f "$0" ]; then
    note "not set up again at the next boot or after a change: the script was not run from a file"
    return
  fi
  unit_text > "/etc/systemd/system/$unit"
  { systemctl daemon-reload && systemctl --quiet enable "$unit"; } ||
    note "not set up again at the next boot: systemd does not enable $unit"
${
  again
    ? `  # The first set-up, which is nobody's unit: it fails, and the unit goes on trying.
  trap '[ "$?" = 0 ] || [ "$0" = "$program" ] || systemctl start --no-block "$unit"' EXIT
`
    : ""
}}
`;

// The ruleset before ip_forward, so that nothing is ever forwarded unfiltered; it also loads what many sysctls need.
const main = (adds: boolean, more: readonly string[]) => `
# One at a time: half a set-up would look like a drift. What a step starts must not hold the lock.
# Any account that may open the lock could hold it.
umask 77
exec 9> /run/egress-bench-nat.lock
umask 22
flock 9
[ "\${1-}" != ${IF_DRIFTED} ] || leave_unless_drifted
: > ${NOTES_FILE}
find_out_interface
find_data_interfaces
${adds ? "add_source_addresses\n" : ""}load_data_plane
loaded=$(rules_in_force)
set_sysctls
tune_interfaces
run_at_each_boot
${more.map((step) => `${step} 9>&-\n`).join("")}remember_set_up
echo "NAT instance: $data_plane, out by $out, data interfaces $data, room for $(sysctl -n net.netfilter.nf_conntrack_max) connections"
start_guard "$@" 9>&-
`;
