/**
 * Writes flow logs like the clouds', from a NAT instance's conntrack: its events, and its counters once per second. A second
 * of the lab becomes a minute of the log, so that a test of seconds has a log of minutes.
 *
 * Formats as documented: AWS flow-log-records (version 3), Azure vnet-flow-logs-overview (version 4).
 */
import { azureLog } from "./flow-logs.ts";

/** Log seconds per lab second. */
export const SCALE = 60;
/** Start of the log's minutes, in the middle of a sample: real intervals are not whole minutes either. */
const START = 1_790_000_000 - (1_790_000_000 % 60) + 20;

/**
 * A script for the NAT instance that runs for some seconds; it prints conntrack's events, and each second the connections and
 * the counters of the outside interface.
 */
export const watcher = (seconds: number) => `
import subprocess, time
events = subprocess.Popen(["conntrack", "-E", "-e", "NEW,DESTROY", "-o", "timestamp"], stdout=open("/tmp/events", "w"), stderr=subprocess.DEVNULL)
def counters():
    read = lambda name: int(open("/sys/class/net/eth1/statistics/" + name).read())
    # Without the 14 bytes of Ethernet, as flow logs count.
    return [read(way + "_bytes") - 14 * read(way + "_packets") for way in ("tx", "rx")]
start = time.time()
with open("/tmp/samples", "w") as out:
    for second in range(${seconds} + 1):
        time.sleep(max(0, start + second - time.time()))
        table = open("/proc/net/nf_conntrack").read()
        print("sample", time.time(), *counters(), file=out)
        print(table, end="", file=out, flush=True)
events.terminate()
events.wait()
print("done")
`;

/** A flow's traffic between two samples, with the lab's ports and addresses. */
interface Interval {
  readonly protocol: number;
  readonly client: string;
  readonly clientPort: number;
  readonly server: string;
  readonly serverPort: number;
  readonly natPort: number;
  /** Whole seconds since the start; the interval is the second before. */
  readonly second: number;
  /** Whether it is the flow's first. */
  readonly first: boolean;
  readonly sent: { readonly packets: number; readonly bytes: number };
  readonly received: { readonly packets: number; readonly bytes: number };
}

export interface Watched {
  readonly intervals: readonly Interval[];
  /** Bytes out of and into the outside interface, per second. */
  readonly interfaceBytes: readonly { readonly out: number; readonly in: number }[];
  /** New connections in the events. */
  readonly opened: number;
}

/** Reads the watcher's output. */
export function readWatched(samples: string, events: string): Watched {
  const [, ...blocks] = samples.split(/^sample /m);
  const before = new Map<string, readonly number[]>();
  const intervals: Interval[] = [];
  const totals = blocks.map((block) => (block.split("\n")[0] ?? "").split(" ").map(Number));
  blocks.forEach((block, second) => {
    for (const line of block.split("\n").slice(1)) {
      const flow = readConnection(line);
      if (flow !== null) {
        const { key, counts, ...rest } = flow;
        const last = before.get(key);
        const [packets = 0, bytes = 0, backPackets = 0, backBytes = 0] = counts.map(
          (count, index) => count - (last?.[index] ?? 0),
        );
        before.set(key, counts);
        if (packets + backPackets > 0) {
          intervals.push({
            ...rest,
            second,
            first: last === undefined,
            sent: { packets, bytes },
            received: { packets: backPackets, bytes: backBytes },
          });
        }
      }
    }
  });
  return {
    intervals,
    interfaceBytes: totals.slice(1).map(([, out = 0, into = 0], index) => ({
      out: out - (totals[index]?.[1] ?? 0),
      in: into - (totals[index]?.[2] ?? 0),
    })),
    opened: events.split("\n").filter((line) => line.includes("[NEW]")).length,
  };
}

function readConnection(line: string) {
  const values = (name: string) =>
    [...line.matchAll(new RegExp(`\\b${name}=(\\S+)`, "g"))].map(([, value]) => value ?? "");
  const [protocol] = /(?<=\s)(6|17)(?=\s)/.exec(line) ?? [];
  const [client, server] = [values("src")[0], values("dst")[0]];
  const [[clientPort], [serverPort, natPort]] = [values("sport"), values("dport")];
  if (protocol === undefined || client === undefined || server === undefined) {
    return null;
  }
  const counts = [0, 1].flatMap((way) => [Number(values("packets")[way]), Number(values("bytes")[way])]);
  const flow = {
    protocol: Number(protocol),
    client,
    clientPort: Number(clientPort),
    server,
    serverPort: Number(serverPort),
    natPort: Number(natPort),
  };
  return { key: JSON.stringify(flow), counts, ...flow };
}

/** The log's addresses for the lab's hosts: clients private, servers public. */
export interface Addresses {
  readonly of: (lab: string) => string;
  /** The NAT instance's private address. */
  readonly nat: string;
}

const AWS_FIELDS =
  "version interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end pkt-srcaddr pkt-dstaddr action log-status";

/** A VPC's log: the client's interface and both legs at the NAT instance's interface. */
export function awsLogOf({ intervals }: Watched, { of, nat }: Addresses): string {
  const lines = intervals.flatMap(
    ({ protocol, client, clientPort, server, serverPort, natPort, second, sent, received }) => {
      const [from, to] = [of(client), of(server)];
      const end = START + second * SCALE;
      const record = (
        eni: string,
        [source, sourcePort]: [string, number],
        [target, targetPort]: [string, number],
        counts: Interval["sent"],
        packet: [string, string],
      ) =>
        counts.packets === 0
          ? []
          : [
              `3 ${eni} ${source} ${target} ${sourcePort} ${targetPort} ${protocol} ${counts.packets} ${counts.bytes} ${end - SCALE} ${end - 1} ${packet.join(" ")} ACCEPT OK`,
            ];
      return [
        ...record("eni-client", [from, clientPort], [to, serverPort], sent, [from, to]),
        ...record("eni-client", [to, serverPort], [from, clientPort], received, [to, from]),
        ...record("eni-nat", [from, clientPort], [nat, serverPort], sent, [from, to]),
        ...record("eni-nat", [nat, serverPort], [from, clientPort], received, [to, from]),
        ...record("eni-nat", [nat, natPort], [to, serverPort], sent, [nat, to]),
        ...record("eni-nat", [to, serverPort], [nat, natPort], received, [to, nat]),
      ];
    },
  );
  return [AWS_FIELDS, ...lines, ""].join("\n");
}

/** A virtual network's log: a tuple as each flow begins, and one for each minute with traffic. */
export function azureLogOf({ intervals }: Watched, { of, nat }: Addresses): string {
  const tuples = (direction: "I" | "O", translated: boolean) =>
    intervals.flatMap(
      ({ protocol, client, clientPort, server, serverPort, natPort, second, first, sent, received }) => {
        const [source, port] = translated ? [nat, natPort] : [of(client), clientPort];
        const start = `${source},${of(server)},${port},${serverPort},${protocol},${direction}`;
        const at = (START + second * SCALE) * 1000;
        const figures = [sent.packets, sent.bytes, received.packets, received.bytes].join(",");
        return [
          ...(first ? [`${at - SCALE * 1000},${start},B,NX,0,0,0,0`] : []),
          `${at},${start},C,NX,${figures}`,
        ];
      },
    );
  return azureLog({
    "00224AAAAAAA": tuples("O", false),
    "00224BBBBBBB": [...tuples("I", false), ...tuples("O", true)],
  });
}
