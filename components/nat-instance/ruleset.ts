/** The nftables ruleset of a NAT instance. IPv6 is forwarded untranslated for the given blocks, and otherwise dropped. */
import type { NatSetupArgs } from "./args.ts";
import { checkRules, toOwn } from "./forwarding-check.ts";
import { inputChain } from "./input.ts";
import { NAT64_POOL, nat64Rules } from "./operators/index.ts";
import { ownRequestChains } from "./own-requests.ts";
import { setUpText } from "./part.ts";

/**
 * Services that trust requests from this machine: metadata and credentials of AWS and Azure, and Azure's platform. A
 * client's request through the NAT instance would count as the machine's own.
 */
const OWN_TO_THE_MACHINE = "{ 169.254.0.0/16, 168.63.129.16 }";
/** The metadata service's IPv6 address, on AWS only: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html */
const OWN_TO_THE_MACHINE_IPV6 = "fd00:ec2::/32";

/** Name of the one table that holds everything below; other tables are not touched. */
export const NAT_TABLE = "egress_bench";

/**
 * The ruleset without its flowtable; {@link flowtableRules} goes after it.
 *
 * Loading it replaces the table in one transaction. It expects `out_interface` and `out_address` to be defined.
 * @param args Checked arguments.
 * @param known Whether the outside interface has one known address, and so `out_address` is defined.
 */
export function natRuleset(args: NatSetupArgs, known = true): string {
  const fromPrivate = `ip saddr ${privateBlocks(args)} oifname $out_interface`;
  const translated = args.nat64
    ? [fromPrivate, `ip saddr ${NAT64_POOL} oifname $out_interface`]
    : [fromPrivate];
  return `${emptyTable}
table inet ${NAT_TABLE} {
${ownRequestChains(args.highAvailability)}${firewall(args)}
	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
\t\t${checkRules.postrouting(known)}
${translated
  .flatMap((sources) => translations(args, known).map((translation) => `\t\t${sources} ${translation}`))
  .join("\n")}
	}
${portForwarding(args)}}
`.trimStart();
}

/** Leads ports of the machine's own addresses to private hosts. Packets that it only passes on have other addresses. */
function portForwarding({ forward = [] }: NatSetupArgs): string {
  const rules = forward.map(
    ({ protocol = "tcp", port, to, from }) =>
      `\t\tiifname $out_interface fib daddr type local ip saddr { ${from.join(", ")} } ${protocol} dport ${port} dnat ip to ${to}\n`,
  );
  return rules.length === 0
    ? ""
    : `\tchain port_forwarding {\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n${rules.join("")}\t}\n`;
}

/** The chains `forward` and `input`, with their set. An iptables data plane has no `forward` chain, like fck-nat. */
function firewall(args: NatSetupArgs, forwards = true): string {
  return `${privateSet(args)}${forwards ? forwardChain(args) : ""}${inputChain(args, privateBlocks(args))}`;
}

function forwardChain(args: NatSetupArgs): string {
  const blocks = privateBlocks(args);
  return `	chain forward {
		type filter hook forward priority filter; policy drop;
		ct state established,related accept
		ct state invalid drop
		ip daddr ${OWN_TO_THE_MACHINE} drop
		${spoofed("ip", blocks)}
		ip saddr ${blocks} oifname $out_interface ct state new accept
${args.forward ? "\t\tiifname $out_interface ct status dnat ct state new accept\n" : ""}${ipv6Rules(args)}\t\t${checkRules.forward}
	}
`;
}

/** Drops packets from outside with a private host's address, unless a route leads back by the same interface. */
const spoofed = (family: "ip" | "ip6", blocks: string) =>
  `iifname $out_interface ${family} saddr ${blocks} fib saddr . iif oif missing drop`;

/** The machine's own firewall only, where another program's data plane forwards. */
export function inputRuleset(args: NatSetupArgs): string {
  return `${emptyTable}
table inet ${NAT_TABLE} {
${ownRequestChains(args.highAvailability)}${firewall(args, false)}}
`;
}

/** The empty table comes first: deleting a missing one is an error. */
const emptyTable = `table inet ${NAT_TABLE}\ndelete table inet ${NAT_TABLE}`;

/** Rules of IPv6. New flows from outside are dropped; replies and related ICMPv6 errors match earlier rules. */
function ipv6Rules({ privateIpv6Cidrs, nat64 }: NatSetupArgs): string {
  if (privateIpv6Cidrs === undefined) {
    return "";
  }
  const blocks = `{ ${privateIpv6Cidrs.join(", ")} }`;
  const rules = [
    `ip6 daddr ${OWN_TO_THE_MACHINE_IPV6} drop`,
    spoofed("ip6", blocks),
    `ip6 saddr ${blocks} oifname $out_interface ct state new accept`,
  ];
  return `${rules.map((rule) => `\t\t${rule}\n`).join("")}${nat64 ? nat64Rules.forward(privateIpv6Cidrs) : ""}`;
}

/** A single block needs no set, whose look-up costs a new flow several hundred instructions. */
function privateBlocks({ privateCidrs }: NatSetupArgs): string {
  return privateCidrs.length === 1 ? (privateCidrs[0] as string) : "@private_cidrs";
}

function privateSet({ privateCidrs }: NatSetupArgs): string {
  if (privateCidrs.length === 1) {
    return "";
  }
  return `\tset private_cidrs {
		type ipv4_addr
		flags interval
		auto-merge
		elements = { ${privateCidrs.join(", ")} }
	}

`;
}

/** The software flowtable, appended where the kernel supports it. It expects `data_interfaces` to be defined. */
export const flowtableRules = setUpText("flowtable.nft");

/** Statements that translate a flow's source; the first match counts. */
function translations(args: NatSetupArgs, known: boolean): string[] {
  const { sourceAddresses = [], portRange, portAllocation = "random", highAvailability } = args;
  const random = portAllocation === "random" ? " fully-random" : "";
  if (highAvailability?.translatedTo !== undefined) {
    return [`snat ip to ${highAvailability.translatedTo}${random}`];
  }
  const ports = portRange && `${portRange.first}-${portRange.last}`;
  if (sourceAddresses.length > 0) {
    return spreadOver(sourceAddresses, ports, args);
  }
  const ranged = ports === undefined ? [] : [`meta l4proto { tcp, udp } ${toOwn(known, ports)}${random}`];
  return [...ranged, `${toOwn(known)}${random}`];
}

/**
 * Spreads flows over addresses: by flow, or by client with preserved ports; protocols without ports by their addresses
 * only.
 */
function spreadOver(
  addresses: readonly string[],
  ports: string | undefined,
  { portAllocation = "random" }: NatSetupArgs,
): string[] {
  const map = (suffix: string) =>
    `mod ${addresses.length} map { ${addresses.map((address, n) => `${n} : ${address}${suffix}`).join(", ")} }`;
  if (portAllocation === "preserve") {
    const to =
      ports === undefined
        ? []
        : [`meta l4proto { tcp, udp } snat ip addr . port to jhash ip saddr ${map(` . ${ports}`)}`];
    return [...to, `snat ip to jhash ip saddr ${map("")}`];
  }
  const flow = "jhash ip saddr . th sport . ip daddr . th dport";
  const withPorts =
    ports === undefined
      ? `snat ip to ${flow} ${map("")} fully-random`
      : `snat ip addr . port to ${flow} ${map(` . ${ports}`)} fully-random`;
  return [`meta l4proto { tcp, udp } ${withPorts}`, `snat ip to jhash ip saddr . ip daddr ${map("")}`];
}
