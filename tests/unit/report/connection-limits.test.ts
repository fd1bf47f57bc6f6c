/**
 * The StandardV2 NAT gateway's limit of one connection: from its figure to the limit of a case, and to the choice. The
 * limits are Microsoft's published ones; no such gateway was measured.
 */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { limitsOf } from "../../../bench/assemble/limits.ts";
import { hostUsageSchema, type Limit, limitedBy, type Results } from "../../../bench/results/index.ts";
import { describeLimits, shortLimit } from "../../../bench/summary/limit-words.ts";
import { summarize } from "../../../bench/summary/summary.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { answerOf } from "../../../report/choice/answer.ts";
import { defaultNeeds, type Needs } from "../../../report/choice/needs.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";

const standardV2 = { bitsPerSecond: 1e9, packetsPerSecond: 100_000 };
const cpu = {
  busyPercent: 20,
  userPercent: 1,
  systemPercent: 1,
  softirqPercent: 5,
  stealPercent: 0,
  series: [],
};
const hosts = (["client", "server"] as const).map((role) =>
  hostUsageSchema.parse({ host: role, role, cpu, network: null, problem: null }),
);

function limits(
  measured: Partial<typeof nothingMeasured>,
  flows: number | null,
  connectionLimits = standardV2,
) {
  const measurement = { ...nothingMeasured, ...measured };
  const rest = { natDrops: null, toolCpu: null, cpus: new Map(), sharedCpus: false };
  return limitsOf({ ...rest, hosts, measurement, flows, connectionLimits });
}

describe("the limit of a case", () => {
  test.each<[string, Parameters<typeof limits>[0], number | null, string[]]>([
    ["one stream at the limit", { bitsPerSecond: 0.94e9 }, 1, ["connectionBitsPercent"]],
    ["one stream below it", { bitsPerSecond: 0.89e9 }, 1, []],
    ["four streams at it", { bitsPerSecond: 3.8e9 }, 4, ["connectionBitsPercent"]],
    ["sixteen streams below it", { bitsPerSecond: 9e9 }, 16, []],
    ["small datagrams", { bitsPerSecond: 51e6, packetsPerSecond: 99_000 }, 1, ["connectionPacketsPercent"]],
    ["small datagrams of two flows", { bitsPerSecond: 51e6, packetsPerSecond: 99_000 }, 2, []],
    ["flows that nobody counted", { bitsPerSecond: 0.99e9 }, null, []],
    ["round trips, which have no rate", {}, 1, []],
  ])("%s", (_, measured, flows, kinds) => {
    const found = limits(measured, flows) ?? [];
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
    expect(limitedBy(found)).toBe(kinds.length === 0 ? null : "path");
  });

  it("is absent without a limit of the way out", () => {
    const none = { ...nothingMeasured, bitsPerSecond: 1e9 };
    const rest = { natDrops: null, toolCpu: null, cpus: new Map(), sharedCpus: false };
    expect(limitsOf({ ...rest, hosts, measurement: none, flows: 1 })).toEqual([]);
  });

  it("is worded with its remedy", () => {
    const [limit] = limits({ bitsPerSecond: 3.8e9 }, 4) as [Limit];
    expect(shortLimit(limit)).toBe("path rate of one connection");
    expect(describeLimits({ limits: [limit], hosts })).toEqual([
      "its connections carried 95 % of the bit rate that the path allows one connection: more streams may carry more",
    ]);
  });

  it("is absent if each stream has a tenth to spare", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 64 }),
        fc.double({ min: 0, max: 0.899, noNaN: true }),
        (flows, share) => {
          expect(limits({ bitsPerSecond: flows * share * 1e9 }, flows)).toEqual([]);
        },
      ),
    );
  });
});

/** The published comparison's gateway as if it were a StandardV2 one with this TCP rate and number of streams. */
function measured(bitsPerSecond: number, flows: number): Results {
  const { cases, topologies, ...rest } = handMadeResults();
  const gateway = "nat-gateway";
  return {
    ...rest,
    topologies: topologies
      .filter(({ name }) => name === gateway)
      .map((one) => ({ ...one, kind: "StandardV2", connectionLimits: standardV2 })),
    cases: cases
      .filter(({ id, topology }) => /^tcp-(e|in)gress$/.test(id) && topology === gateway)
      .map((one) => ({
        ...one,
        measurement: { ...one.measurement!, bitsPerSecond },
        limits: limits({ bitsPerSecond }, flows),
      })),
  };
}

function judged(bitsPerSecond: number, flows: number, needs: Partial<Needs>) {
  const [data] = reportOf(measured(bitsPerSecond, flows)).answerData;
  const { assessed } = answerOf(data!, { ...defaultNeeds, ...needs });
  return assessed.find(({ id }) => id === "nat-gateway")!;
}

describe("the choice", () => {
  it("takes the published rate of a gateway that was measured with too few streams", () => {
    const found = judged(0.95e9, 1, { peakBitsPerSecond: 5e9 });
    expect(found).toMatchObject({ status: "fits", capacity: { grade: "published", bitsPerSecond: 100e9 } });
  });

  it("excludes a way that carried too little with enough streams", () => {
    expect(judged(3e9, 16, { peakBitsPerSecond: 5e9 })).toMatchObject({
      status: "excluded",
      why: ["it carried 3.00 Gbit/s of 5.00 Gbit/s"],
    });
  });

  it("excludes it if the peak needs more connections than there are", () => {
    const { status, why } = judged(9e9, 16, { peakBitsPerSecond: 5e9, seen: { flows: 4 } });
    expect(status).toBe("excluded");
    expect(why).toEqual([
      "it lets one connection carry 1,000 Mbit/s: 4 cannot carry 5,000 Mbit/s, which takes 5",
    ]);
    expect(judged(9e9, 16, { peakBitsPerSecond: 5e9, seen: { flows: 5 } }).status).toBe("fits");
    // Those to one destination are not all.
    expect(judged(9e9, 16, { peakBitsPerSecond: 5e9, connections: 4 }).status).toBe("fits");
  });
});

it("the summary says that more streams may carry more", () => {
  const lines = JSON.stringify(summarize(measured(0.95e9, 1)));
  expect(lines).toContain(
    "nat-gateway tcp-egress: not all that the path carries: its connections carried 95 %",
  );
});
