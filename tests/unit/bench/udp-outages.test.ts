/** Outages of UDP egress by the receiving host's samples, and of both directions at once; undecidable ones are null. */
import { describe, expect, it } from "vitest";
import { withOutages } from "../../../bench/assemble/outcome.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { HostUsage } from "../../../bench/results/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { randomFrom } from "../../fixtures/results/hand-made.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { around, caseOf, dead, flat, host, idle, outages, RATE, sent } from "./udp-hosts.ts";

/** Outages for the rates that arrived in each second of the test, with or without the sender's samples. */
const ofArrived = (benchCase: Case, rates: readonly number[], client?: readonly number[]) =>
  outages(benchCase, [host("server", around(rates)), ...(client ? [host("client", around(client))] : [])]);

describe("UDP egress", () => {
  it("has none if all seconds had traffic, also if the test began within one", () => {
    expect(ofArrived(caseOf(), sent(12))).toEqual([]);
    expect(ofArrived(caseOf(), [0.4 * RATE, ...sent(11), 0.6 * RATE])).toEqual([]);
    expect(ofArrived(caseOf(), sent(12), sent(12))).toEqual([]);
  });

  it.each([2, 3, 4])("has the outage of a thinned report, of %d hosts", (count) => {
    const seconds = 60;
    const rates = around([...sent(15), ...dead(30), ...sent(15)]);
    const others = ["nat", "jump"].slice(0, count - 2).map((role) => ({ ...host("server", rates), role }));
    const hosts = [host("server", rates), host("client", around(sent(seconds))), ...others];
    const report = { hosts: hosts.map(withCpu), stdout: "x".repeat(6000 + 110 * seconds), failure: null };
    const fitted = JSON.parse(evaluate("reducing.fit(data).decode()", report) as string).hosts as HostUsage[];
    const width = Math.round(rates.length / (fitted[0]?.network?.series.length ?? 1));
    const [outage, ...more] = outages(caseOf({ durationSeconds: seconds, omitSeconds: 0 }), fitted) ?? [];
    expect(more).toEqual([]);
    expect(Math.abs((outage?.seconds ?? 0) - 30)).toBeLessThanOrEqual(width);
    expect(Math.abs((outage?.startSeconds ?? 0) - 15)).toBeLessThanOrEqual(width);
    expect(outage?.leastSeconds).toBeLessThanOrEqual(30);
    expect(outage?.mostSeconds).toBeGreaterThanOrEqual(30);
  });

  it("has the outage of samples 12 s apart", () => {
    const series = [...sent(100), ...dead(50), ...sent(150)];
    const hosts = [host("server", series)].map((one) => ({
      ...one,
      network: one.network && {
        ...one.network,
        series: one.network.series.map((entry, index) => ({
          ...entry,
          at: new Date(12000 * index).toISOString(),
        })),
      },
    }));
    const found = outages(caseOf({ durationSeconds: 3600 }), hosts);
    expect(found).toEqual([{ startSeconds: 1200, seconds: 600, leastSeconds: 600, mostSeconds: 624 }]);
  });

  it.each([
    ["the server was not sampled", []],
    ["nothing came", [host("server", dead(16))]],
    ["the samples end before the test", [host("server", [...idle, ...sent(9)])]],
    ["the clock was set forward", [stepped(3600)]],
    ["the clock was set back", [stepped(-3600)]],
  ])("has unknown outages where %s", (_, hosts) => {
    expect(outages(caseOf(), hosts)).toBeNull();
  });

  it.each([
    ["start", [...dead(3), ...sent(9)], 0],
    ["end", [...sent(9), ...dead(3)], 9],
  ])("has an outage at its %s, located by the sender's samples", (_, arrived, startSeconds) => {
    expect(ofArrived(caseOf(), arrived, sent(12))).toMatchObject([{ startSeconds, seconds: 3 }]);
    expect(ofArrived(caseOf(), arrived)).toBeNull();
  });

  it("leaves out the warm-up", () => {
    const benchCase = caseOf({ omitSeconds: 3 });
    const during = [...sent(3), ...sent(5), ...dead(3), ...sent(4)];
    expect(ofArrived(benchCase, during)).toMatchObject([{ startSeconds: 5, seconds: 3 }]);
    expect(ofArrived(benchCase, [RATE, 0, 0, ...sent(12)])).toEqual([]);
    expect(ofArrived(benchCase, [RATE, ...dead(4), ...sent(10)])).toMatchObject([
      { startSeconds: 0, seconds: 2 },
    ]);
  });

  describe("beside other programs' traffic", () => {
    /** An outage from 4 to 8 s. */
    const cut = [...sent(4), ...dead(4), ...sent(4)];
    const withNoise = (noise: (second: number) => number, seconds = cut) =>
      [...dead(3), ...seconds, ...dead(3)].map((rate, second) => rate + noise(second));
    const found = [{ startSeconds: 4, seconds: 4 }];
    const judged = (rates: readonly number[], datagrams?: readonly number[]) =>
      outages(caseOf(), [host("server", rates, datagrams)]);

    it("has the outage if as much arrived before and after the test", () => {
      const [outage, ...more] = judged(withNoise((second) => 0.03 * RATE * (1 + (second % 3) / 3))) ?? [];
      expect(more).toEqual([]);
      expect([outage?.startSeconds, outage?.seconds].map((seconds) => Math.round(seconds ?? 0))).toEqual([
        4, 4,
      ]);
    });

    it("has unknown outages if the traffic in them may be the test's", () => {
      const during = [1.2e6, 1.1e6, 1.2e6, 1.3e6];
      expect(judged(withNoise((second) => during[second - 7] ?? 1e4))).toBeNull();
      expect(judged(withNoise((second) => (second > 6 && second < 11 ? 0.08 * RATE : 1e4)))).toBeNull();
    });

    it("finds the outage by datagrams, which exclude others' TCP", () => {
      const datagrams = withNoise(() => 0).map((rate) => rate / 12_000);
      const tcp = withNoise((second) => (second > 6 && second < 11 ? 0.2 * RATE : 0));
      expect(judged(tcp, datagrams)).toMatchObject(found);
      // A count that was read a second late, while the bits arrived.
      const late = [...sent(3), 0, 2 * RATE, ...sent(7)].map((rate) => rate / 12_000);
      const dip = withNoise(() => 0, [...sent(8), 0.4 * RATE, ...sent(3)]);
      expect(judged(dip, [0, 0, 0, ...late, 0, 0, 0])).toEqual([]);
      // A twentieth of the datagrams arrived: much was lost, and nothing was cut.
      const few = datagrams.map((count, second) =>
        second > 6 && second < 11 ? 0.05 * (RATE / 12_000) : count,
      );
      expect(judged(tcp, few)).toEqual([]);
    });

    // The simulation knows whether there was an outage, of 3 s. Loss varies up to 75 %; others' traffic is exponential.
    it.each([0.002, 0.02])(
      "simulated, others' of %d: false in at most 1 test of 100, missed in at most 5",
      (share) => {
        const random = randomFrom(3);
        const counts = { false: 0, missed: 0, unknown: 0 };
        const noise = () => -Math.log(1 - random()) * share * RATE;
        const simulate = (outage: boolean) => {
          const loss = 0.5 * random();
          const at = 5 + Math.floor(20 * random());
          const test = Array.from({ length: 30 }, (_, second) =>
            outage && second >= at && second < at + 3 ? 0 : RATE * (1 - loss * (0.5 + random())),
          );
          const rates = [...dead(4), ...test, ...dead(4)].map((rate) => rate + noise());
          const client = host("client", [...dead(4), ...sent(30), ...dead(4)]);
          return outages(caseOf({ durationSeconds: 30, omitSeconds: 0 }), [host("server", rates), client]);
        };
        for (let run = 0; run < 500; run++) {
          counts.false += Number((simulate(false) ?? []).length > 0);
          const known = simulate(true);
          counts.unknown += Number(known === null);
          counts.missed += Number(
            known !== null && !known.some(({ seconds }) => Math.abs(seconds - 3) < 1.5),
          );
        }
        expect(counts.false).toBeLessThanOrEqual(5);
        expect(counts.missed).toBeLessThanOrEqual(25);
      },
    );
  });

  // The simulations know whether there was an outage. They count 8,600 datagrams per second, and few others.
  describe("with datagrams that were counted, simulated", () => {
    const seconds = 12;
    const client = host("client", [...dead(2), ...sent(seconds), ...dead(2)]);
    /** Outages for arrivals of each second, as shares of the rate, beside others' bits. */
    const judge = (shares: readonly number[], others: readonly number[] = [], late?: number) => {
      const all = [0, 0, ...shares, 0, 0];
      const counts = all.map((share) => Math.round(8600 * share) + 2);
      if (late !== undefined) {
        counts[late + 1] = (counts[late + 1] ?? 0) + (counts[late] ?? 0);
        counts[late] = 0;
      }
      const bits = all.map((share, second) => RATE * (share + (others[second] ?? 0)) + 1e4);
      return outages(caseOf(), [host("server", bits, counts), client]);
    };
    const random = randomFrom(7);
    const upTo = (count: number) => Math.floor(count * random());
    const during = (start: number, length: number, share: () => number) =>
      Array.from({ length: seconds }, (_, second) =>
        second >= start && second < start + length ? share() : 1,
      );
    const runs = Array.from({ length: 500 }, (_, run) => run);

    it.each([0.2, 0.5, 1, 2])("an outage that others' TCP of %d times the rate fills is found", (share) => {
      const missed = runs.filter(() => {
        const [start, length] = [3 + upTo(3), 3 + upTo(3)];
        const others = Array.from({ length: 16 }, (_, second) =>
          second > start && second < start + length + 4 ? share : 0,
        );
        const found = judge(
          during(start, length, () => 0),
          others,
        );
        return found?.length !== 1 || Math.abs((found[0]?.seconds ?? 0) - length) > 0.1;
      });
      expect(missed).toEqual([]);
    });

    it.each([0, 0.01, 0.03])(
      "a rate that falls to 2 to 9 percent is no outage, %d of it beside the test",
      (beside) => {
        const invented = runs.filter(() => {
          const rate = 0.02 + 0.07 * random();
          return (
            judge(
              during(2 + upTo(4), 2 + upTo(4), () => rate),
              [beside],
            )?.length !== 0
          );
        });
        expect(invented).toEqual([]);
      },
    );

    it("a late reading in a period of loss is no outage", () => {
      const judged = runs.map(() => {
        const keep = 0.25 + 0.2 * random();
        const shares = during(2 + upTo(4), 3 + upTo(4), () => keep * (0.95 + 0.1 * random()));
        return judge(shares, [], 2 + upTo(12));
      });
      expect(judged.filter((found) => found !== null && found.length > 0)).toEqual([]);
      // At a spell's end it may be an outage.
      expect(judged.filter((found) => found === null).length).toBeLessThan(0.4 * runs.length);
    });
  });

  // 9 s of 20 Mbit/s, of which 2.9 s were cut: a host's samples whose seconds differ from the counters', and a lab's.
  it.each([
    [
      [18_980_000, 20_630_000, 20_430_000, 2_990_000, 0, 0, 19_430_000, 19_820_000, 21_250_000],
      [69, 1730, 1728, 1733, 46, 0, 64, 1727, 3360],
    ],
    [
      [20_413_727, 20_573_880, 20_585_841, 460_308, 0, 1_454_244, 20_562_002, 20_585_841, 20_573_880],
      [585, 1728, 1727, 1165, 0, 0, 718, 1725, 2868],
    ],
  ])("is found where counts and bits begin at different times, as recorded: %#", (bits, counts) => {
    const hosts = [host("server", bits, counts), host("client", Array<number>(9).fill(2e7))];
    const found = outages(caseOf({ bitrate: "20M", durationSeconds: 9 }), hosts);
    expect(found?.map(({ seconds }) => Math.abs(seconds - 2.9) < 0.2)).toEqual([true]);
  });

  it("has unknown outages under a probe, whose datagrams arrive too", () => {
    const plan = {
      cases: [{ tool: "irtt", durationSeconds: 12, load: { protocol: "udp", bitrate: "100M" } }],
    };
    expect(ofArrived(parsePlan(plan).cases[0]!, sent(12))).toBeNull();
  });
});

describe("both directions at once", () => {
  const bothWays = caseOf({ protocol: "tcp", bitrate: undefined, bothWays: true });
  const series = (known: boolean) =>
    flat(12).series.map((one, second) => {
      const egressBitsPerSecond = second >= 4 && second < 9 ? 0 : RATE;
      const each = { egressBitsPerSecond, ingressBitsPerSecond: RATE };
      return { ...one, bitsPerSecond: egressBitsPerSecond + RATE, ...(known && { bothWays: each }) };
    });

  it("have the outage of the dead one, with its name", () => {
    expect(withOutages({ ...nothingMeasured, series: series(true) }, bothWays, []).outages).toEqual([
      { startSeconds: 4, seconds: 5, leastSeconds: 5, mostSeconds: 7, direction: "egress" },
    ]);
  });

  it("have unknown outages if the series has only the sum", () => {
    expect(withOutages({ ...nothingMeasured, series: series(false) }, bothWays, []).outages).toBeNull();
  });
});

/** A rate that looks idle to a host which counts all programs' datagrams: 20 of 100 bytes a second, for 12 s. */
describe("UDP egress of few datagrams", () => {
  const slow = 16_000;
  const whole = Array<number>(12).fill(slow);
  const cut = whole.map((rate, second) => (second >= 4 && second < 8 ? 0 : rate));
  const judged = (lostPackets: number | null, arrived: readonly number[], counts?: readonly number[]) =>
    withOutages(
      { ...flat(12, slow), packets: 240, lostPackets },
      caseOf({ bitrate: "16k", datagramBytes: 100 }),
      [
        host("server", [0, 0, ...arrived, 0, 0], counts && [0, 0, ...counts, 0, 0]),
        host("client", [0, 0, ...whole, 0, 0]),
      ],
    ).outages;

  it("has unknown outages if bits arrived, counts are left out and at least a second's datagrams were lost", () => {
    expect(judged(80, whole)).toBeNull();
    expect(judged(null, whole)).toBeNull();
  });

  it("has none if less than a second's were lost, except those that bits show", () => {
    expect(judged(3, whole)).toEqual([]);
    expect(judged(80, cut)).toMatchObject([{ leastSeconds: 4 }]);
  });

  it("has the outage if the test's own datagrams were counted", () => {
    const counts = cut.map((rate) => rate / 800);
    expect(judged(80, whole, counts)).toMatchObject([{ startSeconds: 4, leastSeconds: 4 }]);
  });
});

/** A host whose clock was set in the middle of an outage. */
function stepped(seconds: number): HostUsage {
  const one = host("server", [...idle, ...sent(4), ...dead(3), ...sent(5), ...idle]);
  const series = one.network?.series.map((entry, index) =>
    index < 9 ? entry : { ...entry, at: new Date(Date.parse(entry.at) + 1000 * seconds).toISOString() },
  );
  return { ...one, network: one.network && { ...one.network, series: series ?? [] } };
}

/** Adds the CPUs' series, which takes as much room in a report as on a real host. */
function withCpu(one: Omit<HostUsage, "role">) {
  const entry = { busyPercent: 34.51, softirqPercent: 20.15, stealPercent: 0.25 };
  const series = one.network?.series.map(({ at }) => ({ ...entry, at }));
  return { ...one, cpu: { ...entry, series } };
}
