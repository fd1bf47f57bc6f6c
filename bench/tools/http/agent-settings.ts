/** The agent's settings for vegeta: its command lines and output columns. */
import type { TemplatePart } from "../shared/template.ts";

/** Seconds after which a request without an answer has failed. */
export const TIMEOUT_SECONDS = 10;

/** The command that sends the requests, with the options of the agent's probe. `place` is the server's name and port. */
const attack: readonly TemplatePart[] = [
  { words: ["vegeta", "attack", "-rate", "{rate}/1s", "-duration", "{seconds}s"] },
  { words: ["-timeout", `${TIMEOUT_SECONDS}s`, "-max-body", "0", "-redirects", "-1"] },
  { words: ["-http2={http2}", "-keepalive={keepalive}"] },
  { words: ["-connect-to", "{place}:{address}:{port}", "-root-certs", "{certificate}"] },
];

/** How the agent runs vegeta and reads its results. */
export const vegeta = {
  program: "vegeta",
  attack,
  /** The command that writes results as CSV. */
  encode: ["vegeta", "encode", "-to", "csv"],
  /** Places of a result's fields in a row; times are in nanoseconds. */
  columns: { begun: 0, status: 1, latency: 2, error: 5, number: 8, headers: 11 },
  /** Kinds of problems, by patterns of the errors that Go's network library prints; the first match counts. */
  problems: [
    ["timeout", "deadline exceeded|timeout"],
    ["refused", "connection refused"],
    ["reset", "reset by peer|broken pipe|EOF|GOAWAY"],
    ["unreachable", "no route to host|unreachable"],
    ["client-ports", "cannot assign requested address|too many open files"],
    ["certificate", "x509|certificate"],
  ],
  /** Pattern of the version in Go's build information: `vegeta -version` is empty in a build from its module. */
  version: "\\tgithub\\.com/tsenart/vegeta/v12\\tv([0-9.]{1,20})",
} as const;
