/** Loss between a test's two hosts, by their kernels' counters. */
import type { HostUsage, Role } from "../results/index.ts";

/**
 * Datagrams that the sending hosts sent and no program on the receiving hosts got: lost on the way, or dropped at a full
 * socket buffer. Counted from just before to just after the test, so that none is still on its way. The hosts' few other
 * datagrams are included. Null: not all hosts counted.
 */
export function lostBetweenHosts(
  direction: "egress" | "ingress",
  hosts: readonly HostUsage[],
): number | null {
  const [from, to] =
    direction === "ingress" ? (["server", "client"] as const) : (["client", "server"] as const);
  // Those that found a queue of the sender's full are not among those that it sent.
  const sent = total(hosts, from, ({ sentDatagrams, sendBufferErrors }) =>
    sentDatagrams === undefined ? undefined : sentDatagrams + sendBufferErrors,
  );
  const arrived = total(hosts, to, ({ arrivedDatagrams, receiveBufferErrors }) =>
    arrivedDatagrams === undefined ? undefined : arrivedDatagrams - receiveBufferErrors,
  );
  return sent === null || arrived === null ? null : Math.max(0, sent - arrived);
}

type Udp = NonNullable<NonNullable<HostUsage["network"]>["udp"]>;

function total(
  hosts: readonly HostUsage[],
  role: Role,
  read: (udp: Udp) => number | undefined,
): number | null {
  const own = hosts
    .filter((host) => host.role === role)
    .map(({ network }) => network?.udp && read(network.udp));
  return own.length > 0 && own.every((count) => count != null)
    ? own.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    : null;
}
