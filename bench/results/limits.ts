/** Resources at their limit while a case ran: facts, which summary and report put into words. */
import { z } from "zod";
import { object, orNull, textOrNull } from "../schema.ts";
import { type Role, roleSchema } from "./hosts.ts";

/**
 * Kinds of limit. The name says what `value` and `bound` are.
 *
 * - `cpuBusyPercent`: of all CPUs of the host, the median second.
 * - `oneCpuBusyPercent`: of the CPU in `cpu`, the median second; `mostly` names its main use.
 * - `oneCpuSoftirqPercent`: packet handling of a single flow, in percent of the one CPU that it can use; for hosts
 *   whose CPUs were not sampled one by one.
 * - `toolCpuPercent`: the tool's processes, in percent of the CPUs that their threads can use.
 * - `receiveBufferPercent`: datagrams that arrived and found the tool's socket full, of those sent.
 * - `interfaceDropPercent`: packets that the host's own interfaces dropped.
 * - `allowanceExceededPercent`: packets that the cloud queued or dropped because an allowance of the instance was used
 *   up; `value` is the largest counter's share, null where the host's packets are not known.
 * - `conntrackFailures`: flows that found the table full. `conntrackFullPercent`: the peak, of the table's size.
 * - `natLossPercent`: packets that the NAT instance received and did not pass on.
 * - `connectionBitsPercent`, `connectionPacketsPercent`: the mean connection, in percent of the way out's limit of one
 *   connection; no host.
 * - `pathLossPercent`: loss that no observed host explains; no host.
 */
export const limitKindSchema = z.enum([
  "cpuBusyPercent",
  "oneCpuBusyPercent",
  "oneCpuSoftirqPercent",
  "toolCpuPercent",
  "receiveBufferPercent",
  "interfaceDropPercent",
  "allowanceExceededPercent",
  "conntrackFailures",
  "conntrackFullPercent",
  "natLossPercent",
  "pathLossPercent",
  "connectionBitsPercent",
  "connectionPacketsPercent",
]);
/** A kind of {@link limitKindSchema}. */
export type LimitKind = z.infer<typeof limitKindSchema>;

export const limitSchema = object("limit", "One thing that was at its limit.", {
  host: textOrNull.describe("Name of the host. Null: not a single host, or its name is not known."),
  role: roleSchema.nullable().describe("Role of that host. Null: the path as a whole."),
  kind: limitKindSchema.describe("What was at its limit."),
  cpu: z.int().optional().describe("Number of the CPU that `oneCpuBusyPercent` refers to."),
  mostly: z
    .enum(["softirq", "tool"])
    .optional()
    .describe("What used most of that CPU: packets of a receive queue (`softirq`), or programs (`tool`)."),
  value: orNull.describe("The observed value."),
  bound: orNull.describe("Threshold at which the value counts as a limit."),
});
/** A limit that a case met, with its host and value. */
export type Limit = z.infer<typeof limitSchema>;

/** Where a limit lies for a reader of the figure: at an end, or between the ends. */
export type Place = "client" | "server" | "path";

/** Null: a host that carries no test traffic. */
export function placeOf(role: Role | null): Place | null {
  switch (role) {
    case "client":
    case "server":
      return role;
    case "jump":
      return null;
    default:
      return "path";
  }
}

/** Whether it is the way out's limit of one connection, so that more connections may carry more. */
export function isOfOneConnection({ kind }: Pick<Limit, "kind">): boolean {
  return kind === "connectionBitsPercent" || kind === "connectionPacketsPercent";
}

const order: readonly Place[] = ["client", "server", "path"];

/**
 * The place that limited a case. An end takes precedence over the path, whose capacity is then unknown. Null: nothing observed
 * was at its limit.
 */
export function limitedBy(limits: readonly Limit[] | null): Place | null {
  return order.find((place) => limits?.some(({ role }) => placeOf(role) === place)) ?? null;
}
