/**
 * What is measured: a plan is a list of cases, put in order over the topologies of a stack.
 *
 * A person writes a plan as the name of a preset or as an object (see `plan-input.ts`); `parsePlan` makes the
 * cases of it.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { z } from "zod";

const common = {
  /** Stable and readable, unique within the plan, e.g. `udp-egress-64B-p20-10M`. */
  id: z.string(),
  /** `egress`: data flows client to server; `ingress`: server to client. The client always connects, but for tools whose sender does. */
  direction: z.enum(["egress", "ingress"]),
  durationSeconds: z.int(),
  /** Seconds before `durationSeconds` that are left out of the figures. */
  omitSeconds: z.int(),
};

/** Traffic of iperf3 that runs underneath while a latency is measured. */
export const loadSchema = z.strictObject({
  protocol: z.enum(["tcp", "udp"]),
  direction: z.enum(["egress", "ingress"]),
  streams: z.int(),
  /** Per stream; as in a case of iperf3. */
  bitsPerSecond: z.number().nullable(),
});
export type Load = z.infer<typeof loadSchema>;

export const iperf3CaseSchema = z.strictObject({
  ...common,
  tool: z.literal("iperf3"),
  protocol: z.enum(["tcp", "udp"]),
  streams: z.int(),
  /** Per stream; 0: as fast as the sender can; null: TCP's own pace. UDP always has a number. */
  bitsPerSecond: z.number().nullable(),
  /** UDP payload; null: iperf3's choice, which fits the path's MTU. */
  datagramBytes: z.int().nullable(),
  /** TCP congestion control of the sender; null: the kernel's default. */
  congestion: z.string().nullable(),
  /** Clients and servers that start at one instant, each with `streams` of its own; null: one of each. */
  pairs: z.int().nullable(),
});
export const sockperfCaseSchema = z.strictObject({
  ...common,
  tool: z.literal("sockperf"),
  protocol: z.enum(["tcp", "udp"]),
  messageBytes: z.int(),
  /** Null: latency at rest. */
  load: loadSchema.nullable(),
});
export const connectCaseSchema = z.strictObject({
  ...common,
  tool: z.literal("connect"),
  protocol: z.literal("tcp"),
  /** Pause between two connections. */
  intervalMs: z.number(),
  load: loadSchema.nullable(),
});
export const natCaseSchema = z.strictObject({
  ...common,
  tool: z.literal("nat"),
  probe: z.enum(["connection-rate", "concurrent-flows", "idle-timeout", "behaviour"]),
  protocol: z.enum(["tcp", "udp"]),
  /** Flows to open at most; null: the probe opens no more than it needs. */
  maxFlows: z.int().nullable(),
  /** Between two silences that are tried; the longest is `durationSeconds`. Null: not the probe's. */
  stepSeconds: z.int().nullable(),
  /** Flows being opened at a time; null: not the probe's. */
  concurrency: z.int().nullable(),
});
/**
 * iperf3 again and again: for the highest UDP rate that loses no more than a bound (`ndr`, `pdr`), or the number
 * of TCP streams that carry most (`peak`). What the other goal has no use for is null.
 */
export const searchCaseSchema = z.strictObject({
  ...common,
  tool: z.literal("search"),
  goal: z.enum(["ndr", "pdr", "peak"]),
  protocol: z.enum(["tcp", "udp"]),
  /** UDP payload; null: iperf3's choice, which fits the path's MTU. */
  datagramBytes: z.int().nullable(),
  streams: z.int().nullable(),
  /** Offered, all streams together. */
  minBitsPerSecond: z.number().nullable(),
  maxBitsPerSecond: z.number().nullable(),
  /** Share of its datagrams that a trial may lose and pass. */
  lossPercent: z.number().nullable(),
  /** `ndr`, `pdr`: how far the figure may be below a rate that failed; `peak`: what counts as noise. */
  precisionPercent: z.number(),
  /** Trials that repeat the figure. */
  confirmations: z.int(),
  maxTrials: z.int(),
  maxStreams: z.int().nullable(),
});
export const ntttcpCaseSchema = z.strictObject({
  ...common,
  tool: z.literal("ntttcp"),
  protocol: z.enum(["tcp", "udp"]),
  /** Threads of the receiver, each with a port of its own. */
  streams: z.int(),
  /** Connections to each of them, each with a thread of the sender. */
  connectionsPerStream: z.int(),
  /** UDP payload; null with TCP. */
  datagramBytes: z.int().nullable(),
});
/** A case with everything decided; no defaults are left to a tool. */
export const caseSchema = z.discriminatedUnion("tool", [
  iperf3CaseSchema,
  sockperfCaseSchema,
  connectCaseSchema,
  natCaseSchema,
  searchCaseSchema,
  ntttcpCaseSchema,
]);
export type Case = z.infer<typeof caseSchema>;
export type Iperf3Case = z.infer<typeof iperf3CaseSchema>;
export type SockperfCase = z.infer<typeof sockperfCaseSchema>;
export type ConnectCase = z.infer<typeof connectCaseSchema>;
export type NatCase = z.infer<typeof natCaseSchema>;
export type SearchCase = z.infer<typeof searchCaseSchema>;
export type NtttcpCase = z.infer<typeof ntttcpCaseSchema>;

export const orders = ["interleaved", "sequential", "shuffled"] as const;
/**
 * `interleaved`: each case on every topology before the next case, so that time of day and burst credits hit
 * all alike. `sequential`: one topology after the other. `shuffled`: all measurements in a random order that a
 * seed decides.
 */
export type Order = (typeof orders)[number];

/** How often each case is measured. */
export interface Repeat {
  readonly least: number;
  readonly most: number;
  /**
   * Between the two: until half of the mean's 95 % confidence interval is at most so many percent of the mean.
   * Null: `most` times.
   */
  readonly withinPercent: number | null;
}

export interface Plan {
  readonly name: string;
  readonly order: Order;
  /** Of `shuffled`; null: the run decides, see `withSeed`. */
  readonly seed: number | null;
  /** Before every measurement but the first. */
  readonly pauseSeconds: number;
  readonly repeat: Repeat;
  readonly cases: readonly Case[];
}

/** A plan that cannot be used. The message names the case, the key, the value and what is allowed. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}

/** How many client-server pairs measure a case together. */
export function pairsOf(benchCase: Case): number {
  return ("pairs" in benchCase ? benchCase.pairs : null) ?? 1;
}

/** Refuses a case that needs more pairs than there are; `remedy` says how to have more. @throws {PlanError} */
export function checkPairs(plan: Plan, available: number, remedy: string): void {
  const wanting = plan.cases.find((one) => pairsOf(one) > available);
  if (wanting !== undefined) {
    const are = available === 1 ? "there is 1" : `there are ${available}`;
    throw new PlanError(`case ${wanting.id}: pairs: got ${pairsOf(wanting)}, but ${are}; ${remedy}`);
  }
}

/**
 * Hash of what decides a measurement: every field but the id. Fields that are null do not count, so that a
 * later version may add one without measuring old cases anew.
 */
export function caseHash(benchCase: Case): string {
  const { id: _, ...deciding } = benchCase;
  const fields = Object.entries(deciding)
    .filter(([, value]) => value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex").slice(0, 16);
}
