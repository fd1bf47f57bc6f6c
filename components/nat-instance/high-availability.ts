/**
 * The set-up of a pair of NAT instances: conntrackd keeps the standby's copy of the connections, and the program of `pair/`
 * decides which machine carries and takes over. Lab and clouds share it; only what a take-over moves differs.
 */

import { checkNetworkScript } from "./forwarding-check.ts";
import type { HighAvailability } from "./high-availability-args.ts";
import { outerAddressScript } from "./outer-address.ts";
import { conntrackdConfiguration, HA_PROGRAM, MIRROR_EDITS } from "./pair-configuration.ts";
import {
  PAIR_ACKNOWLEDGED,
  PAIR_DIRECTORY,
  PAIR_PARAMETERS,
  pairParameters,
  pairSources,
} from "./pair-program.ts";

/** Debian and Ubuntu packages of a pair; one that copies no connections does without `conntrackd`. */
export const HA_PACKAGES = ["conntrack", "conntrackd", "python3"] as const;

/** Says which role a machine of a pair has: `active` or `standby`; not there while it has none. */
const HA_ROLE_FILE = "/run/egress-bench-ha";

/** Defines `set_up_pair`. Expects `fail`, `note`, `route_device`, `$out` and a loaded ruleset. */
export function pairScript(ha: HighAvailability): string {
  return `${copiesSessions(ha) ? heredoc("conntrackd_configuration", conntrackdConfiguration(ha)) : ""}
${heredoc("pair_parameters", `${JSON.stringify(pairParameters(ha))}\n`)}
pair_sources() {
${pairSources(ha.move.kind)
  .map(([path, text]) => `  cat > "$1/${path}" <<'END_OF_SOURCE'\n${text}END_OF_SOURCE\n`)
  .join("")}}
${ha.outerAddress === undefined ? "" : outerAddressScript(ha.outerAddress)}${starting(ha)}`;
}

function heredoc(name: string, text: string): string {
  return `\n${name}() {\n  cat <<'END_OF_TEXT'\n${text}END_OF_TEXT\n}\n`;
}

/** Whether this pair's sessions are copied from one machine to the other. */
const copiesSessions = ({ translatedTo }: HighAvailability) => translatedTo !== undefined;

function starting(ha: HighAvailability): string {
  const { self, peer, check, refusal } = ha;
  const tools = ["python3", ...(copiesSessions(ha) ? ["conntrackd", "conntrack"] : [])];
  const packages = HA_PACKAGES.filter((name) => name === "python3" || copiesSessions(ha));
  return `${checkNetworkScript}
pair_unit() {
  cat <<END_OF_UNIT
${PAIR_UNIT}END_OF_UNIT
}

set_up_pair() {
  for tool in ${tools.join(" ")}; do
    command -v "$tool" >/dev/null || fail "$tool is missing; install ${packages.join(", ")}"
  done
  ip -o -4 address | grep -q ' inet ${self}/' || fail "highAvailability: this machine does not have the address ${self}"
  link=$(ip -4 route get ${peer} 2>/dev/null | route_device)
  # Another interface's default route is no link, nor is an interface whose cable is out.
  ip -o -4 address show dev "$link" 2>/dev/null | grep -q ' inet ${self}/' && ! ip link show dev "$link" | grep -q NO-CARRIER || link=
  [ -n "$link" ] || fail "highAvailability: no link to ${peer}"
${
  copiesSessions(ha)
    ? `  # The package's own would be another of the same name.
  [ ! -d /run/systemd/system ] || systemctl --quiet disable --now conntrackd.service || true
`
    : ""
}  mkdir -p /etc/egress-bench ${PAIR_DIRECTORY}
  pair_before=$(cat ${PAIR_DIRECTORY}/*.py ${PAIR_PARAMETERS} 2>/dev/null | cksum)
${copiesSessions(ha) ? `  conntrackd_configuration | sed "s/@link@/$link/" > /etc/egress-bench/conntrackd.conf\n  sed ${MIRROR_EDITS} /etc/egress-bench/conntrackd.conf > /etc/egress-bench/conntrackd-mirror.conf\n` : ""}${ha.outerAddress === undefined ? "" : "  set_up_outer_address\n"}  (umask 077; pair_parameters > ${PAIR_PARAMETERS})
  pair_sources ${PAIR_DIRECTORY}
  printf '#!/bin/sh\nexec python3 -B ${PAIR_DIRECTORY}/main.py "$@"\n' > ${HA_PROGRAM}
  chmod 755 ${HA_PROGRAM}
  set_up_check
  [ ! -d /run/systemd/system ] || { pair_unit > /etc/systemd/system/egress-bench-ha.service; systemctl daemon-reload; }
  # Another text of it than the one that runs: it is started again, and the other machine carries meanwhile. What the peer
  # tells depends on its version, which may be another one too.
  [ "$pair_before" = "$(cat ${PAIR_DIRECTORY}/*.py ${PAIR_PARAMETERS} | cksum)" ] || {
    rm -f ${PAIR_ACKNOWLEDGED}
    kill "$(cat /run/egress-bench-ha.d/daemon 2>/dev/null)" 2>/dev/null || true
  }
  # Before its role is tried: where the cloud does not answer yet, it takes over as soon as it does.
  ${HA_PROGRAM} start || fail "highAvailability: the pair's program does not run: $(tail -n 2 /run/egress-bench-supervisor.log 2>/dev/null | paste -s -d ' ' -)"
  for _ in $(seq 50); do [ ! -s ${HA_ROLE_FILE} ] || break; sleep 0.1; done
  [ -s ${HA_ROLE_FILE} ] || fail "highAvailability: no role after 5 s"
  ${HA_PROGRAM} allowed || fail "highAvailability: this machine could not take over${refusal === undefined ? "" : `: ${refusal}`}"
  ${HA_PROGRAM} check || note 'forwarding to ${check.address}:${check.port} does not work yet'
}
`;
}

/** The pair's program is started by the set-up, after the rules, and whenever it ends. conntrackd outlives it. */
const PAIR_UNIT = `[Unit]
Description=egress-bench-ha
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/bin/env python3 -B ${PAIR_DIRECTORY}/main.py serve
Restart=always
RestartSec=0.2
KillMode=process
OOMScoreAdjust=-900
`;
