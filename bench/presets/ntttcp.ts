import type { PlanInput } from "../plan-input.ts";

/**
 * What azure-vpn-2017-10 measured with ntttcp for Linux, 5 minutes of TCP each way, in its simplest form: iperf3
 * with 64 streams.
 */
export const ntttcp: PlanInput = {
  name: "ntttcp",
  cases: [
    {
      tool: "iperf3",
      protocol: "tcp",
      direction: ["egress", "ingress"],
      streams: 64,
      durationSeconds: 300,
    },
  ],
};
