/**
 * The guard of a NAT instance whose rules are missing: a table of its own, held by a program that sets the rules up again at once.
 */
import { readFileSync } from "node:fs";
import { IF_DRIFTED } from "./drift.ts";

/** Where a machine keeps the program. */
export const GUARD_PROGRAM = "/usr/local/sbin/egress-bench-nat-guard";

/**
 * The rules that the program holds.
 *
 * Only the first packet of a flow that nothing has translated yet reaches the chain: other packets pay nothing. While a chain
 * of this type and a rule with `ct` exist, the kernel keeps tracking and translating the flows that it knows.
 * @param out The outside interface, or what the shell puts there.
 */
export function guardRules(privateCidrs: readonly string[], out: string): string {
  const rules = privateCidrs.map((cidr) => `ip saddr ${cidr} oifname ${out} ct state new drop;`).join(" ");
  return `table inet egress_bench_guard { flags owner; chain left { type nat hook postrouting priority srcnat + 1; ${rules} }; }`;
}

/**
 * Defines `start_guard`, which begins it anew with each set-up but one that it has started itself. Expects `$out`, `$program` and
 * `note`.
 */
export function guardScript(privateCidrs: readonly string[]): string {
  return `
start_guard() {
  cat > ${GUARD_PROGRAM} <<'END_OF_SOURCE'
${readFileSync(new URL("./guard.sh", import.meta.url), "utf8").replaceAll(/^#.*\n/gm, "")}END_OF_SOURCE
  [ -d /run/systemd/system ] || return 0
  guard=egress-bench-nat-guard
  [ "\${1-}" = ${IF_DRIFTED} ] || systemctl -q stop $guard 2>/dev/null || :
  systemctl is-active --quiet $guard || systemd-run -qu $guard -p Restart=always -p RestartSec=3 \\
    sh ${GUARD_PROGRAM} "${guardRules(privateCidrs, "$out")}" "$program" || note "$guard does not start"
}
`;
}
