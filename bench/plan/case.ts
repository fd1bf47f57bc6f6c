/**
 * The fields that cases of all tools share.
 *
 * @module
 */
import { z } from "zod";

/** Fields of every case, for the schemas of the tools. */
export const caseFields = {
  /** Stable and readable, unique within the plan, e.g. `udp-egress-64B-p20-10M`. */
  id: z.string(),
  /** `egress`: data flows client to server; `ingress`: server to client. The client always connects, but for tools whose sender does. */
  direction: z.enum(["egress", "ingress"]),
  durationSeconds: z.int(),
  /** Seconds before `durationSeconds` that are left out of the figures. */
  omitSeconds: z.int(),
};

/** Any tool's case, as far as all are alike. */
export interface BaseCase {
  readonly id: string;
  readonly tool: string;
  readonly protocol: "tcp" | "udp";
  readonly direction: "egress" | "ingress";
  readonly durationSeconds: number;
  readonly omitSeconds: number;
}
