import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parsePlan } from "../../../bench/index.ts";
import { advise } from "../../../packages/advise/src/advice.ts";
import { toMarkdown, toPage } from "../../../packages/advise/src/page.ts";
import { stackToRun } from "../../../packages/advise/src/stack.ts";
import type { AdviceOptions } from "../../../packages/advise/src/types.ts";
import { emptyRow } from "../../../packages/advise/src/usage/row.ts";
import { trafficsOf } from "../../../packages/advise/src/usage/table.ts";
import { typedTraffic } from "../../../packages/advise/src/usage/typed.ts";
import type { Demand } from "../../../report/choice/demand.ts";
import { natMachine, natMachines } from "../../../report/choice/machines.ts";
import { sizingOf } from "../../../report/choice/sizing.ts";
import { priceSnapshots } from "../../../report/index.ts";
import { natInstanceResults } from "../../fixtures/results/nat-instance.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { adviceOptions } from "../../helpers/flow-logs.ts";
import { samples } from "../../helpers/samples.ts";
import { handMadeTraffic, sentencesIn } from "./hand-made.ts";

const options: AdviceOptions = adviceOptions;
const demand: Demand = {
  flowsToOneDestination: 100_000,
  flows: 100_000,
  flowsOfOneClient: 1030,
  clients: 100,
  peakBitsPerSecond: 1e9,
  peakOneWayBitsPerSecond: null,
  busyBitsPerSecond: 0.5e9,
  idleSeconds: null,
  zones: 1,
};
const known = {
  aws: { machines: natMachines("aws", ["us-east-1"], priceSnapshots.aws), region: "us-east-1" },
  azure: { machines: natMachines("azure", ["eastus"], priceSnapshots.azure), region: "eastus" },
};

describe("ports, addresses and gateways", () => {
  it.each([
    // 100,000 flows to one destination through 55,000 an address.
    ["aws", "nat-gateway", { ports: 100_000, addresses: 2, gateways: 1, size: null }],
    ["azure", "nat-gateway", { ports: 100_000, addresses: 2, gateways: 1 }],
    // 1,030 rounded up to eights is 1,032, for each of 100 clients; 64,000 an address.
    ["azure", "load-balancer", { ports: 103_200, addresses: 2, gateways: 1 }],
    // 2,496 an address of each of two instances; 16 addresses a firewall.
    ["azure", "firewall", { ports: 100_000, addresses: 21, gateways: 2 }],
    // 4 vCPUs of 0.5 Gbit/s are twice the peak. Standard_B2ats_v2 sustains 840 Mbit/s: less than twice the busiest hour.
    ["azure", "nat-instance", { size: "Standard_D4pls_v6" }],
  ] as const)("%s %s", (cloud, candidate, expected) => {
    expect(sizingOf(cloud, candidate, demand, known[cloud])).toMatchObject(expected);
  });

  it("limits a measured EC2 size to EC2's internet limit, and a measured Azure size to its measurement", () => {
    const fast = { ...demand, flowsToOneDestination: 10, peakBitsPerSecond: 8e9 };
    const of = (cloud: "aws" | "azure", size: string) => {
      const machine = natMachine(size, [], priceSnapshots[cloud]);
      return sizingOf(cloud, "nat-instance", fast, { machine, measuredBitsPerSecond: 12e9 })?.tooSmall;
    };
    expect(of("aws", "c7gn.medium")).toMatch(/8,000 Mbit\/s.* more than c7gn.medium carries .*5,000 Mbit\/s/);
    expect(of("azure", "Standard_D2s_v4")).toBeNull();
  });

  it("says why a NAT instance is too small: ports, or the rate", () => {
    expect(sizingOf("aws", "nat-instance", demand)?.tooSmall).toMatch(
      /64,512 ports to a destination, and 2 would be/,
    );
    const fast = { ...demand, flowsToOneDestination: 10, peakBitsPerSecond: 9e9 };
    expect(sizingOf("aws", "nat-instance", fast, known.aws)?.tooSmall).toBeNull();
    const faster = { ...fast, peakBitsPerSecond: 400e9 };
    expect(sizingOf("aws", "nat-instance", faster, known.aws)?.tooSmall).toMatch(
      /400,000 Mbit\/s.*c8in.96xlarge/,
    );
  });

  it("takes more gateways if one carries less, each with an address", () => {
    const huge = { ...demand, peakBitsPerSecond: 250e9 };
    expect(sizingOf("aws", "nat-gateway", huge)).toMatchObject({ gateways: 3, addresses: 3 });
    expect(sizingOf("aws", "nat-gateway", { ...demand, flowsToOneDestination: 500_000 })).toMatchObject({
      addresses: 10,
      gateways: 2,
    });
  });

  it("sizes worth choosing have the prices of the regions and the list that were asked for", () => {
    const priced = (region: string, change: number) => {
      const book = { ...priceSnapshots.aws, prices: priceSnapshots.aws.prices.slice(change) };
      return natMachines("aws", [region], change === 0 ? priceSnapshots.aws : book);
    };
    for (const region of ["us-east-1", "eu-west-1", "us-east-1"]) {
      expect(Object.keys(priced(region, 0)[0]!.prices)).toEqual([region]);
    }
    expect(priced("us-east-1", Number.POSITIVE_INFINITY)[0]!.prices).toEqual({});
  });
});

describe("the recommendation", () => {
  it("picks a NAT instance that was measured to carry the busiest minute, and says that it is one machine", () => {
    const results = [natInstanceResults("aws", "t4g.nano", 1e9)];
    const { recommendation } = advise(handMadeTraffic(), { ...options, results });
    expect(recommendation).toMatchObject({ pick: "nat-instance", worthMeasuring: null });
    expect(sentencesIn(recommendation).join(" ")).toMatch(/one machine/);
    expect(recommendation.sentence).toMatch(/NAT instance \(t4g.nano\), 7\.36 USD a month/);
    expect(recommendation.also).toEqual(["Add a gateway endpoint for S3: free."]);
  });

  it("sizes for the rate that the proposed endpoint leaves, and says so", () => {
    const rate = { least: 4e6, estimate: 4e6, most: 4e6 };
    const peak = { out: rate, in: rate, both: rate, at: "2026-11-02T11:00:00.000Z" };
    const change = { peak: { ...handMadeTraffic().peak!, both: { least: 2e9, estimate: 2e9, most: 2e9 } } };
    const of = (region: string) => {
      const crossing = { crossingShare: null, crossingShareOfOne: null };
      const { total, flows } = handMadeTraffic();
      const rest = [{ region, peak, byHour: [], byGateway: [], total, flows, ...crossing }];
      const { needs, recommendation } = advise(handMadeTraffic({ ...change, rest }), options);
      return [needs.peakBitsPerSecond, sentencesIn(recommendation).join(" ")];
    };
    expect(of("us-east-1")).toEqual([
      4e6,
      expect.stringContaining("must carry the busiest minute of what the endpoint leaves, 4.00 Mbit/s"),
    ]);
    expect(of("eu-west-1")).toEqual([2e9, expect.anything()]);
  });

  it("says that the pick was not measured, and names the source of its figure", () => {
    const azure = { ...options, book: priceSnapshots.azure, region: "eastus" };
    const rate = { least: 2e9, estimate: 2e9, most: 2e9 };
    const peak = { ...handMadeTraffic().peak!, both: rate };
    const said = advise(handMadeTraffic({ cloud: "azure", region: "eastus", peak }), azure).recommendation;
    expect(said.sentence).toMatch(/^Azure: take a NAT instance \(Standard_B2ats_v2\),/);
    expect(sentencesIn(said)).toContain(
      "What is known of it: 4.20 Gbit/s published (azure-nat-2025-11), sustains 840 Mbit/s.",
    );
    expect(sentencesIn(advise(handMadeTraffic(), options).recommendation)).toContain(
      "What is known of it: 1.00 Gbit/s by its size's limits, sustains 64.0 Mbit/s.",
    );
  });

  it.each([
    ["too slow", "aws", "t4g.nano"],
    ["in another cloud", "azure", "Standard_B2ats_v2"],
  ] as const)("does not take one that was measured %s", (_, cloud, size) => {
    const results = [natInstanceResults(cloud, size, cloud === "aws" ? 1e6 : 1e9)];
    const { recommendation } = advise(handMadeTraffic(), { ...options, results });
    expect(recommendation.sentence).toMatch(/^AWS: take a NAT instance \(t4g\.micro\),/);
    expect(sentencesIn(recommendation)).toContain(
      "What is known of it: 1.00 Gbit/s by its size's limits, sustains 64.0 Mbit/s.",
    );
  });

  it("says that prices are missing if the ways that carry the traffic have none", () => {
    const book = { ...priceSnapshots.aws, currency: "EUR", prices: [] };
    const { recommendation } = advise(handMadeTraffic(), { ...options, book });
    expect(recommendation).toMatchObject({ pick: null, thenCost: null });
    expect(recommendation.sentence).toBe(
      "The ways out that carry this traffic have no known price (nat-gateway, nat-instance (t4g.small), nat-instance-ha (t4g.small) and 1 more): give prices with --prices.",
    );
  });

  it("writes each size that is to be measured, not the measured one's again", () => {
    const results = [natInstanceResults("aws", "c7g.8xlarge", 9e9)];
    const advice = advise(handMadeTraffic(), { ...options, results });
    expect(advice.recommendation.pickId).toBe("nat-instance (not measured)");
    expect(stackToRun(advice, "p.yaml").stack.config["egress-bench:topologies"]).toEqual([
      "nat-gateway",
      { topology: "nat-instance", instanceType: "t4g.micro" },
    ]);
  });

  it("recommends nothing without traffic", () => {
    const total = { outBytes: 0, inBytes: 0, outPackets: 0, inPackets: 0 };
    const { recommendation } = advise(
      handMadeTraffic({ total, services: [], peak: null, byHour: [], flows: null }),
      options,
    );
    expect(recommendation).toMatchObject({ pick: null, thenCost: null });
  });

  it("refuses a way out that the cloud does not have", () => {
    expect(() => advise(handMadeTraffic(), { ...options, now: "firewall" })).toThrow(/aws has no firewall/);
  });
});

describe("a month's figures", () => {
  const typed = (gbIn: number, gbOut: number, change: Partial<AdviceOptions> = {}, gateways = 1) =>
    advise(typedTraffic({ cloud: "aws", gbIn, gbOut, gb: undefined, gateways }, new Date(options.madeAt)), {
      ...options,
      ...change,
    });

  it("pick at other traffic what the advice for that traffic picks", () => {
    const gb = fc.integer({ min: 0, max: 12 }).map((power) => 10 ** (power / 2));
    fc.assert(
      fc.property(gb, gb, fc.constantFrom(1, 3, 100), (gbIn, gbOut, gateways) => {
        const changes = sentencesIn(typed(gbIn, gbOut, {}, gateways).recommendation).flatMap((sentence) => {
          const [, word, at, pick] =
            /^(From|Up to) ([\d,]+) GB a month.*: pick (?:\d+ × )?([\w-]+)/.exec(sentence) ?? [];
          return at === undefined ? [] : [{ total: Number(at.replaceAll(",", "")), word, pick }];
        });
        for (const { total, word, pick } of changes.filter((one) => one.total > 10)) {
          const times = ((word === "From" ? 1.01 : 0.99) * total) / (gbIn + gbOut);
          expect(typed(gbIn * times, gbOut * times, {}, gateways).recommendation.pickId).toBe(pick);
        }
      }),
      { numRuns: samples(25), examples: [[5e6, 5e5, 1]] },
    );
  });

  it.each([
    ["m5.4xlarge", 1_000, "nat-instance (another size)", "t4g.nano", ": saves 557.57"],
    ["t4g.nano", 20_000, "nat-instance (another size)", "t4g.small", " 16.55 USD a month. Risk"],
    ["t4g.nano", 1_000, "nat-instance", "t4g.nano", ": keep the NAT instance (t4g.nano), 7.36"],
  ])("today's machine is a %s, at %d GB: %s on %s", (natSize, gbIn, pickId, size, said) => {
    const { recommendation, options: ways } = typed(gbIn, 0, { now: "nat-instance", natSize });
    expect(recommendation.pickId).toBe(pickId);
    expect(ways.find(({ id }) => id === pickId)?.need.size).toBe(size);
    expect(recommendation.sentence).toContain(said);
  });
});

it("keeps today's machines of unequal zones as long as their evidence is enough: more they have not carried yet", () => {
  const [from, to] = [0, 730].map((hours) => Date.UTC(2026, 9, 1) + hours * 3_600_000) as [number, number];
  const row = { ...emptyRow, from, to };
  const traffic = (...gb: readonly number[]) => {
    const rows = gb.flatMap((each, at) => [
      { ...row, gateway: `nat-${at}`, statistic: "hours" as const, quantity: 730 },
      { ...row, gateway: `nat-${at}`, statistic: "bytes" as const, quantity: each * 1e9 },
    ]);
    const file = { cloud: "aws", source: "bill", series: [rows], skipped: [] } as const;
    return trafficsOf([file], { files: 1, bytes: 0, unusable: [] })[0]!;
  };
  const changes = (...gb: readonly number[]) =>
    sentencesIn(
      advise(traffic(...gb), { ...options, now: "nat-instance", natSize: "t4g.micro" }).recommendation,
    ).find((sentence) => sentence.startsWith("From "));
  // It sustains 64 Mbit/s: without a test half of it, three quarters of 14,016 GB in 730 hours.
  expect(changes(9000, 3000)).toBe(
    "From 14,016 GB a month on, in the same proportion: pick 2 × nat-instance (another size) (t4g.small).",
  );
  // What it carries already is beyond that: it stays up to all of its 64 Mbit/s.
  expect(changes(15_000, 5000)).toMatch(/^From 28,032 GB .* \(t4g\.medium\)\.$/);
});

describe("what is written", () => {
  const hostile = "<script>alert(1)</script>|`x`";
  const traffic = handMadeTraffic({
    destinations: [
      { address: hostile, prefix: hostile, service: hostile, region: null, outBytes: 1, inBytes: 1 },
    ],
    nats: [{ name: hostile, reason: "given" }],
    logs: {
      ...handMadeTraffic().logs,
      bad: [{ reason: "wrong number of fields", count: 1, atLeast: false, examples: [hostile] }],
    },
  });

  it("contains no markup from the logs", () => {
    const advice = advise(traffic, options);
    expect(toPage(advice)).not.toContain("<script");
    expect(toMarkdown(advice)).not.toMatch(/<script|`x`/);
    expect(toPage(advice)).toContain("&lt;script&gt;");
  });

  it("is a stack and a plan with the logs' rates, packet sizes and flows", () => {
    const { stack, plan } = stackToRun(advise(handMadeTraffic(), options), "stacks/mine.plan.yaml");
    expect(stack.config).toEqual({
      "aws:region": "us-east-1",
      "egress-bench:cloud": "aws",
      "egress-bench:topologies": ["nat-gateway", { topology: "nat-instance", instanceType: "t4g.micro" }],
      "egress-bench:plan": "stacks/mine.plan.yaml",
    });
    const { cases } = parsePlan(parse(JSON.stringify(plan)));
    const udp = cases.find(({ id }) => id.startsWith("peak-udp-ingress"));
    // 90 GB in 7.5e7 packets are 1,200 bytes each, of which 28 are headers; 50 Mbit/s over 128 streams.
    expect(udp).toMatchObject({ streams: 128, bitsPerSecond: 390_625, datagramBytes: 1172 });
    expect(cases.find(({ id }) => id.startsWith("nat-concurrent-flows"))).toMatchObject({ maxFlows: 3000 });
  });

  it("a plan's flows are at most the ports of one client, which the probe opens", () => {
    const traffic = handMadeTraffic();
    const busiest = { ...traffic.flows?.busiest, concurrent: { low: 1, high: 200_000 } };
    const busy = { ...traffic, flows: { ...traffic.flows, busiest } } as typeof traffic;
    const { plan } = stackToRun(advise(busy, options), "stacks/mine.plan.yaml");
    expect(plan).toMatchObject({
      cases: expect.arrayContaining([expect.objectContaining({ maxFlows: 64_512 })]),
    });
    expect(evaluate("len(range(nat_flows.FIRST_PORT, 65536))")).toBe(64_512);
  });
});
