/**
 * Burst credits: whether a machine can hold a figure for ever or only while its credits last.
 *
 * CPU credits are computed from the CPU time that a host used since it booted, by the clouds' published rule: a size
 * earns a fixed number per hour, a CPU at full load for a minute costs one, and credits above a maximum are lost. The clouds' own
 * metrics come every five minutes, which is longer than a case. No cloud publishes or explains network credits, so the
 * notes only say how far a case exceeded the sustained rate.
 */
import { formatBitRate } from "../plan/quantities.ts";
import type { Burst, BurstState, CaseResult, HostFacts, HostUsage } from "../results/index.ts";

/** Machines that burst, by name of host. */
export type Bursts = ReadonlyMap<string, Burst>;

/** Tolerance for samples that do not begin and end in the same instant as the credits'. */
const TOLERANCE_PERCENT = 5;

/** Burst and sustained limits by host; machines without a burst are left out. */
export function burstsOf(hosts: readonly HostFacts[]): Bursts {
  return new Map(hosts.flatMap(({ host, burst }) => (burst === null ? [] : [[host, burst] as const])));
}

/** A host's samples with the state of its credits where it has any; a state that it sent itself is dropped. */
export function withBurst({ burst: _told, ...usage }: HostUsage, bursts: Bursts): HostUsage {
  const burst = bursts.get(usage.host);
  return burst === undefined ? usage : { ...usage, burst: burstState(usage, burst) };
}

function burstState({ cpuTime, network }: HostUsage, burst: Burst): BurstState {
  const rate = network === null ? null : meanBitsPerSecond(network.series);
  const baseline = burst.network?.baselineBitsPerSecond;
  return {
    cpuCreditsAtStart: cpuCredits(cpuTime?.start, burst.cpu),
    cpuCreditsAtEnd: cpuCredits(cpuTime?.end, burst.cpu),
    networkBaselinePercent: rate === null || !baseline ? null : (100 * rate) / baseline,
  };
}

type CpuTime = NonNullable<HostUsage["cpuTime"]>["start"];

/** Only where the bucket cannot have been full: credits lost at the maximum are not known. */
function cpuCredits(time: CpuTime | undefined, cpu: Burst["cpu"]): number | null {
  if (time === undefined || cpu === null) {
    return null;
  }
  const earned = cpu.initialCredits + (cpu.creditsPerHour * time.uptimeSeconds) / 3600;
  return earned > cpu.maximumCredits ? null : earned - time.busySeconds / 60;
}

/** Rate of the busier direction: each direction may use the full rate. */
function meanBitsPerSecond(series: NonNullable<HostUsage["network"]>["series"]): number | null {
  const mean = (key: "receivedBitsPerSecond" | "sentBitsPerSecond") =>
    series.reduce((sum, one) => sum + one[key], 0) / series.length;
  return series.length === 0 ? null : Math.max(mean("receivedBitsPerSecond"), mean("sentBitsPerSecond"));
}

/** Notes on machines whose figures do not last: one sentence per host and kind of credit. */
export function burstNotes(hosts: readonly HostFacts[], cases: readonly CaseResult[]): string[] {
  return hosts.flatMap((facts) => {
    const states = cases.flatMap(({ hosts: sampled }) =>
      sampled.flatMap(({ host, burst }) => (host === facts.host && burst !== undefined ? [burst] : [])),
    );
    return [networkNote(facts, states), cpuNote(facts, states)].filter((note) => note !== null);
  });
}

function networkNote({ host, size, burst }: HostFacts, states: readonly BurstState[]): string | null {
  const above = states.flatMap(({ networkBaselinePercent: percent }) =>
    percent !== null && percent > 100 + TOLERANCE_PERCENT ? [percent] : [],
  );
  const baseline = burst?.network?.baselineBitsPerSecond;
  if (above.length === 0 || baseline === undefined) {
    return null;
  }
  const most = formatBitRate((baseline * Math.max(...above)) / 100);
  return `${host} went beyond the ${formatBitRate(baseline)} that a ${size ?? "machine of its size"} sustains in ${above.length} of ${states.length} cases (up to ${most}): on network credits, which run out`;
}

function cpuNote({ host, burst }: HostFacts, states: readonly BurstState[]): string | null {
  const ends = states.flatMap(({ cpuCreditsAtEnd }) => cpuCreditsAtEnd ?? []);
  const least = Math.min(...ends);
  if (ends.length === 0 || least >= 0) {
    return null;
  }
  const meaning = {
    standard: "it is slowed down without credits",
    unlimited: "what it borrows is billed if it does not earn it back within a day",
    unknown: "without credits it is slowed down or billed",
  }[burst?.cpu?.mode ?? "unknown"];
  return `${host} used more CPU credits than it had earned since it booted (${least.toFixed(1)} at the least): ${meaning}`;
}
