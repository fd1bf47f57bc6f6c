/** Placeholder types, to be completed: see ARCHITECTURE. */
import { z } from "zod";

const common = {
  id: z.string(),
  /** `egress`: data flows client to server; `ingress`: server to client. */
  direction: z.enum(["egress", "ingress"]),
  durationSeconds: z.number(),
  /** Seconds at the start that are left out of the figures. */
  omitSeconds: z.number(),
};

export const iperf3CaseSchema = z.object({
  ...common,
  tool: z.literal("iperf3"),
  protocol: z.enum(["tcp", "udp"]),
  streams: z.number().int(),
  /** Per stream; null: TCP as fast as it goes. UDP always has one. */
  bitsPerSecond: z.number().nullable(),
  /** UDP payload; null: iperf3's choice. */
  datagramBytes: z.number().int().nullable(),
});
export const sockperfCaseSchema = z.object({
  ...common,
  tool: z.literal("sockperf"),
  protocol: z.enum(["tcp", "udp"]),
  messageBytes: z.number().int(),
});
export const connectCaseSchema = z.object({
  ...common,
  tool: z.literal("connect"),
  protocol: z.literal("tcp"),
  /** Pause between two connections. */
  intervalMs: z.number(),
});
export const caseSchema = z.discriminatedUnion("tool", [
  iperf3CaseSchema,
  sockperfCaseSchema,
  connectCaseSchema,
]);
export type Case = z.infer<typeof caseSchema>;
export type Iperf3Case = z.infer<typeof iperf3CaseSchema>;
export type SockperfCase = z.infer<typeof sockperfCaseSchema>;
export type ConnectCase = z.infer<typeof connectCaseSchema>;
