/**
 * Shell functions that notice when something else has changed a NAT instance's rules or kernel settings, and have them set
 * up again.
 */
import { DATA_PLANE_FILE } from "./data-plane.ts";
import { NAT_TABLE } from "./ruleset.ts";
import { SYSCTL_FILE } from "./sysctls.ts";

/** One line a drift that was mended: when, in UTC. Gone with the machine's next boot. */
export const DRIFTS_FILE = "/run/egress-bench-nat-drifts";

/** The argument with which the set-up script does nothing where all is still as it left it. */
export const IF_DRIFTED = "if-drifted";

const iptables = `  ! grep -qsx iptables ${DATA_PLANE_FILE} ||
    iptables -w 10 -t nat -S POSTROUTING 2>/dev/null | grep -w egress-bench || :
`;

/**
 * Defines `in_force`, which prints what decides what is forwarded: kernel settings and the rules of the data plane, of no
 * other table. The same as long as nobody changes them.
 */
export const inForceScript = (iptablesToo = iptables) => `
settings_in_force() {
  [ ! -f ${SYSCTL_FILE} ] || sysctl -e $(sed -n 's/^-\\(.*\\) = .*/\\1/p' ${SYSCTL_FILE}) 2>/dev/null || :
}

rules_in_force() {
  nft -s list table inet ${NAT_TABLE} 2>/dev/null || :
${iptablesToo}}

in_force() { settings_in_force; rules_in_force; }
`;

/** Looks are cheap, some 20 ms. A change of rules is looked at at once (guard.ts); one of kernel settings has no event. */
const SECONDS = 15;

/**
 * Defines `remember_set_up` and `leave_unless_drifted`. Expects `note`, `repeat` and `$loaded`, the rules as they were listed when
 * they had just been loaded: what changes them before the set-up ends is a drift.
 *
 * @param pair Whether it is a pair's machine, whose data plane is never iptables and whose user data is small.
 */
export const driftScript = (pair: boolean) => `${inForceScript(pair ? "" : iptables)}
in_force_file=/run/egress-bench-nat-in-force
drifts_file=${DRIFTS_FILE}

leave_unless_drifted() {
  changes=$(in_force | diff "$in_force_file" - 2>&1) && exit
  echo "egress-bench: something else has changed rules or kernel settings, which are set up again:"
  printf '%s\\n' "$changes" | sed -n '/^[<>]/p' | head -n 10
  date -u +%Y-%m-%dT%H:%M:%SZ >> "$drifts_file"
}

remember_set_up() {
  { settings_in_force; printf '%s\\n' "$loaded"; } > "$in_force_file"
  [ ! -s "$drifts_file" ] ||
    note "rules or kernel settings set up again because something else had changed them: $(wc -l < "$drifts_file") times, last at $(tail -n 1 "$drifts_file")"
  [ ! -f "$program" ] || repeat egress-bench-nat-drift ${SECONDS} /bin/sh "$program" ${IF_DRIFTED}
}
`;
