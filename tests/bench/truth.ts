/**
 * Every tool behind faults that a program makes and counts, on the path or as the server of HTTPS (`tests/helpers/faulty-path.py`,
 * `faulty-https.py`): each figure is what the program counted, or null, or the case failed with a reason.
 */
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { parsePlan, servicesOf } from "../../bench/index.ts";
import type { CaseResult, Measurement } from "../../bench/results/index.ts";
import { SINK_PORT } from "../../bench/tools/connect/index.ts";
import { hasVegeta, installVegeta } from "../helpers/http-tools.ts";
import type { NatLab } from "../helpers/nat-lab.ts";
import {
  behindFaults,
  prepareAgain,
  prepareToFail,
  probeLab,
  resultOf,
  type Truth,
  translate,
} from "../helpers/nat-probes.ts";

/** A figure: its name, what the tool says, the truth, and by what share the two may differ where they end at different times. */
type Compared = readonly [name: string, said: number | null | undefined, truth: number, share?: number];

interface Row {
  readonly entry: object;
  /** The packets that are counted and meet faults. */
  readonly packets: {
    readonly least?: number;
    readonly [more: string]: unknown;
  };
  readonly directions: readonly ("egress" | "ingress")[];
  /** Its own faults, of both directions. @default faults of one direction of the path */
  readonly faults?: Readonly<Record<string, Faults>>;
  /** The host that makes them. @default "instance" */
  readonly at?: "server";
  /** `dropped`: by the receiver's socket, as its kernel says; a busy machine reads too late. */
  readonly compare: (
    found: Measurement,
    truth: Truth,
    faults: Faults,
    dropped: number,
  ) => readonly Compared[];
}

type Faults = Readonly<
  Partial<Record<"drop" | "duplicate" | "reorder" | "truncate" | "cut" | "delay", number>>
> & {
  readonly outages?: readonly (readonly [number, number])[];
  readonly [more: string]: unknown;
};

const faults: Readonly<Record<string, Faults>> = {
  none: {},
  drop: { drop: 0.05 },
  duplicate: { duplicate: 0.05 },
  reorder: { reorder: 0.05 },
  truncate: { truncate: 0.05 },
  cut: { cut: 0.05 },
  "all cut": { cut: 1 },
  delay: { delay: 30 },
  "drop, duplicate": { drop: 0.05, duplicate: 0.05 },
  "drop, reorder": { drop: 0.05, reorder: 0.05 },
  "drop, delay": { drop: 0.05, delay: 30 },
};

/** The truth next to a figure that can only be known to lie between two counts. */
const nearest = (said: number | null | undefined, least: number, most: number) =>
  Math.min(most, Math.max(least, said ?? most));

/** Least and most of a round trip's median under the faults' delay. */
const roundTrip = ({ latencyUs }: Measurement, { delay = 0 }: Faults): Compared => [
  "p50, of 30 ms",
  latencyUs?.p50 == null ? null : Math.floor(latencyUs.p50 / 30_000),
  delay / 30,
];

/** Milliseconds between two of failover's echo requests. */
const ECHO_INTERVAL_MS = 20;

/** iperf3's first bytes on each connection. */
const COOKIE_BYTES = 37;
/** Datagrams of a second, and of a warm-up. */
const A_SECOND = 500;
const WARM_UP = A_SECOND;
/** What the rows of a queue delay at most. */
const QUEUE_MS = 100;

const flow = (protocol: "tcp" | "udp", direction: "egress" | "ingress", entry: object = {}): Row => ({
  entry: { tool: "iperf3", protocol, direction, bitrate: "4M", durationSeconds: 3, ...entry },
  packets: {
    ...{ port: 5201, protocol, ...(protocol === "udp" ? { least: 900 } : { least: 1, control: true }) },
    ...("omitSeconds" in entry && { omitted: WARM_UP }),
    // The last datagrams are spared: one that is held back may come when the test is over.
    ...(protocol === "udp" && { until: "omitSeconds" in entry ? 1950 : "streams" in entry ? 1100 : 1450 }),
  },
  directions: [direction],
  compare: (found, truth, faults, dropped) => {
    const { seen, drop, truncate, duplicate, reorder, outBytes, ...ends } = truth[direction];
    const lost = drop + truncate + dropped;
    if (protocol === "tcp") {
      // The server ends between hearing of it and saying so; before that, the client reads what it acknowledges.
      const own = direction === "egress" ? COOKIE_BYTES : 0;
      return [
        ["bytes", found.bytes, nearest(found.bytes, ends.endAcked - own, ends.doneFresh - own)],
        ["sent again", found.retransmits, nearest(found.retransmits, ends.endAgain, ends.doneAgain)],
      ];
    }
    // The ends begin to count at different datagrams, each by its own clock.
    const [warmUp, share] = "omitSeconds" in entry ? [WARM_UP, 0.05] : [0, 0];
    // Doubled ones too, where they hide losses.
    const came = found.lostPackets === null ? outBytes - 1000 * dropped : 1000 * (seen - lost);
    const arrived = came - 1000 * warmUp;
    // A receiver reads until its time is over: not what a queue holds, nor what a server sends until it hears of the end.
    const late = direction in faults ? QUEUE_MS : direction === "ingress" ? (faults.delay ?? 0) : null;
    const unread = late === null ? 0 : 1000 * (A_SECOND * (late / 1000) + 1);
    return [
      ["packets", found.packets, seen - warmUp, share],
      ["lost", found.lostPackets, lost],
      ["out of order", found.outOfOrderPackets, reorder + duplicate],
      ["bytes", found.bytes, nearest(found.bytes, arrived - unread, arrived), share],
    ];
  },
});

const search = (direction: "egress" | "ingress"): Row => ({
  entry: {
    ...{ tool: "search", goal: "pdr", direction, lossPercent: 20, minBitrate: "3M", maxBitrate: "4M" },
    ...{ datagramBytes: 1000, durationSeconds: 2, durationSumSeconds: 2, maxTrials: 1 },
  },
  packets: { port: 5201, protocol: "udp", least: 900, until: 950 },
  directions: [direction],
  compare: ({ search: found }, truth, _, dropped) => {
    const { seen, drop, truncate, reorder, duplicate } = truth[direction];
    const lost = drop + truncate + dropped;
    const [trial] = found?.trials ?? [];
    // Where doubled datagrams may hide losses, all that are out of order count as lost.
    const least = lost > 0 ? lost + reorder : 0;
    return [
      ["packets", trial?.packets, seen],
      ["lost at most", trial?.lostPackets, nearest(trial?.lostPackets, least, lost + reorder + duplicate)],
    ];
  },
});

const messages = (protocol: "tcp" | "udp"): Row => ({
  entry: { tool: "sockperf", protocol, messageBytes: 200, durationSeconds: 3 },
  packets: { port: 5202, protocol, least: 100 },
  directions: ["egress", "ingress"],
  compare: (found, _, given) => [
    ["lost", found.lostPackets, 0],
    ["out of order", found.outOfOrderPackets, 0],
    roundTrip(found, given),
  ],
});

const NTTTCP_WRITE_BYTES = 131_072;

/** Requests of a second, and of a case. */
const [REQUESTS, ALL_REQUESTS] = [50, 150];

const requests = (httpVersion: string, connections: string): Row => ({
  entry: { tool: "http", durationSeconds: 3, requestsPerSecond: REQUESTS, httpVersion, connections },
  packets: { port: 5205, protocol: "tcp", least: 1 },
  directions: ["egress", "ingress"],
  compare: (found) => [
    ["attempted", (found.requests?.attempted ?? 0) + (found.requests?.notSent ?? 0), ALL_REQUESTS],
    ["failed", found.requests?.failed, 0],
  ],
});

const slowerThan = (microseconds: number, { latencyUs }: Measurement) =>
  (latencyUs?.histogram ?? []).reduce((sum, [most, count]) => sum + (most > microseconds ? count : 0), 0);

/** {@link requests} of a server that makes the faults. */
const served = (httpVersion: string, connections: string): Row => ({
  ...requests(httpVersion, connections),
  packets: { port: 5205, bytes: 1000, after: REQUESTS, spared: REQUESTS / 5 },
  at: "server",
  directions: ["egress"],
  faults: {
    ...{ none: {}, "sessions may be resumed": { tickets: true }, "late first byte": { late: 0.05 } },
    ...{ reset: { reset: 0.05 }, "truncated body": { truncate: 0.05 }, 503: { unavailable: 0.05 } },
    "no answer": { silent: 0.02 },
    ...(httpVersion === "2" && { "lost streams": { lose: 0.05 }, "refused streams": { again: 0.05 } }),
  },
  compare: (found, { served: truth }) => {
    const { attempted = 0, failed = 0, notSent = 0, connections: own } = found.requests ?? {};
    // The client sends some again whose connection was reset before an answer.
    const most = truth.seen - truth.again;
    return [
      ["due", attempted + notSent, ALL_REQUESTS],
      ["attempted", attempted, nearest(attempted, most - truth.reset, most)],
      ["answered", attempted - failed, truth.answered],
      ["connections", own, truth.connections],
      ["late", slowerThan(450_000, found), truth.late],
      ["sessions resumed", 0, truth.resumed],
    ];
  },
});

const rows: Readonly<Record<string, Row>> = {
  "iperf3 UDP egress": flow("udp", "egress", { datagramBytes: 1000 }),
  "iperf3 UDP ingress": flow("udp", "ingress", { datagramBytes: 1000 }),
  "iperf3 UDP egress, warm-up": flow("udp", "egress", { datagramBytes: 1000, omitSeconds: 1 }),
  "iperf3 UDP ingress, warm-up": flow("udp", "ingress", { datagramBytes: 1000, omitSeconds: 1 }),
  "iperf3 UDP ingress, 3 streams": flow("udp", "ingress", { datagramBytes: 1000, streams: 3, bitrate: "1M" }),
  "iperf3 UDP egress, 3 streams": flow("udp", "egress", { datagramBytes: 1000, streams: 3, bitrate: "1M" }),
  ...Object.fromEntries(
    (["egress", "ingress"] as const).map((direction) => [
      `iperf3 UDP ${direction}, queue`,
      {
        ...flow("udp", direction, { datagramBytes: 1000 }),
        faults: { [`of ${QUEUE_MS} ms`]: { [direction]: { queue: 400 } } },
      },
    ]),
  ),
  "iperf3 TCP egress": flow("tcp", "egress"),
  "iperf3 TCP ingress": flow("tcp", "ingress"),
  "search egress": search("egress"),
  "search ingress": search("ingress"),
  irtt: {
    entry: { tool: "irtt", durationSeconds: 4 },
    // As of iperf3, the last datagrams are spared.
    packets: { port: 5200, protocol: "udp", least: 64, until: 300 },
    directions: ["egress", "ingress"],
    compare: (found, { egress, ingress }, given) => {
      const [out, back] = [egress, ingress].map(({ drop, truncate }) => drop + truncate) as [number, number];
      return [
        ["sent", found.packets, egress.seen],
        ["lost", found.lostPackets, out + back],
        ["lost of egress", found.lossByDirection?.egress.lostPackets, out],
        ["lost of ingress", found.lossByDirection?.ingress.lostPackets, back],
        roundTrip(found, given),
      ];
    },
  },
  "sockperf UDP": messages("udp"),
  "sockperf TCP": messages("tcp"),
  connect: {
    entry: { tool: "connect", durationSeconds: 4 },
    packets: { port: 5199, protocol: "tcp", syns: true },
    directions: ["egress", "ingress"],
    compare: (found, { egress, ingress }, given) => [
      ["attempted", found.connections?.attempted, egress.flows],
      ["failed", found.connections?.failed, 0],
      ["over 0.9 s", slowerThan(900_000, found), egress.drop + ingress.drop],
      ["outages", found.outages?.length, 0],
      roundTrip(found, given),
    ],
  },
  ...(hasVegeta && {
    "http 1.1, kept": requests("1.1", "kept"),
    "http 2, kept": requests("2", "kept"),
    "http 1.1, new": requests("1.1", "new"),
  }),
  failover: {
    entry: { tool: "failover", failure: "drain", durationSeconds: 6, flows: 100 },
    packets: { signalled: true },
    directions: ["egress"],
    faults: {
      ...{ none: {}, "drop, both ways": { egress: { drop: 0.02 }, ingress: { drop: 0.02 } } },
      "outage of 1.5 s": { outages: [[0, 1.5]] },
      "three outages": { outages: [0, 1, 2].map((second) => [second, second + 0.4] as const) },
      "outage of half of the flows": { outages: [[0, 2]], mode: "half" },
      "flows unheard": { outages: [[0, 60]], mode: "unheard" },
    },
    compare: ({ failover: found }, { unanswered }, { outages = [], mode, egress }) => {
      const ofEchoes = mode === undefined ? outages : [];
      const down = ofEchoes.reduce((sum, [begin, end]) => sum + (end - begin) * 1000, 0);
      const error = ofEchoes.length * (ECHO_INTERVAL_MS + (found?.lateMs ?? 0));
      const echoes = found?.missed?.icmp;
      return [
        ["new missed", found?.missed?.new.missed, unanswered[SINK_PORT] ?? 0],
        ["echoes missed", echoes?.missed, unanswered.icmp ?? 0],
        ...(egress === undefined
          ? [
              ["outages", echoes?.outages, ofEchoes.length] as const,
              ["milliseconds", echoes?.totalMs, down, down > 0 ? error / down : 0] as const,
            ]
          : []),
        ["TCP survived", found?.flows.tcp.survived, 100],
        ["receiving survived", found?.kinds?.receiving.survived, mode === "unheard" ? 0 : 20],
      ];
    },
  },
  ...(hasVegeta && {
    "http 1.1, kept, faulty server": served("1.1", "kept"),
    "http 2, kept, faulty server": served("2", "kept"),
    "http 1.1, new, faulty server": served("1.1", "new"),
  }),
  ...(process.env.NTTTCP && {
    ntttcp: {
      entry: { tool: "ntttcp", protocol: "tcp", streams: 1, durationSeconds: 3 },
      packets: { port: 5135, protocol: "tcp", least: 1 },
      directions: ["egress", "ingress"],
      compare: (found, { egress: { fresh, again } }) => {
        // A write that ends behind the time is sent and does not count.
        const counted = (found.bytes ?? 0) < fresh ? fresh - NTTTCP_WRITE_BYTES : fresh;
        return [
          ["bytes", found.bytes, counted],
          // What its queue sends again when the time is over does not count either.
          ["sent again", found.retransmits, again, Math.max(0.05, 2 / Math.max(1, again))],
        ];
      },
    } satisfies Row,
  }),
};

let runs = 0;

const droppedIn = ({ hosts }: CaseResult) =>
  hosts.reduce((sum, { network }) => sum + (network?.udp?.receiveBufferErrors ?? 0), 0);

/** A cell's words: the false figures, or how many are exact and which are null; or the failure. */
function cellOf(found: CaseResult, compared: readonly Compared[]): string {
  if (found.measurement === null) {
    return `refused: ${found.failure?.class}, ${found.failure?.message}`;
  }
  const isTrue = ([, said, truth, share = 0]: Compared) => Math.abs((said ?? 0) - truth) <= share * truth;
  const known = compared.filter(([, said]) => said != null);
  const wrong = known.filter((one) => !isTrue(one));
  const words = wrong.map(([name, said, truth]) => `FALSE ${name} ${said} for ${truth}`);
  const none = compared.filter(([, said]) => said == null).map(([name]) => name);
  return [
    ...words,
    ...(words.length === 0 ? [`${known.length} exact`] : []),
    ...(none.length > 0 ? [`null: ${none.join(", ")}`] : []),
  ].join("; ");
}

/** Programs of this machine that lab hosts do not see, on both ends: `IPERF3_CLIENT`, `IPERF3_SERVER`, `NTTTCP` are their paths. */
function install(lab: NatLab): void {
  const programs = [
    ["client", "iperf3", process.env.IPERF3_CLIENT],
    ["server", "iperf3", process.env.IPERF3_SERVER],
    ["client", "ntttcp", process.env.NTTTCP],
    ["server", "ntttcp", process.env.NTTTCP],
  ] as const;
  for (const [host, name, path] of programs) {
    if (path === undefined || !existsSync(path)) continue;
    const packed = gzipSync(readFileSync(path)).toString("base64");
    lab.run(
      host,
      `base64 -d <<'EOF' | gzip -d > /usr/local/bin/${name}\n${packed}\nEOF\nchmod 755 /usr/local/bin/${name}`,
    );
  }
}

/** A line for each tool, direction and fault. */
export async function* truth(only: readonly string[] = []): AsyncGenerator<string> {
  let end = async () => {};
  const lab = await probeLab((ending) => {
    end = ending;
  });
  try {
    install(lab);
    if (hasVegeta) lab.run("client", installVegeta());
    translate(lab, undefined);
    prepareToFail(lab);
    const cases = Object.values(rows).flatMap(({ entry }) => parsePlan({ cases: [entry] }).cases);
    prepareAgain(lab, "client", { services: [...servicesOf(cases, "client")] });
    const services = servicesOf(cases, "server");
    // The server that makes faults has the other one's port.
    const withoutHttps = services.filter(({ name }) => name !== "HTTPS");
    for (const [name, row] of Object.entries(rows)) {
      prepareAgain(lab, "server", { services: [...(row.at === "server" ? withoutHttps : services)] });
      for (const direction of row.directions) {
        for (const [fault, shares] of Object.entries(row.faults ?? faults)) {
          if ("cut" in shares && row.packets.protocol !== "udp") continue;
          const title = `${name}; ${fault}${row.directions.length > 1 ? ` of ${direction}` : ""}`;
          if (only.length > 0 && !only.some((text) => title.includes(text))) continue;
          const measure = () => {
            runs += 1;
            const asked = {
              ...{ seed: runs, ...row.packets },
              ...(row.faults === undefined ? { [direction]: shares } : shares),
            };
            const { found, truth } = behindFaults(
              lab,
              asked,
              () => resultOf(lab, row.entry, `truth.${runs}`),
              row.at,
            );
            return cellOf(
              found,
              found.measurement === null
                ? []
                : row.compare(found.measurement, truth, shares, droppedIn(found)),
            );
          };
          const cell = measure();
          if (cell.startsWith("FALSE")) process.exitCode = 1;
          yield `${title}: ${cell}`;
        }
      }
    }
  } finally {
    await end();
  }
}
