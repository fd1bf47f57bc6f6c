/** Computed CPU credits, network rates beyond the sustained one, and their notes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { burstNotes, burstsOf, withBurst } from "../../../bench/assemble/burst.ts";
import type { Burst, CaseResult, HostFacts, HostUsage } from "../../../bench/results/index.ts";
import { hostFacts } from "../../fixtures/results/hand-made.ts";
import { usageOf } from "./fixture.ts";

/** A t4g.nano as AWS describes it. */
const nano: Burst = {
  cpu: { creditsPerHour: 6, maximumCredits: 144, initialCredits: 0, mode: "unlimited" },
  network: { baselineBitsPerSecond: 32e6, peakBitsPerSecond: 5e9 },
};

const facts = (burst: Burst | null): HostFacts => ({ ...hostFacts("nat", "nat"), size: "t4g.nano", burst });

interface Sampled {
  readonly start?: readonly [uptimeSeconds: number, busySeconds: number];
  readonly end?: readonly [uptimeSeconds: number, busySeconds: number];
  readonly rates?: readonly (readonly [received: number, sent: number])[];
}

function usage({ start = [0, 0], end = start, rates = [] }: Sampled): HostUsage {
  const time = ([uptimeSeconds, busySeconds]: readonly [number, number]) => ({ uptimeSeconds, busySeconds });
  const second = { receivedPacketsPerSecond: 0, sentPacketsPerSecond: 0, drops: 0, conntrack: null };
  return usageOf("nat", [], {
    host: "nat",
    cpuTime: { start: time(start), end: time(end) },
    network: {
      series: rates.map(([receivedBitsPerSecond, sentBitsPerSecond]) => ({
        ...{ ...second, at: "2026-11-21T12:00:00Z", tcpRetransmits: null },
        ...{ receivedBitsPerSecond, sentBitsPerSecond },
      })),
    },
  });
}

const stateOf = (sampled: Sampled, burst: Burst = nano) =>
  withBurst(usage(sampled), burstsOf([facts(burst)])).burst;

describe("CPU credits", () => {
  it("are earned with time and spent with work: one a CPU and minute", () => {
    // An hour earns 6; 90 s of work cost 1.5, and two minutes more of which one CPU works all the time cost 2.
    expect(stateOf({ start: [3600, 90], end: [3720, 210] })).toMatchObject({
      cpuCreditsAtStart: 4.5,
      cpuCreditsAtEnd: expect.closeTo(6 + 0.2 - 3.5),
    });
  });

  it("begin with a machine's credits at boot", () => {
    const cpu = { creditsPerHour: 24, maximumCredits: 576, initialCredits: 60, mode: "standard" as const };
    expect(stateOf({ start: [0, 0] }, { cpu, network: null })?.cpuCreditsAtStart).toBe(60);
  });

  it("are below 0 where they are borrowed", () => {
    expect(stateOf({ end: [600, 120] })?.cpuCreditsAtEnd).toBe(1 - 2);
  });

  it("are not known once the bucket may have been full", () => {
    const day = 24 * 3600;
    expect(stateOf({ start: [day, 0], end: [day + 1, 0] })).toMatchObject({
      cpuCreditsAtStart: 144,
      cpuCreditsAtEnd: null,
    });
  });

  it("neither rise above the maximum nor faster than they are earned, whatever a machine does", () => {
    const uptime = fc.double({ min: 0, max: 2 * 24 * 3600, noNaN: true });
    const busyShare = fc.double({ min: 0, max: 2, noNaN: true });
    fc.assert(
      fc.property(uptime, busyShare, uptime, busyShare, (before, share, seconds, nextShare) => {
        const start: [number, number] = [before, before * share];
        const end: [number, number] = [before + seconds, start[1] + seconds * nextShare];
        const { cpuCreditsAtStart, cpuCreditsAtEnd } = stateOf({ start, end }) ?? {};
        expect(cpuCreditsAtStart ?? 0).toBeLessThanOrEqual(144);
        expect(cpuCreditsAtEnd ?? 0).toBeLessThanOrEqual(144);
        if (cpuCreditsAtStart != null && cpuCreditsAtEnd != null) {
          const most = (6 * seconds) / 3600;
          expect(cpuCreditsAtEnd - cpuCreditsAtStart).toBeLessThanOrEqual(most + 1e-9);
          expect(cpuCreditsAtEnd - cpuCreditsAtStart).toBeGreaterThanOrEqual(
            most - (2 * seconds) / 60 - 1e-9,
          );
        }
      }),
    );
  });

  it("are absent for a machine without credits, and for one that did not report its CPU time", () => {
    expect(stateOf({ end: [600, 1] }, { ...nano, cpu: null })?.cpuCreditsAtEnd).toBeNull();
    const { cpuTime: _, ...silent } = usage({});
    expect(withBurst(silent, burstsOf([facts(nano)])).burst?.cpuCreditsAtStart).toBeNull();
  });
});

describe("the network's lasting rate", () => {
  it.each<[string, [number, number][], number | null]>([
    ["half of it", [[16e6, 4e6]], 50],
    ["the busier direction alone", [[32e6, 64e6]], 200],
    [
      "the mean of the seconds",
      [
        [0, 0],
        [64e6, 0],
      ],
      100,
    ],
    ["no second sampled", [], null],
  ])("%s", (_, rates, percent) => {
    expect(stateOf({ rates })?.networkBaselinePercent).toBe(percent);
  });

  it("is not compared if it is not known, or nothing was sampled", () => {
    expect(stateOf({ rates: [[1e9, 0]] }, { ...nano, network: null })?.networkBaselinePercent).toBeNull();
    const unsampled = { ...usage({}), network: null };
    expect(withBurst(unsampled, burstsOf([facts(nano)])).burst?.networkBaselinePercent).toBeNull();
  });
});

describe("a host of which nothing is known to run out", () => {
  it("has no burst state, not even one that it reported itself", () => {
    const reported = { cpuCreditsAtStart: 1, cpuCreditsAtEnd: 1, networkBaselinePercent: 1 };
    expect(withBurst({ ...usage({}), burst: reported }, burstsOf([facts(null)]))).not.toHaveProperty("burst");
  });
});

describe("a reader", () => {
  const notes = (sampled: readonly Sampled[], burst: Burst = nano) => {
    const host = facts(burst);
    const cases = sampled.map((one) => ({ hosts: [withBurst(usage(one), burstsOf([host]))] }));
    return burstNotes([host], cases as CaseResult[]);
  };

  it("learns of rates that a machine cannot sustain, how often and how high", () => {
    const cases = [{ rates: [[4.9e9, 0]] }, { rates: [[33e6, 0]] }, { rates: [[40e6, 0]] }] as const;
    expect(notes(cases)).toEqual([
      "nat went beyond the 32.0 Mbit/s that a t4g.nano sustains in 2 of 3 cases (up to 4.90 Gbit/s): on network credits, which run out",
    ]);
  });

  it.each([
    ["unlimited", /-3\.0 at the least\): what it borrows is billed/],
    ["standard", /slowed down without credits$/],
    [null, /slowed down or billed$/],
  ] as const)("names CPU credits that were not earned: %s", (mode, expected) => {
    const cpu = { creditsPerHour: 6, maximumCredits: 144, initialCredits: 0, mode };
    const [note, ...others] = notes([{ end: [600, 240] }, { end: [1200, 120] }], { cpu, network: null });
    expect(note).toMatch(expected);
    expect(others).toEqual([]);
  });

  it("gets no note if nothing ran out", () => {
    expect(notes([{ start: [3600, 60], rates: [[31e6, 0]] }])).toEqual([]);
    expect(notes([])).toEqual([]);
  });
});
