/** A plan for hosts that others use as well: no case sends more than it was agreed that they bear. */
import { toolOf } from "../tools/index.ts";
import { type Case, type Plan, PlanError, pairsOf } from "./plan.ts";
import { formatBitRate } from "./quantities.ts";

/** Probes that open as many flows as a NAT can hold: who shares it is left without ports. */
const EXHAUSTING = ["connection-rate", "concurrent-flows"];

/**
 * Gives cases that send as much as goes the rate `maxBitsPerSecond`, all streams and pairs together; 0 is no bound.
 *
 * @throws {PlanError} naming the case that asks for more, cannot be bounded, or would hurt others whatever its rate.
 */
export function boundRates(plan: Plan, maxBitsPerSecond: number): Plan {
  return { ...plan, cases: plan.cases.map((one) => bounded(one, maxBitsPerSecond)) };
}

function bounded(benchCase: Case, most: number): Case {
  const asked = toolOf(benchCase).traffic(benchCase)?.askedBitsPerSecond;
  if (benchCase.tool === "failover" || (benchCase.tool === "nat" && EXHAUSTING.includes(benchCase.probe))) {
    throw refusal(benchCase, "hurts whoever shares the way out, and is not run on hosts that exist already");
  }
  if (asked === undefined || most === 0) {
    return benchCase;
  }
  if (asked * pairsOf(benchCase) > most) {
    const remedy = "lower its rate (rateScale lowers all), or raise egress-bench:hosts.maxBitsPerSecond";
    throw refusal(benchCase, `asks for ${formatBitRate(asked)}, more than ${formatBitRate(most)}; ${remedy}`);
  }
  if (asked > 0) {
    return benchCase;
  }
  if ("load" in benchCase && benchCase.load != null) {
    const { load } = benchCase;
    return { ...benchCase, load: { ...load, bitsPerSecond: Math.floor(most / load.streams) } };
  }
  if (benchCase.tool === "iperf3") {
    return { ...benchCase, bitsPerSecond: Math.floor(most / (benchCase.streams * pairsOf(benchCase))) };
  }
  throw refusal(
    benchCase,
    `sends as much as goes, and ${benchCase.tool} has no rate to bound; leave it out, or set egress-bench:hosts.maxBitsPerSecond to unlimited`,
  );
}

function refusal({ id }: Case, reason: string): PlanError {
  return new PlanError(`case ${id}: ${reason}`);
}
