/**
 * Reads what an ntttcp sender printed: its XML (`-x`), else the totals of its log. The XML has everything that the log has; the
 * bytes of the log are exact in every version, and precede the XML's.
 *
 * Figures are the sender's. TCP delivers what the kernel took, so they hold for the receiver too, except for the contents of
 * the socket buffers at the end; for UDP only the sent rate is known. Retransmits are those of the sender's
 * whole host, as ntttcp counts them.
 */
import { plainText } from "../../plain-text.ts";
import type { Measurement } from "../../results/measurement.ts";
import { checkEnded, excerpt, failureFromText, lastLine } from "../shared/failure.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { type ParseContext, type Parsed, ToolFailure } from "../tool.ts";
import type { NtttcpCase } from "./plan.ts";

/** How to install the tool on a machine. */
export const NTTTCP_HINT =
  "ntttcp is not on this host, and Debian and Ubuntu have no package of it: build it as github.com/microsoft/ntttcp-for-linux says, put it into /usr/local/bin of client and server, and run again with another runId";

/** Figures that all output formats have; null: not printed. */
interface Output {
  readonly protocol: "tcp" | "udp" | null;
  readonly connections: number | null;
  readonly bytes: number | null;
  readonly seconds: number | null;
  readonly retransmits: number | null;
  readonly rttUs: number | null;
  /** Bits per second of each thread; empty without `-V`. */
  readonly threads: readonly number[];
}

/** @throws {ToolFailure} */
export function parseNtttcp(stdout: string, context: ParseContext<NtttcpCase>): Parsed {
  checkEnded(context);
  const text = plainText(stdout);
  const log = readLog(text);
  const document = readXml(text);
  const output = document ?? log;
  if (output === undefined) {
    throw withoutFigures(text, context);
  }
  const bytes = document === undefined ? output.bytes : exactBytes(document.bytes, log?.bytes ?? null);
  checkAnswersCase(context.case, output);
  const version = /^NTTTCP for Linux (\S+)/m.exec(text)?.[1] ?? null;
  return { measurement: measurementOf(context.case, { ...output, bytes }), version };
}

/**
 * Bytes of a run that printed them twice. Linux builds between March 2020 and May 2021, which call themselves 1.4.0, divide by
 * 2^20 without a remainder in their XML (ntttcp-for-linux, commit of 2021-05-03); the log's figure is whole bytes.
 *
 * @throws {ToolFailure} if neither meaning of the document's figure agrees with the log, or a whole figure has no log beside it.
 */
function exactBytes(printed: number | null, logged: number | null): number | null {
  if (printed === null) return logged;
  const isWhole = printed % MEGABYTE === 0;
  if (logged === null) {
    if (!isWhole) return printed;
    throw new ToolFailure(
      "bad-output",
      `ntttcp's document has ${printed / MEGABYTE} MB, which some versions count in whole mebibytes, and no log beside it tells the bytes`,
    );
  }
  if (printed === logged || (isWhole && Math.floor(logged / 2 ** 20) === printed / MEGABYTE)) return logged;
  throw new ToolFailure(
    "bad-output",
    `ntttcp's document has ${printed} bytes and its log ${logged}; expected the same figure`,
  );
}

function measurementOf({ protocol }: NtttcpCase, output: Output): Measurement {
  const { bytes, seconds, threads } = output;
  if (bytes === null || seconds === null || seconds === 0) {
    throw new ToolFailure("bad-output", "ntttcp's totals lack bytes or seconds");
  }
  if (bytes === 0) {
    throw new ToolFailure("no-route", `ntttcp sent nothing in ${seconds} s`);
  }
  const tcp = protocol === "tcp";
  const sent = (bytes * 8) / seconds;
  return {
    ...nothingMeasured,
    countedBy: "sender",
    bitsPerSecond: tcp ? sent : null,
    sentBitsPerSecond: sent,
    bytes: tcp ? bytes : null,
    durationSeconds: seconds,
    retransmits: tcp ? output.retransmits : null,
    tcpRttUs: tcp ? output.rttUs : null,
    streams: threads.map((bitsPerSecond) => ({
      bitsPerSecond: tcp ? bitsPerSecond : null,
      bytes: null,
      retransmits: null,
      lostPackets: null,
      packets: null,
      jitterMs: null,
    })),
  };
}

/** Refuses figures of another test than requested, and of a test with too few connections. */
function checkAnswersCase(asked: NtttcpCase, { protocol, connections }: Output): void {
  if (protocol !== null && protocol !== asked.protocol) {
    throw new ToolFailure("bad-output", `ntttcp's output is of ${protocol}; expected ${asked.protocol}`);
  }
  const expected = asked.streams * asked.connectionsPerStream;
  if (connections !== null && connections !== expected) {
    throw new ToolFailure(
      "tool-error",
      `ntttcp made ${connections} of ${expected} connections; are all ports of the receiver open to this host?`,
    );
  }
}

function readXml(text: string): Output | undefined {
  const document = /<ntttcps[ >][\s\S]*<\/ntttcps>/.exec(text)?.[0];
  if (document === undefined) {
    return undefined;
  }
  const megabyte = /^<ntttcps[^>]* version="[\d.]+"/.test(document) ? WINDOWS_MEGABYTE : MEGABYTE;
  const [threads, totals] = split(document, /<thread index="\d+">[\s\S]*?<\/thread>/g);
  const value = (name: string) => number(new RegExp(`<${name}(?: [^>]*)?>([^<]*)<`).exec(totals)?.[1]);
  return {
    protocol: protocolOf(/<udp>(\w+)</.exec(totals)?.[1]),
    connections: value("conns_tested"),
    bytes: bytesOf(value("total_bytes"), megabyte),
    seconds: value("realtime"),
    retransmits: value("packets_retransmitted"),
    rttUs: value("tcp_average_rtt"),
    threads: threads.flatMap(
      (thread) => megabits(number(/<throughput metric="mbps">([^<]*)</.exec(thread)?.[1])) ?? [],
    ),
  };
}

/** The parts of a text that match, and the text without them. */
function split(text: string, pattern: RegExp): [string[], string] {
  return [text.match(pattern) ?? [], text.replace(pattern, "")];
}

/** Reads whole lines only. Threads' rates are rounded to three digits there, and left out. */
function readLog(text: string): Output | undefined {
  const value = (name: string) =>
    number(new RegExp(`INFO: \\s*${name}\\s*:(\\d+(?:\\.\\d+)?)[^\\d\\n]*\\n`).exec(text)?.[1]);
  const bytes = value("total bytes");
  if (bytes === null) {
    return undefined;
  }
  return {
    protocol: null,
    connections: number(/INFO: (\d+) connections tested/.exec(text)?.[1]),
    bytes,
    seconds: value("test duration"),
    retransmits: value("retrans segs"),
    rttUs: value("tcpi rtt"),
    threads: [],
  };
}

/** errno of a refused connection on Linux. */
const ECONNREFUSED = "111";
/** ENETUNREACH, ETIMEDOUT, EHOSTUNREACH. */
const UNREACHABLE = ["101", "110", "113"];

/** Errors are in the log, on standard output; the first one causes the others. */
function withoutFigures(text: string, { exitCode, stderr }: ParseContext): ToolFailure {
  const said = /ERR : (.+)/.exec(text)?.[1]?.trim() ?? lastLine(stderr);
  const errno = /failed to connect to receiver.*errno = (\d+)/.exec(said)?.[1];
  if (errno === ECONNREFUSED) {
    return new ToolFailure(
      "tool-missing",
      `no ntttcp receiver runs at the other end (${said}): ${NTTTCP_HINT}`,
    );
  }
  if (errno !== undefined && UNREACHABLE.includes(errno)) {
    return new ToolFailure("no-route", said);
  }
  if (/receiver is busy/.test(said)) {
    return new ToolFailure("server-busy", said);
  }
  if (said !== "") {
    return failureFromText(said);
  }
  const message = `ntttcp ended with status ${exitCode} and without totals; its output: ${excerpt(text)}`;
  return new ToolFailure("bad-output", message);
}

function protocolOf(udp: string | undefined): Output["protocol"] {
  return udp === "True" ? "udp" : udp === "False" ? "tcp" : null;
}

/** Null for anything but a number from 0. */
function number(text: string | undefined): number | null {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

const MEGABYTE = 1e6;
/** ntttcp for Windows, whose version is a plain number, has 2^20 bytes in its MB; Linux versions end in `-linux`. */
const WINDOWS_MEGABYTE = 2 ** 20;

/** Bytes; six decimals of decimal megabytes are exact. */
function bytesOf(megabytes: number | null, megabyte: number): number | null {
  return megabytes === null ? null : Math.round(megabytes * megabyte);
}

function megabits(value: number | null): number | null {
  return value === null ? null : value * 1e6;
}
