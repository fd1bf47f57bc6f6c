/**
 * Requests of a pair's machine itself pass untracked: names, metadata, EC2's API, signs of life, copies, and a load
 * balancer's probe. A full connection table, which a take-over may copy, would drop them like every new connection: the
 * machine could neither take the traffic nor get copies.
 */
import type { HighAvailability } from "./high-availability-args.ts";
import { SIGNS_PORT, SYNC_PORT } from "./pair-configuration.ts";

/** Ports of DNS, the metadata service and EC2's API. */
const SERVICES = "53, 80, 443";

/**
 * Set of requests that wait for answers: other end, protocol and both ports. Only the machine's programs fill it:
 * connections that it translates to its own address, such as the health check's, stay tracked.
 */
const OWN_REQUESTS = "own_requests";
const requestSet = `	set ${OWN_REQUESTS} {
		type ipv4_addr . inet_proto . inet_service . inet_service
		size 65535
		flags dynamic,timeout
		timeout 120s
	}

`;
const requests = `meta l4proto { tcp, udp } th dport { ${SERVICES} } update @${OWN_REQUESTS} { ip daddr . meta l4proto . th sport . th dport }`;
const answered = `ip saddr . meta l4proto . th dport . th sport @${OWN_REQUESTS}`;

/** Whether a take-over of this pair sends requests. */
const asks = ({ move }: HighAvailability) => move.kind === "ec2";

/** Rule for packets of the port that a load balancer probes for the active machine. */
const probed = ({ move, self }: HighAvailability, own: string, port: string) =>
  move.kind === "probe" ? `\t\tip ${own} ${self} tcp ${port} ${move.port} notrack\n` : "";

/** The set, and the chains that leave requests and their answers untracked. Empty without a pair. */
export function ownRequestChains(ha: HighAvailability | undefined): string {
  if (ha === undefined) {
    return "";
  }
  const { self, peer } = ha;
  const chain = (hook: "prerouting" | "output", rules: string) => `	chain own_${hook} {
		type filter hook ${hook} priority raw;
${rules}	}

`;
  const copies = `udp dport { ${SIGNS_PORT}, ${SYNC_PORT} } notrack\n`;
  return `${asks(ha) ? requestSet : ""}${chain(
    "output",
    // A packet that leaves by the loopback untracked arrives untracked.
    `\t\toifname "lo" notrack\n\t\tip daddr ${peer} ${copies}${probed(ha, "saddr", "sport")}${asks(ha) ? `\t\tip saddr ${self} ${requests} notrack\n` : ""}`,
  )}${chain(
    "prerouting",
    `\t\tip saddr ${peer} ${copies}${probed(ha, "daddr", "dport")}${asks(ha) ? `\t\tip daddr ${self} ${answered} notrack\n` : ""}`,
  )}`;
}

/** Rules of the input chain for the answers. An ICMP error about a request belongs to no tracked flow. */
export function ownAnswerRules(ha: HighAvailability | undefined): string[] {
  return ha === undefined || !asks(ha)
    ? []
    : [
        `ip daddr ${ha.self} ct state untracked ${answered} accept`,
        `ip daddr ${ha.self} icmp type destination-unreachable accept`,
      ];
}
