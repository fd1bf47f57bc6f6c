/**
 * Own requests of a pair's machine pass untracked: those for names, metadata and EC2's API, and signs of life. A full table, which a
 * take-over may bring along, would drop them as it drops every new connection, and the machine could then never take the traffic.
 */
import type { HighAvailability } from "./high-availability-args.ts";
import { SIGNS_PORT } from "./pair-configuration.ts";

/** DNS, the metadata and EC2's API. */
const SERVICES = "53, 80, 443";

/** Whether requests move this pair's traffic. */
const asks = ({ move }: HighAvailability) => move.kind === "ec2";

/** The chains that leave them untracked. A private host's packets never have this address, nor do translated ones. */
export function ownRequestChains(ha: HighAvailability | undefined): string {
  if (ha === undefined || !asks(ha)) {
    return "";
  }
  const untracked = (hook: "prerouting" | "output", link: string, end: string, port: string) => `
	chain own_${hook} {
		type filter hook ${hook} priority raw;
		${link} "lo" notrack
		ip ${end} ${ha.self} meta l4proto { tcp, udp } th ${port} { ${SERVICES}, ${SIGNS_PORT} } notrack
	}
`;
  return (
    untracked("prerouting", "iifname", "daddr", "sport") + untracked("output", "oifname", "saddr", "dport")
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
