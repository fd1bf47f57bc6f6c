/** Loss between a test's two hosts, by their kernels' counters. */
import type { CaseResult, HostUsage, Role } from "../results/index.ts";

/**
 * Datagrams that the sending hosts sent and no program on the receiving hosts got: lost on the way, or dropped at a full
 * socket buffer. Counted from just before to just after the test, so none is still on its way. They include the few other
 * datagrams of the sender's host. Null: not all hosts counted.
 */
export function lostBetweenHosts(direction: Direction, hosts: readonly HostUsage[]): number | null {
  const [from] = endsOf(direction);
  // Datagrams that found a full queue on the sender do not count as sent.
  const sent = total(hosts, from, ({ sentDatagrams, sendBufferErrors }) =>
    sentDatagrams === undefined ? undefined : sentDatagrams + sendBufferErrors,
  );
  const arrived = arrivedBetweenHosts(direction, hosts);
  return sent === null || arrived === null ? null : Math.max(0, sent - arrived);
}

/** Datagrams that came to the receiving hosts and found room in a socket. Null: not all hosts counted. */
export function arrivedBetweenHosts(direction: Direction, hosts: readonly HostUsage[]): number | null {
  const [, to] = endsOf(direction);
  return total(hosts, to, ({ arrivedDatagrams, receiveBufferErrors }) =>
    arrivedDatagrams === undefined ? undefined : arrivedDatagrams - receiveBufferErrors,
  );
}

/** Notes on the loss of UDP cases: one line names the hosts that also count other programs' datagrams. */
export function lossNotes(cases: readonly CaseResult[]): string[] {
  const measured = cases.filter(({ measurement }) => measurement?.lostPackets != null);
  const unsure = measured.flatMap(({ hosts }) => hosts.filter(receivesOthers)).map(({ host }) => host);
  const names = [...new Set(unsure)].sort().join(", ");
  return names === ""
    ? []
    : [
        `${names}: without root, other programs' datagrams are counted too: they may hide UDP loss at the end of a test.`,
      ];
}

/** Whether a host received the test's datagrams and also counted other programs'. */
function receivesOthers({ role, network }: HostUsage): boolean {
  const { ofTestPorts, arrivedDatagrams = 0, sentDatagrams = 0 } = network?.udp ?? {};
  return ["client", "server"].includes(role) && ofTestPorts === false && arrivedDatagrams > sentDatagrams;
}

type Direction = "egress" | "ingress";

/** Sender and receiver. */
function endsOf(direction: Direction): readonly [from: Role, to: Role] {
  return direction === "ingress" ? ["server", "client"] : ["client", "server"];
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
