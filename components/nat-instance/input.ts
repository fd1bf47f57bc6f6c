/**
 * The NAT instance's own firewall for traffic to the machine itself. Everything else is dropped, whatever the security
 * group allows.
 */
import { cidrContains, isEverybody } from "../shared/cidr.ts";
import type { NatSetupArgs } from "./args.ts";
import { NAT64_DEVICE } from "./operators/index.ts";
import { ownAnswerRules } from "./own-requests.ts";
import { SIGNS_PORT, SYNC_PORT } from "./pair-configuration.ts";

const SSH_PORT = 22;

/**
 * Rules for DHCP and IPv6 neighbours. A DHCP answer to a broadcast belongs to no tracked flow; a renewal does, on any
 * interface. Servers' addresses are unknown, so their interface is checked. IPv6 hosts are on each link, its routers
 * outside.
 */
const addressing = [
  "iifname $out_interface udp sport 67 udp dport 68 accept",
  "iifname $out_interface ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept",
  "iifname $out_interface icmpv6 type nd-router-advert accept",
  "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, mld-listener-query } accept",
];

/**
 * The chain `input`. ICMP errors, such as path MTU's, are related to a tracked flow.
 * @param privateHosts Expression of the private hosts' blocks, for comparison in rules.
 */
export function inputChain(args: NatSetupArgs, privateHosts: string): string {
  const { inbound = [], highAvailability, nat64 } = args;
  const rules = [
    // Ahead of known flows: during a hand-over some flows are only half known, and the machine itself would reset them.
    ...(highAvailability?.translatedTo === undefined
      ? []
      : [`ip daddr ${highAvailability.translatedTo} drop`]),
    // Flows are known by addresses and ports, on any link.
    ...(highAvailability === undefined
      ? []
      : [`iifname != $pair_link ip saddr ${highAvailability.peer} drop`]),
    ...(nat64 ? [`iifname "${NAT64_DEVICE}" drop`] : []),
    "ct state established,related accept",
    'iifname "lo" accept',
    ...ownAnswerRules(highAvailability),
    ...addressing,
    ...pairRules(args),
    `ip saddr ${privateHosts} icmp type echo-request accept`,
    ...loginRules(args, privateHosts),
    ...[...inbound, ...(highAvailability?.inbound ?? [])].map(
      ({ protocol, port, cidrs }) => `ip saddr { ${cidrs.join(", ")} } ${protocol} dport ${port} accept`,
    ),
  ];
  return `
	chain input {
		type filter hook input priority filter; policy drop;
${rules.map((rule) => `\t\t${rule}\n`).join("")}	}
`;
}

/**
 * Rules for logins. Private hosts need a block of their own: a block of all addresses, however split, does not admit them.
 * Nor does it admit other interfaces than the outside one, where hosts may forge addresses.
 */
function loginRules({ sshCidrs = [], privateCidrs }: NatSetupArgs, privateHosts: string): string[] {
  const named = namedLogins(
    sshCidrs.filter((cidr) => cidr !== EVERYWHERE),
    privateCidrs,
  );
  const from = sshCidrs.includes(EVERYWHERE) ? "" : `ip saddr { ${sshCidrs.join(", ")} } `;
  return [
    ...(named.length === 0 ? [] : [`ip saddr { ${named.join(", ")} } tcp dport ${SSH_PORT} accept`]),
    ...(isEverybody(sshCidrs)
      ? [`iifname $out_interface ${from}ip saddr != ${privateHosts} tcp dport ${SSH_PORT} accept`]
      : []),
  ];
}

/** Every address, as one block. */
export const EVERYWHERE = "0.0.0.0/0";

/**
 * Blocks that admit private hosts as well. If the blocks together are the whole internet, only those within a private
 * block.
 */
export function namedLogins(cidrs: readonly string[], privateCidrs: readonly string[]): string[] {
  return isEverybody(cidrs)
    ? cidrs.filter((cidr) => privateCidrs.some((block) => cidrContains(block, cidr)))
    : [...cidrs];
}

/**
 * Rules for signs of life and copies of connections from the other machine, by the link that leads to it. Nothing else from
 * its address or the moving one: a private host's connection through the other machine has one of them.
 */
function pairRules({ highAvailability: ha }: NatSetupArgs): string[] {
  if (ha === undefined) {
    return [];
  }
  const fromPeer = `iifname $pair_link ip saddr ${ha.peer}`;
  return [
    `${fromPeer} udp dport ${SIGNS_PORT} accept`,
    ...(ha.translatedTo === undefined ? [] : [`${fromPeer} udp dport ${SYNC_PORT} accept`]),
    `ip saddr { ${[ha.peer, ...(ha.translatedTo === undefined ? [] : [ha.translatedTo])].join(", ")} } drop`,
  ];
}
