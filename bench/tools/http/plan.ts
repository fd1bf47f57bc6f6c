/** The plan's section for HTTP, and the cases that it makes. */
import { z } from "zod";
import { caseFields, caseId, product } from "../../plan/case.ts";
import { caseInput, oneOf, optional, type ProgramOption, sweep, whole } from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { strictObject } from "../../schema.ts";
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

export const caseSchema = strictObject("httpCase", "A case of http.", {
  ...caseFields,
  tool: z.literal("http").describe("The tool."),
  protocol: z.literal("tcp").describe("Protocol of the traffic."),
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

export const input = strictObject("httpInput", "HTTPS requests at a steady rate, by vegeta.", {
  ...caseInput,
  tool: z.literal("http").describe("The tool."),
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
export function expand(input: Input, where: string): HttpCase[] {
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
