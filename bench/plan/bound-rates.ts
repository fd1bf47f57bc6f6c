/** Limits a plan's rates on hosts that others use too: no case may send more than the agreed rate. */
import { toolOf } from "../tools/index.ts";
import { type Case, type Plan, PlanError, pairsOf } from "./plan.ts";
import { formatBitRate } from "./quantities.ts";

/**
 * Gives unlimited cases the rate `maxBitsPerSecond`, all streams, pairs and directions together; 0: no bound.
 *
 * @throws {PlanError} naming the case that asks for more, cannot be bounded, or would hurt others at any rate.
 */
export function boundRates(plan: Plan, maxBitsPerSecond: number): Plan {
  return { ...plan, cases: plan.cases.map((one) => bounded(one, maxBitsPerSecond)) };
}

function bounded(benchCase: Case, most: number): Case {
  const tool = toolOf(benchCase);
  if (tool.isHarmful?.(benchCase)) {
    throw refusal(benchCase, "disturbs all other users of the way out, so it does not run on existing hosts");
  }
  const traffic = tool.traffic(benchCase);
  const probing = tool.probeBitsPerSecond?.(benchCase) ?? 0;
  if (most === 0 || (traffic === null && probing === 0)) {
    return benchCase;
  }
  const { askedBitsPerSecond: asked, bothWays = false } = traffic ?? { askedBitsPerSecond: 0 };
  const flows = pairsOf(benchCase) * (bothWays ? 2 : 1);
  const all = Math.max(asked * flows, probing);
  if (all > most) {
    const remedy = `${all === probing ? "give it fewer bytes or a longer intervalMs" : "lower its rate (rateScale lowers all)"}, or raise egress-bench:hosts.maxBitsPerSecond`;
    throw refusal(benchCase, `asks for ${formatBitRate(all)}, more than ${formatBitRate(most)}; ${remedy}`);
  }
  if (traffic === null || asked > 0) {
    return benchCase;
  }
  if (tool.withRate === undefined) {
    throw refusal(
      benchCase,
      `sends as fast as it can, and ${benchCase.tool} has no rate to bound; leave it out, or set egress-bench:hosts.maxBitsPerSecond to unlimited`,
    );
  }
  return tool.withRate(benchCase, most / flows);
}

function refusal({ id }: Case, reason: string): PlanError {
  return new PlanError(`case ${id}: ${reason}`);
}
