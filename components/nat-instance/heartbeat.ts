/**
 * Shell functions that have a NAT instance say at intervals whether it forwards, where somebody is to act when it does not.
 */
import { checkNetworkScript } from "./forwarding-check.ts";

/** Between two beats. */
export const BEAT_SECONDS = 15;

/** There from the moment that the machine's own system goes down. */
export const LEAVING_FILE = "/run/egress-bench-leaving";

const HEARTBEAT_PROGRAM = "/usr/local/sbin/egress-bench-nat-heartbeat";

/**
 * Defines `set_up_heartbeat`. Expects `note` and `repeat`.
 *
 * @param program A shell program, called each {@link BEAT_SECONDS}, and with `leave` as the machine goes down, which tests
 * forwarding from the network `ebcheck`.
 */
export function heartbeatScript(program: string): string {
  return `${checkNetworkScript}
heartbeat_program() {
  cat <<'END_OF_HEARTBEAT'
${program}END_OF_HEARTBEAT
}

leave_unit() {
  cat <<'END_OF_UNIT'
[Unit]
Description=egress-bench NAT instance says when it goes down
# What starts after these stops before them.
After=network-online.target nss-lookup.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/rm -f ${LEAVING_FILE}
ExecStop=${HEARTBEAT_PROGRAM} leave
TimeoutStopSec=20
END_OF_UNIT
}

set_up_heartbeat() {
  set_up_check
  heartbeat_program > ${HEARTBEAT_PROGRAM}
  chmod 755 ${HEARTBEAT_PROGRAM}
  said=$(${HEARTBEAT_PROGRAM} 2>&1) || note "no heartbeat: $said"
  repeat egress-bench-nat-heartbeat ${BEAT_SECONDS} ${HEARTBEAT_PROGRAM}
  [ -d /run/systemd/system ] || return 0
  leave_unit > /run/systemd/system/egress-bench-nat-leave.service
  { systemctl daemon-reload && systemctl --no-block start egress-bench-nat-leave; } ||
    note "does not say when it goes down: systemd does not start egress-bench-nat-leave"
}
`;
}
