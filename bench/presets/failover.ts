import type { PlanInput } from "../plan/plan-input.ts";

/**
 * Failures of the NAT instance, five times each, about 10 minutes a topology. Where there is no NAT instance
 * nothing is provoked, and the results say so.
 *
 * Between two measurements a machine has the time to boot. `stop` is left out: a cloud's machine that was stopped needs a person to start
 * it again.
 */
export const failover: PlanInput = {
  name: "failover",
  pauseSeconds: 5,
  repeat: { least: 5, most: 5, withinPercent: null },
  cases: [{ tool: "failover", failure: ["drain", "blackhole", "reboot", "kill"], durationSeconds: 20 }],
};
