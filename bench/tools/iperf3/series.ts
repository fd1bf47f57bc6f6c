/** The series of a test of iperf3, warm-up left out. */
import type { Measurement } from "../../results/measurement.ts";
import { count, total } from "./numbers.ts";
import type { Iperf3Output } from "./output.ts";

type Series = Measurement["series"];

/** The intervals as the client saw them: received in ingress, sent in egress. */
export function readSeries({ intervals }: Iperf3Output): Series {
  const series: Series = [];
  for (const { sum, sum_bidir_reverse: reverse } of intervals ?? []) {
    if (sum?.end == null || sum.omitted) {
      continue;
    }
    series.push({
      startSeconds: sum.start ?? series.at(-1)?.endSeconds ?? 0,
      endSeconds: sum.end,
      bitsPerSecond: total([
        count(sum.bits_per_second),
        ...(reverse ? [count(reverse.bits_per_second)] : []),
      ]),
      ...(reverse && {
        bothWays: {
          egressBitsPerSecond: count(sum.bits_per_second),
          ingressBitsPerSecond: count(reverse.bits_per_second),
        },
      }),
      retransmits: count(sum.retransmits),
      lostPackets: count(sum.lost_packets),
      packets: count(sum.packets),
    });
  }
  return series;
}
