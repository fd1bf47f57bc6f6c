import type { PlanInput } from "../plan/plan-input.ts";

/**
 /**
  * Limits of NATs, about 16 minutes a topology. Read each figure against `direct`, which shows the limits of client
  * and server.
  *
  * Silences last up to 5 minutes: Azure forgets an idle TCP flow after 4 by default; an AWS NAT gateway keeps one for
  * 350 s, which shows as "over 300 s". 70,000 flows exceed the ports of one public address (64,512) and of one client.
  * The flows come last, since a NAT may keep their ports for minutes.
  */
export const natLimits: PlanInput = {
  name: "nat-limits",
  cases: [
    { tool: "nat", probe: "behaviour" },
    { tool: "nat", probe: "idle-timeout", protocol: ["tcp", "udp"], maxSeconds: 300 },
    { tool: "nat", probe: "connection-rate", durationSeconds: 30 },
    {
      tool: "nat",
      probe: "concurrent-flows",
      protocol: ["tcp", "udp"],
      maxFlows: 70_000,
      durationSeconds: 60,
    },
  ],
};
