/**
 * Own requests of a pair's machine pass untracked: those for names, metadata and EC2's API, signs of life, copies, and a load
 * balancer's probe. A full table, which a take-over may bring along, would drop them as it drops every new connection: the machine
 * could never take the traffic, nor get copies.
 */
import type { HighAvailability } from "./high-availability-args.ts";
import { SIGNS_PORT, SYNC_PORT } from "./pair-configuration.ts";

/** DNS, the metadata and EC2's API. */
const SERVICES = "53, 80, 443";

/** Whether requests move this pair's traffic. */
const asks = ({ move }: HighAvailability) => move.kind === "ec2";

/** The rule of packets to or from the port by which a load balancer knows the machine that carries. */
const probed = ({ move, self }: HighAvailability, own: string, port: string) =>
  move.kind === "probe" ? `\t\tip ${own} ${self} tcp ${port} ${move.port} notrack\n` : "";

/** The chains that leave them untracked. A private host's packets never have this address, nor do translated ones. */
export function ownRequestChains(ha: HighAvailability | undefined): string {
  if (ha === undefined) {
    return "";
  }
  const pair = `udp dport { ${SIGNS_PORT}, ${SYNC_PORT} } notrack`;
  const untracked = (
    hook: "prerouting" | "output",
    link: string,
    ends: string,
    own: string,
    probe: string,
  ) => `
	chain own_${hook} {
		type filter hook ${hook} priority raw;
		${link} "lo" notrack
		${ends} ${pair}
${probe}${asks(ha) ? `\t\tip ${own} { ${SERVICES} } notrack\n` : ""}	}
`;
  return (
    untracked(
      "prerouting",
      "iifname",
      `ip saddr ${ha.peer} ip daddr ${ha.self}`,
      `daddr ${ha.self} meta l4proto { tcp, udp } th sport`,
      probed(ha, "daddr", "dport"),
    ) +
    untracked(
      "output",
      "oifname",
      `ip saddr ${ha.self} ip daddr ${ha.peer}`,
      `saddr ${ha.self} meta l4proto { tcp, udp } th dport`,
      probed(ha, "saddr", "sport"),
    )
  );
}

/** Rules that let their answers in: nothing that opens a connection, and ICMP errors, which no tracked flow has. */
export function ownAnswerRules(ha: HighAvailability | undefined): string[] {
  return ha === undefined || !asks(ha)
    ? []
    : [
        `ip daddr ${ha.self} ct state untracked tcp sport { ${SERVICES} } tcp flags & (syn | ack) != syn accept`,
        `ip daddr ${ha.self} ct state untracked udp sport 53 udp dport 32768-60999 accept`,
        `ip daddr ${ha.self} icmp type destination-unreachable accept`,
      ];
}
