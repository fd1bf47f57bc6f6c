/** Shell functions that put a data plane in force: the one asked for, or the next simpler one. */
import type { DataPlane } from "../../bench/results/hosts.ts";
import type { NatSetupArgs } from "./args.ts";
import { flowtableRules, inputRuleset, natRuleset } from "./ruleset.ts";

/** Where a machine says which data plane it runs, one word. */
export const DATA_PLANE_FILE = "/run/egress-bench-data-plane";

/** The data plane of a NAT instance by default. */
export const DEFAULT_DATA_PLANE: DataPlane = "flowtable";

/** Packages that a data plane needs beside those of every NAT instance. */
export function dataPlanePackages(dataPlane: DataPlane = DEFAULT_DATA_PLANE): readonly string[] {
  return dataPlane === "iptables" ? ["iptables"] : [];
}

/**
 * Defines `load_data_plane`, which leaves the data plane's name in `$data_plane` and in {@link DATA_PLANE_FILE}.
 * Expects `$out`, `$data`, `fail` and `note`.
 */
export function dataPlaneLoading(args: NatSetupArgs): string {
  const { dataPlane = DEFAULT_DATA_PLANE, strict = false } = args;
  const otherwise = strict
    ? `fail "this machine has no ${dataPlane} data plane, and strict was asked for: $reason"`
    : "load_nftables";
  const first = {
    flowtable: `load_flowtable || ${lacking("no flowtable, every packet takes the slow path", otherwise)}`,
    nftables: "load_nftables",
    iptables: `load_iptables || ${lacking("no iptables, its work is done by nftables", otherwise)}`,
  }[dataPlane];
  // A pair has never had another one's rule.
  const alone = args.highAvailability === undefined;
  return `${nftablesFunctions(args)}${dataPlane === "iptables" ? iptablesLoading(args) : ""}${alone ? iptablesRemoval : ""}
load_data_plane() {
  rm -f ${DATA_PLANE_FILE}
  ${first}
${alone ? '  [ "$data_plane" = iptables ] || remove_iptables\n' : ""}  echo "$data_plane" > ${DATA_PLANE_FILE}
}
`;
}

function lacking(what: string, otherwise: string): string {
  return otherwise.startsWith("fail") ? otherwise : `{ ${otherwise}; note "${what}: $reason"; }`;
}

function nftablesFunctions(args: NatSetupArgs): string {
  return `
ruleset_file=/etc/egress-bench/nat.nft

definitions() {
  printf 'define out_interface = "%s"\\n' "$out"
  printf 'define data_interfaces = { %s }\\n' "$(printf '%s' "$data" | sed 's/ /, /g')"
${pairLink(args)}}

ruleset() {
  cat <<'END_OF_RULESET'
${natRuleset(args)}END_OF_RULESET
}

flowtable() {
  cat <<'END_OF_FLOWTABLE'
${flowtableRules}END_OF_FLOWTABLE
}

load_flowtable() {
  mkdir -p /etc/egress-bench
  { definitions; ruleset; flowtable; } > "$ruleset_file"
  data_plane=flowtable
  said=$(nft -f "$ruleset_file" 2>&1) && return
  reason=$(printf '%s' "$said" | sed -n '1s/.*Error: //p')
  return 1
}

load_nftables() {
  mkdir -p /etc/egress-bench
  { definitions; ruleset; } > "$ruleset_file"
  data_plane=nftables
  nft -f "$ruleset_file" || fail "nftables does not take the ruleset in $ruleset_file"
}
`;
}

/** The interface by which the other machine of a pair is reached; set-up fails later where there is none. */
function pairLink({ highAvailability }: NatSetupArgs): string {
  return highAvailability === undefined
    ? ""
    : `  pair_link=$(ip -4 route get ${highAvailability.peer} 2>/dev/null | route_device)
  printf 'define pair_link = "%s"\\n' "\${pair_link:-none}"
`;
}

/** fck-nat's one rule (service/fck-nat.sh of its repository), beside which the machine keeps its own firewall. */
function iptablesLoading(args: NatSetupArgs): string {
  return `
input_ruleset() {
  cat <<'END_OF_RULESET'
${inputRuleset(args)}END_OF_RULESET
}

load_iptables() {
  data_plane=iptables
  reason='there is no program iptables'
  command -v iptables >/dev/null || return
  iptables_rule -C >/dev/null || reason=$(iptables_rule -A | head -n 1)
  iptables_rule -C >/dev/null || return
  mkdir -p /etc/egress-bench
  { definitions; input_ruleset; } > "$ruleset_file"
  nft -f "$ruleset_file" || fail "nftables does not take the ruleset in $ruleset_file"
}
`;
}

const iptablesRemoval = `
# iptables_rule -C|-A|-D: asks for, adds or deletes the rule.
iptables_rule() {
  iptables -w 10 -t nat "$1" POSTROUTING -o "$out" -m comment --comment egress-bench -j MASQUERADE 2>&1
}

remove_iptables() {
  ! command -v iptables >/dev/null || while iptables_rule -D >/dev/null; do :; done
}
`;
