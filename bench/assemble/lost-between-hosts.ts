/** Loss between a test's two hosts, by their kernels' counters. */
import type { HostUsage, Role } from "../results/index.ts";

/**
 * Datagrams that programs of the sending hosts sent and that did not come as far as the receiving ones, or found no socket's buffer
 * with room there; from just before to just after the test, when all that was on its way has come. The hosts' few other
 * datagrams are among them. Null: not counted by all of them.
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
