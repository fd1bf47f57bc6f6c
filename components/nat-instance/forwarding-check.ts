/**
 * How a NAT instance tests that it forwards, and not that a process lives: a network of its own behind the machine connects
 * to an address outside, through the machine's own rules and translation, and back.
 */

/** The client's address in that network. */
export const CHECK_CLIENT = "169.254.77.2";

const CHECK_LINK = "ebcheck0";
const CHECK_GATEWAY = "169.254.77.1";

/** Rules that let the client out, by the machine's own address. */
export const checkRules = {
  forward: `iifname "${CHECK_LINK}" ct state new accept`,
  postrouting: `ip saddr ${CHECK_CLIENT} oifname $out_interface masquerade`,
} as const;

/** Defines `set_up_check`, which makes the network. */
export const checkNetworkScript = `
set_up_check() {
  ip netns list | grep -q '^ebcheck' && return
  ip netns add ebcheck
  ip link add ${CHECK_LINK} type veth peer name eth0 netns ebcheck
  ip address add ${CHECK_GATEWAY}/30 dev ${CHECK_LINK}
  ip link set ${CHECK_LINK} up
  ip -n ebcheck address add ${CHECK_CLIENT}/30 dev eth0
  ip -n ebcheck link set eth0 up
  ip -n ebcheck route add default via ${CHECK_GATEWAY}
}
`;

/** Shell that ends with status 0 if a connection goes out and back within a second. Needs bash. */
export function forwardingCheck(check: {
  /** IPv4 address, a name, or shell that yields one. */
  readonly address: string;
  readonly port: number;
}): string {
  return `  # Out and back through this machine's own forwarding; a refusal is an answer.
  # A name is looked up here, and its last address stands where no name server answers.
  address=$(timeout 1 getent ahostsv4 ${check.address} | sed -n '1s/ .*//p')
  [ -n "$address" ] && echo "$address" > /run/egress-bench-ha-check || address=$(cat /run/egress-bench-ha-check)
  said=$(ip netns exec ebcheck timeout 1 bash -c "exec 3<>/dev/tcp/$address/${check.port}" 2>&1) && exit
  case $said in *refused*) exit 0 ;; esac
  exit 1
`;
}
