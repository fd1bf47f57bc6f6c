import type { PlanInput } from "../plan/plan-input.ts";

/**
 * The cases of azure-vpn-2017-10 with a tool that every host has: 5 minutes of TCP each way with as many streams as
 * ntttcp starts by itself. The preset `ntttcp` is the publication's own tool, where it is installed.
 */
export const vpn: PlanInput = {
  name: "vpn",
  cases: [
    {
      tool: "iperf3",
      protocol: "tcp",
      direction: ["egress", "ingress"],
      streams: 64,
      durationSeconds: 300,
      omitSeconds: 5,
    },
  ],
};
