/** Received UDP egress, second by second. The tool's own series shows what the sender sent, which stays flat on a full path. */
import type { Case } from "../plan/plan.ts";
import type { HostUsage, Measurement } from "../results/index.ts";
import { median } from "../statistics/sample.ts";
import { busyAmong, isOneEgressTest, samplesOf, spacingOf } from "./arrived.ts";

type Interval = Pick<Measurement["series"][number], "startSeconds" | "endSeconds" | "bitsPerSecond">;

/**
 * Bits that the server received, timed from the start of the measured part. The first sample with traffic covers the same share
 * of the test's first second as its rate is of the usual rate. Null: not UDP egress, or the samples cannot decide.
 */
export function arrivedSeries(benchCase: Case, hosts: readonly HostUsage[]): Interval[] | null {
  const { durationSeconds, omitSeconds } = benchCase;
  const samples = samplesOf(hosts, "server");
  if (!isOneEgressTest(benchCase, "udp") || spacingOf(samples) !== 1) {
    return null;
  }
  const rates = samples.map(({ receivedBitsPerSecond }) => receivedBitsPerSecond);
  const isBusy = busyAmong(rates);
  const first = rates.findIndex(isBusy);
  if (first < 0) {
    return null;
  }
  const share = Math.min(1, (rates[first] ?? 0) / median(rates.filter(isBusy)));
  return rates.slice(first).flatMap((rate, index) => {
    const startSeconds = Math.max(0, index - 1 + share) - omitSeconds;
    const endSeconds = Math.min(durationSeconds, index + share - omitSeconds);
    const seconds = endSeconds - startSeconds;
    return startSeconds < 0 || seconds <= 0
      ? []
      : [{ startSeconds, endSeconds, bitsPerSecond: rate / seconds }];
  });
}
