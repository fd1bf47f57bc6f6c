/** The fields that cases of all tools share. */
import { z } from "zod";

/** Fields of every case, for the schemas of the tools. */
export const caseFields = {
  id: z.string().describe("Name, unique within the plan, e.g. `udp-egress-64B-p20-10M`."),
  direction: z
    .enum(["egress", "ingress"])
    .describe(
      "`egress`: data flows from client to server; `ingress`: from server to client. The client opens the connection, except with tools whose sender does.",
    ),
  durationSeconds: z.int().describe("How long the case measures, without warm-up."),
  omitSeconds: z.int().describe("Seconds before `durationSeconds` that are left out of the figures."),
};

/** The fields that all tools' cases share. */
export interface BaseCase {
  readonly id: string;
  readonly tool: string;
  readonly protocol: "tcp" | "udp";
  readonly direction: "egress" | "ingress";
  readonly durationSeconds: number;
  readonly omitSeconds: number;
}
