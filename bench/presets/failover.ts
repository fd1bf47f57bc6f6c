import type { PlanInput } from "../plan/plan-input.ts";

/**
 * Failures of the NAT instance, five times each, about 10 minutes a topology. Topologies without a NAT instance skip
 * them, and the results say so.
 *
 * Pauses give a machine the time to boot. `stop` is left out: after it a person has to start the machine again.
 */
export const failover: PlanInput = {
  name: "failover",
  pauseSeconds: 5,
  repeat: { least: 5, most: 5, withinPercent: null },
  cases: [{ tool: "failover", failure: ["drain", "blackhole", "reboot", "kill"], durationSeconds: 20 }],
};
