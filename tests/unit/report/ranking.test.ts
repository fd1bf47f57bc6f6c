/**
 * The rule of the ranking: a fact excludes, the margin over the need admits by its grade, the cheapest admitted is picked. Proves the
 * rule, not the published figures behind it.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, answerOf, pricedIn } from "../../../report/choice/answer.ts";
import { marginOf, requiredMargin } from "../../../report/choice/capacity.ts";
import { defaultNeeds, demandOf, type Needs } from "../../../report/choice/needs.ts";
import { HEADLINE_WORDS, headlineOf, turnSentences, whyOf } from "../../../report/choice/words.ts";
import { otherWaysTable } from "../../../report/tables/answer-tables.ts";
import { SWEEP } from "../../bench/answers/answers.ts";
import { samples } from "../../helpers/samples.ts";
import { candidates } from "./ways.ts";

const data = { aws: candidates("aws"), azure: candidates("azure") };
const answer = (cloud: keyof typeof data, needs: Partial<Needs> = {}, now: Needs["now"] = null): Answer =>
  answerOf(data[cloud], { ...defaultNeeds, ...needs, now });

const demands = fc.record({
  gbIn: fc.double({ min: 0, max: 1e6, noNaN: true }),
  gbOut: fc.double({ min: 0, max: 1e6, noNaN: true }),
  peakBitsPerSecond: fc.option(fc.double({ min: 1e6, max: 120e9, noNaN: true }), { nil: null }),
  newConnectionsPerSecond: fc.option(fc.integer({ min: 1, max: 50_000 }), { nil: null }),
  connections: fc.option(fc.integer({ min: 1, max: 1e6 }), { nil: null }),
  zones: fc.integer({ min: 1, max: 3 }),
  noSinglePoint: fc.boolean(),
});
const clouds = fc.constantFrom("aws" as const, "azure" as const);

describe("the rule", () => {
  it("picks the cheapest way out whose margin is at least that of its grade, and against which there is no fact", () => {
    fc.assert(
      fc.property(clouds, demands, (cloud, needs) => {
        const { assessed, pick } = pricedIn(data[cloud], { ...defaultNeeds, ...needs });
        for (const { status, capacity, margin } of assessed.filter((one) => one.status !== "excluded")) {
          const { times, grade } = marginOf(capacity!, demandOf({ ...defaultNeeds, ...needs }));
          expect(margin).toBe(times);
          expect(status).toBe(margin >= requiredMargin[grade] ? "fits" : "test");
          // A published rate is of minutes: what a size holds all month, and the connections that it opens, are bounds.
          expect(grade).toBeOneOf([capacity!.grade, "limit"]);
        }
        const fitting = assessed.filter(({ status }) => status === "fits").map(({ totalCost }) => totalCost!);
        expect(pick?.totalCost ?? null).toBe(fitting.length === 0 ? null : Math.min(...fitting));
      }),
      { numRuns: samples(60) },
    );
  });

  it("prices every way out, also those that need a test", () => {
    const { assessed } = answer("azure", { peakBitsPerSecond: 4.5e9 });
    const balancer = assessed.find(({ id }) => id === "load-balancer");
    expect(balancer).toMatchObject({ status: "test", capacity: { grade: "none" }, margin: 0 });
    expect(assessed.every(({ totalCost }) => totalCost !== null)).toBe(true);
  });

  it.each([
    // t4g.nano: 999 Mbit/s published. 2 vCPUs: 1 Gbit/s by their limits, of which half needs no test.
    ["aws", 0.9e9, "t4g.nano", "published"],
    ["azure", 0.5e9, "Standard_B2pts_v2", "limit"],
    ["azure", 0.51e9, "Standard_B2ats_v2", "published"],
    ["azure", 4.2e9, "Standard_B2ats_v2", "published"],
  ] as const)("%s at a peak of %d bit/s: %s, %s", (cloud, peakBitsPerSecond, size, grade) => {
    const { pick } = answer(cloud, { peakBitsPerSecond });
    expect(pick).toMatchObject({ need: { size }, capacity: { grade } });
  });

  it.each([
    ["aws", 5_000, "t4g.nano"],
    ["aws", 5_001, "t4g.xlarge"],
    ["azure", 5_000, "Standard_B2pts_v2"],
    ["azure", 5_001, "Standard_B4pls_v2"],
  ] as const)("%s at %d new connections a second, a bound of the CPUs: %s", (cloud, opened, size) => {
    const found = answer(cloud, { newConnectionsPerSecond: opened });
    expect(found.assessed.find(({ id }) => id === "nat-instance")?.need?.size).toBe(size);
    expect(whyOf(found)).toMatch(
      opened === 5_000
        ? / and 5.00k new connections a second: 2 times as many by its CPUs\.$/
        : /1,200 GB a month: /,
    );
  });

  it("proposes for a test the cheapest machine that may carry the need", () => {
    // c8gn.24xlarge, cheaper, has 48 Gbit/s by its CPUs.
    const [first] = answer("aws", { gbIn: 2e7, gbOut: 2e7 }).worthMeasuring;
    expect(first).toMatchObject({ need: { size: "c8in.96xlarge" }, margin: expect.closeTo(1.23, 2) });
    expect(answer("aws", { gbIn: 1e9, gbOut: 1e9 }).assessed[1]?.why.join()).toContain(
      "more than the largest machine, c8in.96xlarge, carries",
    );
  });

  it("takes a busiest hour that no log shows as twice the mean: 8,000 GB are too many for a baseline of 32 Mbit/s", () => {
    expect(answer("aws", { gbIn: 4_000, gbOut: 1_000 }).pick?.need?.size).toBe("t4g.nano");
    expect(answer("aws", { gbIn: 6_000, gbOut: 2_000 }).pick?.need?.size).not.toBe("t4g.nano");
  });
});

it("AWS is no longer a NAT gateway at any traffic: 22 inputs from 0 to 1,000,000 GB", () => {
  const picks = SWEEP.map(
    (gb) => pricedIn(data.aws, { ...defaultNeeds, gbIn: gb * 0.8, gbOut: gb * 0.2 }).pick!,
  );
  expect(picks).toHaveLength(22);
  expect(picks.filter(({ way }) => way.out === "nat-gateway")).toEqual([]);
  const sizes = new Set(picks.map(({ need }) => need?.size));
  expect(sizes.size).toBeGreaterThan(4);
  // What a machine cannot have: more ports to a destination than one address.
  expect(answer("aws", { connections: 70_000 }).pick?.way.out).toBe("nat-gateway");
});

describe("the candidates", () => {
  it("are all that the product builds", () => {
    const ids = (cloud: keyof typeof data) => answer(cloud).assessed.map(({ id }) => id);
    expect(ids("aws")).toEqual(["nat-gateway", "nat-instance", "nat-instance-ha", "fck-nat"]);
    expect(ids("azure")).toEqual([
      ...["nat-gateway", "nat-gateway (StandardV2)", "nat-instance", "nat-instance-ha"],
      ...["load-balancer", "firewall", "firewall (Premium)"],
    ]);
  });

  it("include the pair, which costs less than a gateway where no single machine may stop all traffic", () => {
    const { pick, assessed } = answer("aws", { noSinglePoint: true });
    // 730 x 2 x 0.0042 + 2 x 0.64 + 3 x 3.65 + 100 GB x 0.09 = 27.36.
    expect(pick).toMatchObject({ id: "nat-instance-ha", totalCost: expect.closeTo(27.362, 2) });
    expect(assessed.find(({ id }) => id === "nat-gateway")?.totalCost).toBeCloseTo(99.5, 2);
    expect(answer("azure", { noSinglePoint: true }).pick?.id).toBe("nat-instance-ha");
  });
});

describe("the headline", () => {
  it("has cost, evidence, need, risk and the cheapest without a machine, if no present way is given", () => {
    expect(headlineOf(answer("aws")).replaceAll("\u00a0", " ")).toBe(
      "AWS: take a NAT instance (t4g.nano), 16.36 USD a month (999 Mbit/s published, sustains 32.0 Mbit/s, you need 3.65). Risk: one machine. Without any machine: NAT gateway, 99.50 USD",
    );
  });

  it("has cost, present cost, saving and risk beside a present way", () => {
    const found = answer("aws", {}, "nat-gateway");
    expect(headlineOf(found).replaceAll("\u00a0", " ")).toBe(
      "AWS: take a NAT instance (t4g.nano), 16.36 USD a month instead of 99.50: saves 83.14 USD. Risk: one machine; nothing gets out while it is down",
    );
    expect(whyOf(found)).toBe(
      "999 Mbit/s published (aws-fck-nat-2024-12), sustains 32.0 Mbit/s; you need 3.65 Mbit/s, the mean of 1,200 GB a month: 8.7 times the need.",
    );
    expect(turnSentences(found).join(" ")).toContain(
      "The same up to a peak of 999 Mbit/s; above it: pick nat-instance (t4g.small).",
    );
  });

  it("states no saving against a machine whose size nobody has named", () => {
    // The smallest fck-nat known to carry it is a t4g.2xlarge; theirs may be a t4g.nano, for 22.07 USD.
    const needs = { gbOut: 100, newConnectionsPerSecond: 17_524, connections: 61_561, zones: 3 };
    const found = answer("aws", { ...needs, noSinglePoint: true }, "fck-nat");
    expect(found.pick?.id).toBe("nat-gateway");
    expect(headlineOf(found)).not.toContain("saves");
    const named = candidates("aws", "t4g.2xlarge");
    const known = answerOf(named, { ...defaultNeeds, ...needs, noSinglePoint: true, now: "fck-nat" });
    expect(headlineOf(known)).toContain(": saves 442.54");
  });

  it("names the cheapest to test where nothing can be picked without, and no test where every way out is excluded", () => {
    const fast = { peakBitsPerSecond: 60e9, newConnectionsPerSecond: 480, idleSeconds: 900 };
    const [first] = answer("aws", fast).worthMeasuring;
    expect(first?.totalCost).toBeGreaterThan(0);
    expect(headlineOf(answer("aws", fast))).toMatch(
      new RegExp(
        `^AWS: nothing is known .* without a test; cheapest to test: .*, ${first!.totalCost!.toLocaleString("en-US", { maximumFractionDigits: 2 })}\\sUSD a month$`,
      ),
    );
    const silent = answer("azure", { connections: 13, idleSeconds: 7441, noSinglePoint: true });
    expect(headlineOf(silent)).toBe("Azure: no way out with a known price carries this traffic");
  });

  it("has at most 30 words and always money, with a present way or without", () => {
    fc.assert(
      fc.property(clouds, demands, fc.boolean(), (cloud, needs, given) => {
        const found = answer(cloud, needs, given ? "nat-gateway" : null);
        const text = headlineOf(found).replaceAll("\u00a0", " ");
        expect(text.split(/\s+/).length).toBeLessThanOrEqual(HEADLINE_WORDS);
        expect(/\d USD/.test(text)).toBe(found.pick !== null || found.worthMeasuring.length > 0);
      }),
      { numRuns: samples(60) },
    );
  });

  it("states a peak up to which the same way out, size and number are picked, and no more above it", () => {
    fc.assert(
      fc.property(clouds, demands, (cloud, needs) => {
        const found = answer(cloud, needs);
        const same = ({ pick }: Answer) => [pick?.id, pick?.need?.size, pick?.need?.gateways];
        for (const { at } of found.turns.filter(({ what }) => what === "peak-above")) {
          expect(at).toBeGreaterThanOrEqual(demandOf(found.needs).peakBitsPerSecond);
          expect(same(answer(cloud, { ...needs, peakBitsPerSecond: at! * 1.01 }))).not.toEqual(same(found));
        }
      }),
      { numRuns: samples(40) },
    );
  });
});

describe("several zones", () => {
  it("one NAT for all is an alternative where there is one in each, with a machine and without", () => {
    const said = turnSentences(answer("aws", { zones: 3 })).map((one) => one.replaceAll("\u00a0", " "));
    // 16.36 and 99.50 USD, and two thirds of 1,200 GB at 0.01 at each end.
    expect(said.slice(-3)).toEqual([
      "One NAT for all 3 zones: nat-instance (t4g.nano), 32.36 USD a month with 16.00 USD for crossing zones; one zone's outage would stop all of them.",
      "One NAT for all without any machine: nat-gateway, 115.50 USD a month.",
      "Each of the 3 machines is sized for all traffic: a smaller one may do for its share.",
    ]);
  });

  it("is no alternative to Azure's pair, which serves all zones", () => {
    const found = answer("azure", { gbOut: 0, zones: 3, noSinglePoint: true });
    expect(found.pick?.id).toBe("nat-instance-ha");
    expect(found.consolidation).toBeNull();
  });
});

it("a firewall of Azure's Premium tier is cheaper than two of the Standard one", () => {
  const needs = { gbIn: 1e5, gbOut: 1e6, peakBitsPerSecond: 60e9, noSinglePoint: true };
  // 730 x 1.75 + 1,100,000 x 0.016 + 3.65, and the egress.
  expect(answer("azure", needs).pick).toMatchObject({
    id: "firewall (Premium)",
    totalCost: expect.closeTo(72_654.52, 2),
  });
});

describe("what is not built here", () => {
  it("is priced for the same traffic, and never picked", () => {
    const given = answer("aws", { gbIn: 10_000, gbOut: 500 });
    const rows = otherWaysTable(given).rows.map((cells) => cells.map(({ text }) => text));
    // 730 × (0.395 + 0.005) + 10,500 × 0.065, and 400 of 500 GB to the internet at 0.09.
    expect(rows).toEqual([
      ["AWS Network Firewall in front of a NAT gateway", "1,010.50 USD", "100 Gbit/s published"],
      ["egress-only internet gateway", "36.00 USD", "nothing known"],
      ["NAT instance that sleeps (nat-zero)", "from 36.80 USD", "nothing known"],
    ]);
    // A firewall endpoint, a gateway and an address in each of three zones.
    const [firewall] = otherWaysTable(answer("aws", { zones: 3 })).rows;
    expect(firewall?.[1]?.text).toBe("963.00 USD");
    expect(given.assessed.map(({ id }) => id)).not.toContain("egress-only internet gateway");
    expect(otherWaysTable(answer("azure")).rows).toEqual([]);
  });
});
