/** A plan for hosts that others use as well: no case sends more than it was agreed that they bear. */
import { toolOf } from "../tools/index.ts";
import { type Case, type Plan, PlanError, pairsOf } from "./plan.ts";
import { formatBitRate } from "./quantities.ts";

/** Probes that open as many flows as a NAT can hold: who shares it is left without ports. */
const EXHAUSTING = ["connection-rate", "concurrent-flows"];

/**
 * Gives cases that send as much as goes the rate `maxBitsPerSecond`, all streams, pairs and ways together; 0 is no bound.
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
  const probing = probeBitsPerSecond(benchCase);
  if (most === 0 || (asked === undefined && probing === 0)) {
    return benchCase;
  }
  const isBothWays = benchCase.tool === "iperf3" && benchCase.bothWays === true;
  const flows = pairsOf(benchCase) * (isBothWays ? 2 : 1);
  const all = Math.max((asked ?? 0) * flows, probing);
  if (all > most) {
    const remedy = `${all === probing ? "give it fewer bytes or a longer intervalMs" : "lower its rate (rateScale lowers all)"}, or raise egress-bench:hosts.maxBitsPerSecond`;
    throw refusal(benchCase, `asks for ${formatBitRate(all)}, more than ${formatBitRate(most)}; ${remedy}`);
  }
  if (asked === undefined) {
    return benchCase;
  }
  if (asked > 0) {
    return benchCase;
  }
  if ("load" in benchCase && benchCase.load != null) {
    const { load } = benchCase;
    return { ...benchCase, load: { ...load, bitsPerSecond: Math.floor(most / load.streams) } };
  }
  if (benchCase.tool === "iperf3") {
    return { ...benchCase, bitsPerSecond: Math.floor(most / (benchCase.streams * flows)) };
  }
  throw refusal(
    benchCase,
    `sends as much as goes, and ${benchCase.tool} has no rate to bound; leave it out, or set egress-bench:hosts.maxBitsPerSecond to unlimited`,
  );
}

/** Round trips a second of a fast network, over which sockperf sends as soon as it is answered. */
const QUICK_ROUND_TRIPS = 20_000;
const SMALL_MESSAGE_BYTES = 64;

/** What a probe itself sends each way; 0 for what is small whatever the network is. */
function probeBitsPerSecond(benchCase: Case): number {
  if (benchCase.tool === "sockperf" && benchCase.messageBytes > SMALL_MESSAGE_BYTES) {
    return 8 * benchCase.messageBytes * QUICK_ROUND_TRIPS;
  }
  return benchCase.tool === "irtt" ? (8000 * benchCase.datagramBytes) / benchCase.intervalMs : 0;
}

function refusal({ id }: Case, reason: string): PlanError {
  return new PlanError(`case ${id}: ${reason}`);
}
