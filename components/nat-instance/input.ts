/**
 * The NAT instance's own firewall: what may reach the machine itself. Everything else is dropped, whatever security group
 * stands before the machine.
 */
import { cidrContains, isEverybody } from "../shared/cidr.ts";
import type { NatSetupArgs } from "./args.ts";
import { NAT64_DEVICE } from "./operators/index.ts";
import { ownAnswerRules } from "./own-requests.ts";
import { SIGNS_PORT, SYNC_PORT } from "./pair-configuration.ts";

const SSH_PORT = 22;

/**
 * A DHCP server may answer a broadcast, which is of no tracked flow: a renewal by a lease's own server is of one, on any
 * interface. Servers' addresses are not known, so their interface is checked. IPv6 hosts are on each link, its routers outside.
 */
const addressing = [
  "iifname $out_interface udp sport 67 udp dport 68 accept",
  "iifname $out_interface ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept",
  "iifname $out_interface icmpv6 type nd-router-advert accept",
  "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, mld-listener-query } accept",
];

/**
 * The chain `input`. ICMP errors, path MTU's among them, are related to a tracked flow.
 *
 * @param privateHosts An expression of the private hosts' blocks, as rules compare with them.
 */
export function inputChain(args: NatSetupArgs, privateHosts: string): string {
  const { inbound = [], highAvailability, nat64 } = args;
  const rules = [
    // Ahead of known flows: during a hand-over some are only half known, and the machine itself would reset them.
    ...(highAvailability?.translatedTo === undefined
      ? []
      : [`ip daddr ${highAvailability.translatedTo} drop`]),
    // A flow is known by its addresses and ports, whichever link brings it.
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
 * Private hosts are let in by a block of their own, and not by everything, however it is cut into blocks. Nor is everybody let
 * in by another interface than the one outside: whoever is there may have any address.
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

/** Blocks that let private hosts in as well: of blocks that are everybody's together, those within a private block alone. */
export function namedLogins(cidrs: readonly string[], privateCidrs: readonly string[]): string[] {
  return isEverybody(cidrs)
    ? cidrs.filter((cidr) => privateCidrs.some((block) => cidrContains(block, cidr)))
    : [...cidrs];
}

/**
 * Signs of life and copies of connections: from the other machine, by the link that leads to it. Nothing else from its address or the
 * moving one: a private host's connection through the other machine has one of them.
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
