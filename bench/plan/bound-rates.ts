/** Limits a plan's rates on hosts that others use too: no case may send more than the agreed rate. */
import { toolOf } from "../tools/index.ts";
import { type Case, type Plan, PlanError, pairsOf } from "./plan.ts";
import { formatBitRate } from "./quantities.ts";

/** Probes that open as many flows as a NAT can hold, which leaves other users of the NAT without ports. */
const EXHAUSTING = ["connection-rate", "concurrent-flows"];

/**
 * Gives unlimited cases the rate `maxBitsPerSecond`, all streams, pairs and directions together; 0: no bound.
 *
 * @throws {PlanError} naming the case that asks for more, cannot be bounded, or would hurt others at any rate.
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

/** Round trips per second on a fast network, where sockperf sends again as soon as it gets an answer. */
const QUICK_ROUND_TRIPS = 20_000;
const SMALL_MESSAGE_BYTES = 64;

/** Bits per second that a probe itself sends each way; 0 for a probe that is small on any network. */
function probeBitsPerSecond(benchCase: Case): number {
  if (benchCase.tool === "sockperf" && benchCase.messageBytes > SMALL_MESSAGE_BYTES) {
    return 8 * benchCase.messageBytes * QUICK_ROUND_TRIPS;
  }
  return benchCase.tool === "irtt" ? (8000 * benchCase.datagramBytes) / benchCase.intervalMs : 0;
}

function refusal({ id }: Case, reason: string): PlanError {
  return new PlanError(`case ${id}: ${reason}`);
}
