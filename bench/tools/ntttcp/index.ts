/**
 * ntttcp for Linux, the tool of Azure's own guides: many threads, each with its own port on the receiver. Read: the source
 * of 1.4.3, output of 1.4.0; run: 1.4.3.
 *
 * The sender connects, so in an `ingress` case the server runs the command and connects to the client. Receivers run on
 * both ends.
 */
import { commandLine } from "../../shell.ts";
import { flowTitle } from "../shared/title.ts";
import type { Service, Tool } from "../tool.ts";
import { NTTTCP_HINT, parseNtttcp } from "./parse.ts";
import { caseSchema, expand, input, type NtttcpCase, ntttcpPorts } from "./plan.ts";

/** Seconds for synchronizing with the receiver and for its polls, up to a thousand at a time. */
const SETUP_SECONDS = 5;

/** Threads whose figures (about 600 bytes each, with their log lines) fit into a report. */
const MAX_VERBOSE_THREADS = 64;

/** Throughput by Microsoft's ntttcp-for-linux. */
export const ntttcp: Tool<NtttcpCase, typeof input> = {
  name: "ntttcp",
  input,
  caseSchema,
  expand,

  // Hosts can be prepared without it: only its own cases then fail.
  executables: [],
  versionCommand: ["ntttcp", "-h"], // -V is no question for the version: it would start a receiver
  ports: {
    tcp: { first: ntttcpPorts.tcp - 1, last: lastOf(ntttcpPorts.tcp), protocols: ["tcp"], onClient: true },
    // UDP's sender and receiver agree over TCP too.
    udpControl: { first: ntttcpPorts.udp - 1, protocols: ["tcp"], onClient: true },
    udp: { first: ntttcpPorts.udp, last: lastOf(ntttcpPorts.udp), protocols: ["udp"], onClient: true },
  },
  services: () => [receiver("tcp"), receiver("udp")],
  isServedOnDemand: true,

  retryOn: ["receiver is busy"],
  senderConnects: true,

  /** The XML goes to a file, since standard output has the log; both are printed. */
  command(benchCase, receiverAddress) {
    const { protocol, streams, connectionsPerStream, datagramBytes, durationSeconds, omitSeconds } =
      benchCase;
    const run = commandLine([
      ...["ntttcp", "-s", receiverAddress, "-p", ntttcpPorts[protocol]],
      ...(protocol === "udp" ? ["-u"] : []),
      ...["-P", streams, "-n", connectionsPerStream, "-t", durationSeconds],
      ...(omitSeconds > 0 ? ["-W", omitSeconds] : []),
      ...(datagramBytes === null ? [] : ["-b", datagramBytes]),
      "-Q",
      ...(streams * connectionsPerStream <= MAX_VERBOSE_THREADS ? ["-V"] : []),
    ]);
    return [
      `command -v ntttcp >/dev/null || { ${commandLine(["echo", NTTTCP_HINT])} >&2; exit 127; }`,
      "f=$(mktemp) || exit",
      `trap 'rm -f "$f"' EXIT`,
      `${run} -x"$f"`,
      "s=$?",
      'cat "$f"',
      'exit "$s"',
    ].join("; ");
  },

  expectedSeconds: ({ durationSeconds, omitSeconds }) => omitSeconds + durationSeconds + SETUP_SECONDS,

  parse: parseNtttcp,
  flows: ({ streams, connectionsPerStream }) => streams * connectionsPerStream,
  passesNatAsUdp: ({ protocol }) => protocol === "udp",

  traffic: ({ direction }) => ({ askedBitsPerSecond: 0, direction }),
  question: "throughput",
  title: (benchCase) => `ntttcp ${flowTitle(benchCase)}`,
};

function lastOf(first: number): number {
  return first + ntttcpPorts.streams - 1;
}

/**
 * A receiver that serves one test after the other, with up to the given number of streams.
 *
 * The receiver does not learn the sender's -P: the sender may use fewer ports than there are, not more. Both ends run for
 * the longer of their two durations, so the receiver's must be the minimum.
 */
function receiver(protocol: "tcp" | "udp"): Service {
  const port = ntttcpPorts[protocol];
  const command = ["ntttcp", "-r", ...(protocol === "udp" ? ["-u"] : []), "-H", "-e", "-Q", "-t", "1"];
  return {
    name: `ntttcp ${protocol.toUpperCase()}`,
    ends: ["client", "server"],
    // Sender and receiver agree on a test at the port before the first data port.
    port: port - 1,
    command: [...command, "-P", String(ntttcpPorts.streams), "-p", String(port)],
  };
}
