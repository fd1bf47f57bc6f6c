/**
 * ntttcp for Linux, the tool of Azure's own guides: many threads, a port of the receiver for each. Read: the source
 * of 1.4.3, output of 1.4.0; run: 1.4.3.
 *
 * The sender connects, so that of an `ingress` case the server runs the command, against the client. The receivers
 * are the host agents' services (`ntttcp.py`).
 *
 * @module
 */
import type { NtttcpCase } from "../plan/plan.ts";
import { ntttcpPorts } from "../plan/ports.ts";
import { commandLine } from "../shell.ts";
import { NTTTCP_HINT, parseNtttcp } from "./ntttcp-parse.ts";
import type { Tool } from "./tool.ts";

/** Seconds for synchronising with the receiver and for its polls, of which ntttcp waits out a thousand a time. */
const SETUP_SECONDS = 5;

/** Threads whose figures (about 600 bytes each, with their log lines) fit into a report. */
const MAX_VERBOSE_THREADS = 64;

export const ntttcp: Tool<NtttcpCase> = {
  name: "ntttcp",
  // Not required when hosts are prepared: its cases fail where it is missing, other tools' are measured.
  executables: [],
  reducer: "none",
  retryOn: ["receiver is busy"],
  senderConnects: true,

  /** A file takes the XML, since standard output is the log's; both are printed. */
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

  expectedSeconds({ durationSeconds, omitSeconds }) {
    return omitSeconds + durationSeconds + SETUP_SECONDS;
  },

  parse: parseNtttcp,
};
