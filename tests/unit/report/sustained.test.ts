/** From a minute's measurement to a month, and the size for a demand. Figures come from the clouds' own pages. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { machineOf } from "../../../bench/machines/index.ts";
import { limitsOf } from "../../../bench/topologies/limits.ts";
import { idleSeconds } from "../../../components/nat-instance/idle-timeouts.ts";
import { sysctlsOf } from "../../../components/nat-instance/sysctls.ts";
import { answerOf } from "../../../report/choice/answer.ts";
import { isEnough, machineCapacity, mayCarry } from "../../../report/choice/capacity.ts";
import { natMachines } from "../../../report/choice/machines.ts";
import { defaultNeeds, type Needs } from "../../../report/choice/needs.ts";
import { sizingOf } from "../../../report/choice/sizing.ts";
import { candidateData } from "../../../report/choice/ways.ts";
import { measureSentences, turnSentences } from "../../../report/choice/words.ts";
import { headlineOf, priceSnapshots, sentenceOf, whyOf } from "../../../report/index.ts";
import { sizingTable } from "../../../report/tables/answer-tables.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { natInstanceResults } from "../../fixtures/results/nat-instance.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { candidates, measuredAnswer, theInstance } from "./ways.ts";

const HOURS = 730;
/** GB per month at a constant bit rate. */
const allMonth = (bitsPerSecond: number) => (bitsPerSecond * HOURS * 3600) / 8e9;

describe("a rate of minutes", () => {
  it("AWS, t2.micro at 950 Mbit/s: it sustains 0.064 Gbit/s, so 460 Mbit/s all month is too much", () => {
    const found = measuredAnswer("aws", "t2.micro", 950e6, { gbIn: 100_000, gbOut: 50_000 });
    expect(found.pick?.id).not.toBe("nat-instance");
    expect(theInstance(found)).toMatchObject({
      status: "excluded",
      why: ["its busiest hour (457 Mbit/s) is more than t2.micro holds (64 Mbit/s)"],
    });
  });

  it("AWS, the same size for 150 GB a month: fits", () => {
    expect(theInstance(measuredAnswer("aws", "t2.micro", 950e6, { gbIn: 100, gbOut: 50 }))?.status).toBe(
      "fits",
    );
  });

  it("Azure, B2ats_v2 at 5.9 Gbit/s for 30 s: 4.57 Gbit/s all month is more than its 20 % of CPUs could carry", () => {
    const found = measuredAnswer("azure", "Standard_B2ats_v2", 5.9e9, { gbIn: allMonth(4.57e9), gbOut: 0 });
    expect(found.pick?.id).not.toBe("nat-instance");
    expect(theInstance(found)?.status).toBe("excluded");
  });

  it("Azure, the same at 3 Gbit/s: 1 Gbit/s all month is not proved, as 20 % of its CPUs carried 0.6", () => {
    const found = measuredAnswer("azure", "Standard_B2ats_v2", 3e9, { gbIn: allMonth(1e9), gbOut: 0 });
    expect(theInstance(found)).toMatchObject({
      status: "test",
      why: [
        expect.stringMatching(/3\.00 Gbit\/s measured, sustains 600 Mbit\/s, and 1\.00 Gbit\/s are needed/),
      ],
    });
  });

  it("proves nothing for a size outside the table", () => {
    const found = measuredAnswer("aws", "x9zz.micro", 950e6, { gbIn: 100, gbOut: 50 });
    expect(theInstance(found)).toMatchObject({
      status: "test",
      why: [expect.stringMatching(/all month is not known/)],
    });
  });
});

describe("repetitions", () => {
  it("of 4.0 and 5.2 Gbit/s are too few for a rate: the mean is shown, not 0 bit/s", () => {
    const one = natInstanceResults("aws", "c7gn.medium", 4.6e9);
    const interval = { low: -3.02e9, high: 12.2e9 };
    const figure = {
      mean: 4.6e9,
      median: 4.6e9,
      min: 4e9,
      max: 5.2e9,
      stddev: 0.85e9,
      confidence95: interval,
    };
    const values = [4e9, 5.2e9];
    const repetitions = {
      ...{ metric: "bitsPerSecond", values, failed: 0, ...figure, withinPercent: null, converged: null },
      rounds: [1, 2],
      metrics: { bitsPerSecond: { values, ...figure } },
    };
    const results = { ...one, cases: one.cases.map((each) => ({ ...each, repetitions })) } as typeof one;
    const answer = reportOf(results).answers[0]!;
    const found = theInstance(answer);
    expect(found?.why).toContainEqual(expect.stringContaining("too few to tell (4.60 Gbit/s in the mean)"));
    expect(sentenceOf(answer)).not.toContain("0 bit/s");
  });
});

const data = { aws: candidates("aws"), azure: candidates("azure") };
const sized = (cloud: "aws" | "azure", needs: Partial<Needs>) =>
  answerOf(data[cloud], { ...defaultNeeds, ...needs }).assessed.find(({ id }) => id === "nat-instance");

describe("the size of a NAT instance", () => {
  it("for 2 Gbit/s in the busiest hour has limits of twice that", () => {
    const found = sized("aws", {
      ...{ gbIn: 900, gbOut: 100, peakBitsPerSecond: 2e9 },
      seen: { busyBitsPerSecond: 2e9 },
    });
    // 4 Gbit/s by its limits take 8 vCPUs at 0.5 Gbit/s.
    expect(machineOf(found?.need?.size ?? "")).toMatchObject({ vcpus: 8 });
    expect(found?.capacity).toMatchObject({ grade: "limit", bitsPerSecond: 4e9 });
  });

  it("is never below the demand, nor more expensive than another one that carries it with equal proof", () => {
    const rate = fc.double({ min: 0, max: 99e9, noNaN: true });
    fc.assert(
      fc.property(rate, rate, fc.constantFrom("aws", "azure" as const), (a, b, cloud) => {
        const region = cloud === "aws" ? "us-east-1" : "eastus";
        const machines = natMachines(cloud, [region], priceSnapshots[cloud]);
        const [busyBitsPerSecond, peakBitsPerSecond] = [Math.min(a, b), Math.max(a, b)];
        const demand = {
          ...{ busyBitsPerSecond, peakBitsPerSecond, flowsToOneDestination: null, flows: null, zones: 1 },
          ...{ flowsOfOneClient: null, clients: null, peakOneWayBitsPerSecond: null, idleSeconds: null },
        };
        const need = sizingOf(cloud, "nat-instance", demand, { machines, region });
        const able = machines.filter(
          (one) =>
            (one.sustainedBitsPerSecond ?? 0) >= busyBitsPerSecond &&
            (one.peakBitsPerSecond ?? 0) >= peakBitsPerSecond,
        );
        const chosen = able.find(({ size }) => size === need?.size);
        expect(chosen === undefined).toBe(able.length === 0);
        expect(need?.tooSmall === null).toBe(able.length > 0);
        const price = (one: (typeof machines)[number] | undefined) => one?.prices[region]?.anHour ?? 1e9;
        // A size with enough evidence comes before a cheaper one that needs a test, and that before one that would carry less.
        const proved = able.filter((one) => isEnough(machineCapacity(one), demand));
        const possible = able.filter((one) => mayCarry(machineCapacity(one), demand));
        const best = [proved, possible, able].find(({ length }) => length > 0) ?? [];
        expect(price(chosen)).toBe(Math.min(1e9, ...best.map(price)));
      }),
    );
  });

  it("that fits and has no price in the region is named, although a more expensive one has a price", () => {
    const prices = priceSnapshots.azure.prices.filter(
      ({ meter, region }) => region !== "japaneast" || !meter.startsWith("vm-hour:Standard_B"),
    );
    const books = { ...priceSnapshots, azure: { ...priceSnapshots.azure, prices } };
    const japan = candidateData("azure", "japaneast", { books, natSize: undefined });
    const answer = answerOf(japan, { ...defaultNeeds, region: "japaneast", gbIn: 50, gbOut: 10 });
    const found = answer.assessed.find(({ id }) => id === "nat-instance");
    expect(found?.need).toMatchObject({ size: "Standard_D2pls_v6", unpriced: "Standard_B2ats_v2" });
    const sentence = expect.stringMatching(/^Standard_B2ats_v2 fits .* no price is known in japaneast/);
    expect(turnSentences(answer).filter((text) => sentence.asymmetricMatch(text))).toHaveLength(1);
    // Said once of the machine and its pair; not where neither can carry the traffic.
    const ofPair = turnSentences(answerOf(japan, { ...answer.needs, noSinglePoint: true }));
    expect(ofPair.filter((text) => sentence.asymmetricMatch(text))).toHaveLength(1);
    const ports = answerOf(japan, { ...answer.needs, connections: 70_000 });
    expect(turnSentences(ports)).not.toContainEqual(sentence);
    expect(sized("azure", { gbIn: 50, gbOut: 10 })?.need?.unpriced).toBeNull();
    // 2.4 Gbit/s of every hour is more than 20 % of its CPUs may carry.
    const busy = { ...answer.needs, peakBitsPerSecond: 2.4e9, seen: { busyBitsPerSecond: 2.4e9 } };
    expect(turnSentences(answerOf(japan, busy))).not.toContainEqual(sentence);
  });

  it("without a price is named, and has no total", () => {
    const prices = priceSnapshots.aws.prices.filter(({ meter }) => !meter.startsWith("vm-hour:"));
    const books = { ...priceSnapshots, aws: { ...priceSnapshots.aws, prices } };
    const answer = answerOf(candidates("aws", undefined, books), {
      ...defaultNeeds,
      gbIn: allMonth(120e9),
      gbOut: 0,
    });
    const found = answer.assessed.find(({ id }) => id === "nat-instance");
    expect(found).toMatchObject({ need: { size: "c8gn.24xlarge", tooSmall: null }, totalCost: null });
  });
});

describe("the longest silence", () => {
  it("of a NAT instance is its set-up's", () => {
    const set = sysctlsOf({}).machine.find(({ key }) => key.endsWith("tcp_timeout_established"))?.value;
    expect(Number(set)).toBe(idleSeconds().tcp);
    expect(limitsOf("aws", "nat-instance")?.idleSeconds).toBe(Number(set));
    expect(limitsOf("azure", "nat-instance")?.idleSeconds).toBe(240);
  });

  it.each([
    ["aws", "t4g.small", 7440, "fits"],
    ["aws", "t4g.small", 8000, "excluded"],
    // Nitro v6: the security group forgets after 350 s.
    ["aws", "c8gn.medium", 350, "fits"],
    ["aws", "c8gn.medium", 351, "excluded"],
    ["azure", "Standard_B2ats_v2", 240, "fits"],
    ["azure", "Standard_B2ats_v2", 241, "excluded"],
  ] as const)("%s %s, %d s: %s", (cloud, size, idleSeconds, status) => {
    expect(theInstance(measuredAnswer(cloud, size, 1e9, { idleSeconds }))?.status).toBe(status);
  });
});

describe("limits of what the cloud runs", () => {
  const azure = (needs: Partial<Needs>) =>
    answerOf(data.azure, { ...defaultNeeds, ...needs }).assessed.map(({ id, need }) => [id, need] as const);
  const need = (name: string, needs: Partial<Needs>) => azure(needs).find(([id]) => id === name)?.[1];

  it("Azure's Standard gateway for 40 Gbit/s one way: two, as each carries 25 out and 25 in", () => {
    expect(need("nat-gateway", { peakBitsPerSecond: 40e9 })?.gateways).toBe(2);
    expect(
      need("nat-gateway", { peakBitsPerSecond: 40e9, seen: { peakOneWayBitsPerSecond: 20e9 } })?.gateways,
    ).toBe(1);
  });

  it("Azure's gateways: StandardV2 100 Gbit/s and 10 M packets/s, 1 Gbit/s a connection; 2 M connections each", () => {
    expect(limitsOf("azure", "nat-gateway", "StandardV2")).toMatchObject({
      ...{ bitsPerSecond: 100e9, packetsPerSecond: 10e6, connectionBitsPerSecond: 1e9, flows: 2e6 },
    });
    expect(limitsOf("azure", "nat-gateway")).toMatchObject({ packetsPerSecond: 5e6, flows: 2e6 });
    expect(need("nat-gateway", { seen: { flows: 2_000_001 } })?.gateways).toBe(2);
  });

  it("an Azure machine holds 250,000 connections as an appliance", () => {
    expect(need("nat-instance", { seen: { flows: 250_000 } })?.tooSmall).toBeNull();
    expect(need("nat-instance", { seen: { flows: 250_001 } })?.tooSmall).toMatch(/250,000 connections/);
  });

  it("the firewall's tiers carry 0.25, 30 and 100 Gbit/s", () => {
    const rates = ["Basic", "Standard", "Premium"].map(
      (tier) => limitsOf("azure", "firewall", tier)?.bitsPerSecond,
    );
    expect(rates).toEqual([250e6, 30e9, 100e9]);
  });

  it("a measured firewall is billed as its tier: 1,000 GB are 357.00 USD with Basic, 1,297.15 with Premium", () => {
    const totals = ["Basic", "Standard", "Premium"].map((kind) => {
      const whole = handMadeResults();
      const topologies = whole.topologies.map((one) => (one.name === "firewall" ? { ...one, kind } : one));
      const needs = { gbIn: 1000, gbOut: 0, region: "eastus" };
      return reportOf({ ...whole, topologies }, { needs }).answers[0]?.assessed.find(
        ({ id }) => id === "firewall",
      )?.totalCost;
    });
    // 730 x 0.395, 1.25, 1.75; each GB 0.065, 0.016, 0.016; address 3.65.
    expect(totals.map((usd) => Math.round((usd ?? 0) * 100) / 100)).toEqual([357, 932.15, 1297.15]);
  });

  it("a machine behind a load balancer has 64,000 ports at most", () => {
    expect(need("load-balancer", { connections: 200_000, machines: 1 })?.tooSmall).toMatch(/64,000 ports/);
    expect(need("load-balancer", { connections: 200_000, machines: 4 })?.tooSmall).toBeNull();
    const alone = answerOf(data.azure, { ...defaultNeeds, connections: 200_000 });
    expect(JSON.stringify(sizingTable(alone))).toContain("too few: 64,000 each are the most");
  });

  it("AWS's gateway: two addresses unasked, eight at most", () => {
    const many = answerOf(data.aws, { ...defaultNeeds, connections: 160_000 }).assessed;
    expect(many.find(({ id }) => id === "nat-gateway")?.need).toMatchObject({
      addresses: 3,
      gateways: 1,
      formula: expect.stringContaining("more than 2 must be asked for (a quota)"),
    });
  });
});

describe("published figures", () => {
  it("counts others' figures of the size: for 50 GB in and 10 out the instance, or the gateway without a single point", () => {
    const data = candidates("azure");
    const needs = { ...defaultNeeds, gbIn: 50, gbOut: 10 };
    const answer = answerOf(data, needs);
    const busy = answerOf(data, { ...needs, peakBitsPerSecond: 2e9 });
    expect(headlineOf(busy)).toContain("NAT instance (Standard_B2ats_v2), 12.91 USD a month");
    expect(whyOf(busy)).toContain("4.20 Gbit/s published (azure-nat-2025-11)");
    expect(answer.pick?.capacity?.grade).toBe("limit");
    const pair = answerOf(data, { ...needs, noSinglePoint: true });
    expect(headlineOf(pair)).toContain("take a NAT gateway");
    expect(measureSentences(pair)[0]).toMatch(/^Cheapest that needs a test: load-balancer/);
  });
});

/** States its assumption, and the peak that would change the pick. */
describe("an answer without a given peak", () => {
  it("assumes the month's mean, and changes above the measurement", () => {
    const found = measuredAnswer("aws", "c7gn.medium", 2e9, { gbIn: 5000, gbOut: 500 });
    expect(found.pick?.way.out).toBe("nat-instance");
    const said = turnSentences(found).join("\n");
    expect(said).toContain(
      "The same up to a peak of 500 Mbit/s; above it: pick nat-instance (not measured) (t4g.small).",
    );
    // The gateway was neither measured nor present: nothing is saved against it.
    expect(sentenceOf(found)).toContain("against nat-instance (c7gn.medium)");
    expect(sentenceOf(found)).not.toContain("against nat-gateway");
  });

  it("assumes nothing if the peak is given", () => {
    const said = turnSentences(
      measuredAnswer("aws", "c7gn.medium", 2e9, { gbIn: 5000, gbOut: 500, peakBitsPerSecond: 1e9 }),
    ).join("\n");
    expect(said).not.toContain("No peak is given");
  });
});
