/** The agent's settings for iperf3: its command, and how to reduce and read its output. */
import type { z } from "zod";
import { MOST_STREAMS } from "../../plan/fields.ts";
import type { TemplatePart } from "../shared/template.ts";
import { iperf3OutputSchema } from "./output.ts";
import { MOST_OMITTED, OMITTED, OUT_OF_ORDER, RECEIVERS_COUNT } from "./server-output.ts";

/** Milliseconds; iperf3 would use the kernel's time-out of over two minutes. */
const CONNECT_TIMEOUT_MS = 5000;

export const iperf3Command: readonly TemplatePart[] = [
  {
    words: ["iperf3", "-c", "{address}", "-p", "{port}", "-J", "--connect-timeout", `${CONNECT_TIMEOUT_MS}`],
  },
  { words: ["-t", "{seconds}", "-i", "{interval}"] },
  { words: ["-O", "{omit}"], when: "omit" },
  { words: ["-P", "{streams}"], when: "streams" },
  { words: ["-R"], when: "reverse" },
  { words: ["--bidir"], when: "bothWays" },
  { words: ["-u"], when: "udp" },
  { words: ["--get-server-output"], when: "serverOutput" },
  { words: ["-b", "{rate}"], when: "rate" },
  { words: ["-l", "{bytes}"], when: "bytes" },
  { words: ["-C", "{congestion}"], when: "congestion" },
];

/** Pattern of the answer from a server that is busy with another client. */
export const SERVER_BUSY = "server is busy";

/** Decimals of a reduced figure, by its place or its key; other figures are rounded to whole numbers. */
const decimals: Readonly<Record<string, number>> = {
  "intervals[].sum.end": 2,
  "intervals[].sum.seconds": 1,
  seconds: 3,
  jitter_ms: 4,
  lost_percent: 4,
  host_total: 1,
  remote_total: 1,
};

/** Fields that only a whole document has: a reduced interval begins where the one before ended. */
const wholeOnly = ["intervals[].sum.start", "intervals[].sum.omitted"];

/** Keys to keep of a JSON document: an object by key, a list by the common shape of its entries, a figure by its decimals. */
type Projection = number | { readonly [key: string]: Projection } | readonly [Projection];

function projectionOf(schema: z.core.$ZodType, place = "", key = ""): Projection {
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType; element?: z.core.$ZodType } };
  if (def.innerType !== undefined) return projectionOf(def.innerType, place, key);
  if (def.element !== undefined) return [projectionOf(def.element, `${place}[]`)];
  const { shape } = schema as Partial<z.ZodObject>;
  if (shape === undefined) return decimals[place] ?? decimals[key] ?? 0;
  const inside = Object.entries(shape).map(
    ([name, one]) => [name, one, place === "" ? name : `${place}.${name}`] as const,
  );
  return Object.fromEntries(
    inside
      .filter(([, , inner]) => !wholeOnly.includes(inner))
      .map(([name, one, inner]) => [name, projectionOf(one, inner, name)]),
  );
}

/** How the host agent reduces a tool's JSON. */
export interface Reducer {
  readonly keep: Projection;
  /** Entries to leave out of a list: those whose flag is true. A figure of theirs is added up under a key of the document's own. */
  readonly drop: readonly {
    readonly list: string;
    readonly flag: readonly string[];
    readonly figure: readonly string[];
    readonly total: string;
  }[];
  /** Texts of which only patterns' last matches are kept, a line each: the text's key, the patterns, and how many of each. */
  readonly last: Readonly<Record<string, readonly (readonly [pattern: string, most: number])[]>>;
}

/** How the host agent reduces iperf3's JSON: the parser's schema decides what stays. */
export const iperf3Reducer: Reducer = {
  keep: projectionOf(iperf3OutputSchema),
  drop: [
    {
      ...{ list: "intervals", flag: ["sum", "omitted"] },
      ...{ figure: ["sum", "lost_packets"], total: "omitted_lost_packets" },
    },
  ],
  last: {
    server_output_text: [
      [OUT_OF_ORDER, MOST_STREAMS],
      [RECEIVERS_COUNT, 1],
      [OMITTED, MOST_OMITTED],
    ],
  },
};

/** A search's trial: its command, and the places of its figures. */
export const iperf3Trial = {
  program: "iperf3",
  command: iperf3Command,
  reducer: "iperf3",
  busy: SERVER_BUSY,
  /** Pattern of the failure reason in text next to a document without figures. */
  problem: "iperf3: (?:error - )?(?!error - no error|no error)(.+)",
  /** Patterns of the server's output: its time, lost and all datagrams after a warm-up, and each stream's out of order. */
  receiversCount: RECEIVERS_COUNT,
  outOfOrder: OUT_OF_ORDER,
  /** Places of each figure; the first one whose section the document has is used. */
  figures: {
    error: ["error"],
    streams: ["end.streams"],
    sentBitsPerSecond: ["end.sum_sent.bits_per_second", "end.sum.bits_per_second"],
    packets: ["end.sum_sent.packets", "end.sum.packets"],
    sentBytes: ["end.sum_sent.bytes", "end.sum.bytes"],
    receivedBitsPerSecond: ["end.sum_received.bits_per_second"],
    receivedBytes: ["end.sum_received.bytes"],
    // Absent up to 3.10.
    lostPackets: ["end.sum_received.lost_packets", "end.sum.lost_packets"],
    datagramBytes: ["start.test_start.blksize"],
    omit: ["start.test_start.omit"],
    reverse: ["start.test_start.reverse"],
    reachedPackets: ["end.sum_received.packets"],
    serverOutput: ["server_output_text"],
    receivedSeconds: ["end.sum_received.seconds"],
    sentSeconds: ["end.sum_sent.seconds", "end.sum.seconds"],
  },
} as const;
