/** Idle time-outs of a NAT instance. Imports no zod, which the lab's program does not load. */
import { NAT_INSTANCE_IDLE_SECONDS } from "../../bench/topologies/limits.ts";

/** Default seconds for each kind of flow: the least of RFC 4787 and 5382, or those of AWS's NAT gateway. */
export const idleDefaults = {
  tcp: NAT_INSTANCE_IDLE_SECONDS,
  tcpHalfClosed: 350,
  udp: 350,
  udpUnanswered: 120,
} as const;

export function idleSeconds(
  given: Partial<Record<keyof typeof idleDefaults, number | undefined>> = {},
): Record<keyof typeof idleDefaults, number> {
  const { tcp = idleDefaults.tcp, tcpHalfClosed = idleDefaults.tcpHalfClosed } = given;
  const { udp = idleDefaults.udp, udpUnanswered = idleDefaults.udpUnanswered } = given;
  return { tcp, tcpHalfClosed, udp, udpUnanswered };
}
