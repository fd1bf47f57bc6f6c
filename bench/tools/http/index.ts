/**
 * HTTPS requests on a schedule, by vegeta: each begins when it is due, whether earlier ones were answered or not, so that a
 * stall shows in every affected request (no coordinated omission). Run: vegeta 12.13.0 against nginx 1.22.
 *
 * The host agent's `probes/http.py` runs vegeta and reduces its results, `daemon/https.py` runs nginx.
 */
import { z } from "zod";
import { caseId, caseOf, inputOf, product } from "../../plan/case.ts";
import { measuredSeconds, oneOf, optional, type ProgramOption, sweep, whole } from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { commandLine } from "../../shell.ts";
import { failureFromText } from "../shared/failure.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { agentLatencySchema, agentProgram, count, probeOutput } from "../shared/probe.ts";
import type { TemplatePart } from "../shared/template.ts";
import { type Tool, ToolFailure } from "../tool.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

const versions = ["1.1", "2"] as const;
/** Whether a connection serves many requests, or each has its own. */
export const connections = ["kept", "new"] as const;
const sizes = ["1k", "10k", "100k", "1M"] as const;
const bytesOf = { "1k": 1000, "10k": 10_000, "100k": 100_000, "1M": 1_000_000 } as const;

/** The options of the probe that runs vegeta, by name. In the warm-up of `omit` seconds the kept connections are made. */
export const httpOptions = {
  rate: { default: 100, min: 1, max: 10_000 },
  bytes: { default: bytesOf["1k"], min: 1, max: bytesOf["1M"] },
  omit: { default: 1, min: 0, max: 60 },
} as const satisfies Record<string, ProgramOption>;
const { rate } = httpOptions;
const defaults = {
  httpVersion: "2",
  connections: "kept",
  requestsPerSecond: rate.default,
  response: "1k",
} as const;
/** The host agent holds every latency of a case in memory. */
const MAX_REQUESTS = 1_000_000;

const caseSchema = caseOf("http", ["tcp"], {
  httpVersion: z.enum(versions).describe("Version of HTTP, over TLS 1.3."),
  connections: z
    .enum(connections)
    .describe("`kept`: a connection serves many requests. `new`: each request has its own connection."),
  requestsPerSecond: z
    .int()
    .describe("Requests started each second, whether or not earlier ones were answered."),
  responseBytes: z.int().describe("Size of a response's body."),
  load: loadSchema.optional().describe("iperf3's traffic at the same time. Absent: requests at rest."),
});
export type HttpCase = z.infer<typeof caseSchema>;

const input = inputOf("http", "HTTPS requests at a steady rate, by vegeta.", {
  durationSeconds: measuredSeconds,
  httpVersion: optional(sweep(oneOf(...versions)), "Version of HTTP, over TLS 1.3.", "`2`"),
  connections: optional(
    sweep(oneOf(...connections)),
    "`kept`: a connection serves many requests. `new`: each request has its own connection, whose TCP and TLS handshakes count.",
    "`kept`",
  ),
  requestsPerSecond: optional(
    sweep(whole(rate.min, rate.max, "requests a second")),
    "Requests started each second, whether or not earlier ones were answered.",
    defaults.requestsPerSecond,
  ),
  response: optional(sweep(oneOf(...sizes)), "Body of a response, in bytes.", "`1k`"),
  load: optional(loadInput, "iperf3's traffic at the same time; without it, requests at rest."),
});
type Input = z.output<typeof input>;

/** A sweep over version, connections, rate and size. @throws {PlanError} */
function expand(input: Input, where: string): HttpCase[] {
  const { durationSeconds } = input;
  const load = readLoad(input.load, where);
  return product({
    httpVersion: input.httpVersion?.values ?? [defaults.httpVersion],
    connections: input.connections?.values ?? [defaults.connections],
    requestsPerSecond: input.requestsPerSecond?.values ?? [defaults.requestsPerSecond],
    response: input.response?.values ?? [defaults.response],
  }).map(({ response, ...values }) => {
    if (values.requestsPerSecond * durationSeconds > MAX_REQUESTS) {
      throw new PlanError(
        `${where}: requestsPerSecond: got ${values.requestsPerSecond} for ${durationSeconds} s; expected ${MAX_REQUESTS} requests a case at most`,
      );
    }
    return {
      id: caseId(input.id, [
        [`http${values.httpVersion}`, input.httpVersion?.swept],
        [values.connections, input.connections?.swept],
        [
          `${values.requestsPerSecond}rps`,
          input.requestsPerSecond?.swept,
          values.requestsPerSecond !== defaults.requestsPerSecond,
        ],
        [response, input.response?.swept, response !== defaults.response],
        loadPart(load),
      ]),
      tool: "http",
      protocol: "tcp",
      direction: "ingress",
      durationSeconds,
      omitSeconds: httpOptions.omit.default,
      ...values,
      responseBytes: bytesOf[response],
      ...(load === null ? {} : { load }),
    };
  });
}

/** Seconds after which a request without an answer has failed. */
const TIMEOUT_SECONDS = 10;

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

const HTTPS_PORT = 5205;
/** Seconds for the start, the certificate check, and reading the last results. */
const SETUP_SECONDS = 5;
/** Least share of the schedule that must begin; below it the client was too busy for a measurement. */
const MIN_KEPT_SHARE = 0.5;
const TLS_RECORD_SHARE = 1.05;

const httpOutputSchema = z.object({
  version: z.literal(1),
  toolVersion: z.string().max(40).nullable(),
  /** Requests in the schedule. */
  planned: count,
  attempted: count,
  failed: count,
  /** Requests answered during the test. @default all answered ones */
  answeredInTime: count.optional(),
  problems: z.record(z.string().max(40), count),
  connections: count,
  lateMs: z.number().min(0),
  latencyUs: agentLatencySchema,
});
type HttpOutput = z.infer<typeof httpOutputSchema>;

/** HTTPS requests at a steady rate, and how long each took. */
export const http: Tool<HttpCase, typeof input> = {
  name: "http",
  input,
  caseSchema,
  expand,

  executables: ["python3"],
  endPackages: { server: ["nginx", "openssl"] },
  clientBuilds: { vegeta: "github.com/tsenart/vegeta/v12@v12.13.0" },
  ports: { https: { first: HTTPS_PORT, protocols: ["tcp"] } },
  isServedOnDemand: true,

  services({ https: port = HTTPS_PORT }) {
    const command = [...agentProgram("agent.py"), "https", "--port", String(port)];
    return [{ name: "HTTPS", ends: ["server"], port, command }];
  },

  command(benchCase, serverAddress) {
    const { durationSeconds, omitSeconds, httpVersion, connections, requestsPerSecond, responseBytes } =
      benchCase;
    return commandLine([
      ...[...agentProgram("agent.py"), "probe", "http", "--address", serverAddress, "--port", HTTPS_PORT],
      ...["--duration", durationSeconds, "--omit", omitSeconds, "--rate", requestsPerSecond],
      ...["--version", httpVersion, "--connections", connections, "--bytes", responseBytes],
    ]);
  },

  expectedSeconds: ({ durationSeconds, omitSeconds }) =>
    omitSeconds + durationSeconds + TIMEOUT_SECONDS + SETUP_SECONDS,

  parse(stdout, context) {
    const program = "the http probe";
    const output = probeOutput(stdout, context, { schema: httpOutputSchema, program, isWhole, failureOf });
    const { planned, attempted, failed, answeredInTime, connections, lateMs, latencyUs } = output;
    checkAnswered(output);
    const { durationSeconds } = context.case;
    const requests = {
      ...{ attempted, failed, perSecond: (answeredInTime ?? attempted - failed) / durationSeconds },
      ...{ notSent: Math.max(0, planned - attempted), connections, lateMs },
    };
    return {
      measurement: {
        ...nothingMeasured,
        durationSeconds,
        requests,
        latencyUs: { kind: "request", ...latencyUs },
      },
      version: output.toolVersion,
    };
  },
  // HTTP/1.1 opens another connection for each request that waits.
  flows: () => null,

  traffic: ({ requestsPerSecond, responseBytes, direction }) => ({
    askedBitsPerSecond: requestsPerSecond * responseBytes * 8 * TLS_RECORD_SHARE,
    direction,
  }),
  busySeconds: ({ durationSeconds, omitSeconds }) => durationSeconds + omitSeconds,

  question: "requests",
  title: ({ httpVersion, connections, requestsPerSecond, responseBytes }) =>
    `HTTP/${httpVersion} over TLS, ${connections === "new" ? "a new connection each" : "kept connections"}, ` +
    `${requestsPerSecond} requests a second${responseBytes === 1000 ? "" : ` of ${responseBytes / 1000} kB`}`,
};

/** @throws {ToolFailure} where no request was answered, or most did not begin. */
function checkAnswered({ planned, attempted, failed, problems }: HttpOutput): void {
  if (attempted < MIN_KEPT_SHARE * planned) {
    throw new ToolFailure(
      "tool-error",
      `the client began ${attempted} of the ${planned} requests that were due`,
    );
  }
  if (failed === attempted) {
    const names = Object.entries(problems).map(([name, times]) => `${times} times ${name}`);
    const noRoute = Object.keys(problems).some((name) => name === "timeout" || name === "unreachable");
    throw new ToolFailure(
      noRoute ? "no-route" : "tool-error",
      `none of ${attempted} requests was answered: ${names.join(", ")}`,
    );
  }
}

function failureOf(said: string): ToolFailure {
  return said.startsWith("vegeta: not found")
    ? new ToolFailure(
        "tool-missing",
        "the client lacks vegeta, which Debian and Ubuntu do not package; docs/results.md#http says how to install it",
      )
    : failureFromText(said);
}

function isWhole({ attempted, failed, problems, latencyUs }: HttpOutput): boolean {
  const named = Object.values(problems).reduce((sum, times) => sum + times, 0);
  return attempted > 0 && named === failed && latencyUs.samples === attempted - failed;
}
