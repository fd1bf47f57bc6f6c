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
  /** `egress`: data flows client to server; `ingress`: server to client. The client always connects. */
  direction: z.enum(["egress", "ingress"]),
  durationSeconds: z.int(),
  /** Seconds before `durationSeconds` that are left out of the figures. */
  omitSeconds: z.int(),
};

export const iperf3CaseSchema = z.strictObject({
  ...common,
  tool: z.literal("iperf3"),
  protocol: z.enum(["tcp", "udp"]),
  streams: z.int(),
  /** Per stream; 0: as fast as the sender can; null: TCP's own pace. UDP always has a number. */
  bitsPerSecond: z.number().nullable(),
  /** UDP payload; null: iperf3's choice, which fits the path's MTU. */
  datagramBytes: z.int().nullable(),
  /** Clients and servers that start at one instant, each with `streams` of its own; null: one of each. */
  pairs: z.int().nullable(),
});
export const sockperfCaseSchema = z.strictObject({
  ...common,
  tool: z.literal("sockperf"),
  protocol: z.enum(["tcp", "udp"]),
  messageBytes: z.int(),
});
export const connectCaseSchema = z.strictObject({
  ...common,
  tool: z.literal("connect"),
  protocol: z.literal("tcp"),
  /** Pause between two connections. */
  intervalMs: z.number(),
});
/** A case with everything decided; no defaults are left to a tool. */
export const caseSchema = z.discriminatedUnion("tool", [
  iperf3CaseSchema,
  sockperfCaseSchema,
  connectCaseSchema,
]);
export type Case = z.infer<typeof caseSchema>;
export type Iperf3Case = z.infer<typeof iperf3CaseSchema>;
export type SockperfCase = z.infer<typeof sockperfCaseSchema>;
export type ConnectCase = z.infer<typeof connectCaseSchema>;

/**
 * `interleaved`: each case on every topology before the next case, so that time of day and burst credits hit
 * all alike. `sequential`: one topology after the other.
 */
export const orderSchema = z.enum(["interleaved", "sequential"]);
export type Order = z.infer<typeof orderSchema>;

export interface Plan {
  readonly name: string;
  readonly order: Order;
  readonly cases: readonly Case[];
}

/** A plan that cannot be used. The message names the case, the key, the value and what is allowed. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}

/** The measurements of a plan in the order they run, each on one topology. */
export function orderCases(
  plan: Plan,
  topologyNames: readonly string[],
): { readonly topology: string; readonly case: Case }[] {
  return plan.order === "interleaved"
    ? plan.cases.flatMap((one) => topologyNames.map((topology) => ({ topology, case: one })))
    : topologyNames.flatMap((topology) => plan.cases.map((one) => ({ topology, case: one })));
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
