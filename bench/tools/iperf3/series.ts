/** The series of an iperf3 test without its warm-up. */
import type { Measurement } from "../../results/measurement.ts";
import { count, times, total } from "./numbers.ts";
import type { Iperf3Output } from "./output.ts";

type Series = Measurement["series"];
type Interval = NonNullable<NonNullable<Iperf3Output["intervals"]>[number]["sum"]>;

/** Factor by which the first interval's `seconds` exceed its end if it began in the warm-up. */
const MERGED_TIMES = 1.5;

/** The intervals as the client saw them: received for ingress, sent for egress. */
export function readSeries({ intervals }: Iperf3Output): Series {
  const series: Series = [];
  for (const { sum, sum_bidir_reverse: reverse } of intervals ?? []) {
    if (sum?.end == null || sum.omitted) {
      continue;
    }
    const previousEnd = series.at(-1)?.endSeconds ?? 0;
    const merged = series.length === 0 ? mergedTimes(sum) : 1;
    const rates = [sum, ...(reverse ? [reverse] : [])].map((one) =>
      times(count(one.bits_per_second), merged),
    );
    const [egressBitsPerSecond = null, ingressBitsPerSecond = null] = rates;
    series.push({
      startSeconds: merged > 1 ? previousEnd : (sum.start ?? previousEnd),
      endSeconds: sum.end,
      bitsPerSecond: total(rates),
      ...(reverse && { bothWays: { egressBitsPerSecond, ingressBitsPerSecond } }),
      retransmits: count(sum.retransmits),
      lostPackets: count(sum.lost_packets),
      packets: count(sum.packets),
    });
  }
  return series;
}

/**
 * Factor by which the first interval's rate is too low. iperf3 sometimes merges the warm-up's last interval into it: its bytes
 * are from after the warm-up, but its rate is over both.
 */
function mergedTimes({ seconds, end }: Interval): number {
  return seconds != null && end != null && end > 0 && seconds > MERGED_TIMES * end ? seconds / end : 1;
}
