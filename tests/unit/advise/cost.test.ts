/**
 * One month of made-up traffic on AWS and on Azure, recomputed by hand to the cent from the price lists of 2026-11-21.
 */
import { describe, expect, it } from "vitest";
import { advise } from "../../../packages/advise/src/advice.ts";
import { egressShares } from "../../../packages/advise/src/month.ts";
import { priceSnapshots } from "../../../report/index.ts";
import { adviceOptions } from "../../helpers/flow-logs.ts";
import { handMadeTraffic, sentencesIn } from "./hand-made.ts";

const onAws = adviceOptions;
const onAzure = { ...adviceOptions, region: "eastus", book: priceSnapshots.azure } as const;
const cents = (usd: number | null) => Math.round((usd ?? Number.NaN) * 100) / 100;

describe("AWS, us-east-1: 100 GB out and 900 GB in a month, 40 and 560 of them with S3", () => {
  const advice = advise(handMadeTraffic(), onAws);

  it("scales 73 hours to a month", () => {
    expect(advice.month.factor).toBeCloseTo(10, 12);
    expect(advice.month.all).toMatchObject({ gbOut: 100, gbIn: 900, gbOutInternet: 60 });
    expect(advice.month.rest).toMatchObject({ gbOut: 60, gbIn: 340, gbOutInternet: 60 });
  });

  it("now: gateway 730 x 0.045 = 32.85, data 1000 x 0.045 = 45.00, address 730 x 0.005 = 3.65, egress 60 GB of 100 free", () => {
    expect(cents(advice.now.bill.totalCost)).toBe(81.5);
  });

  it("beside another place of its account, which shares the free GB: of 120 GB 20 are paid, half of 1.80 here", () => {
    const [one, other] = [
      handMadeTraffic({ account: "1" }),
      handMadeTraffic({ account: "1", network: "vpc-2" }),
    ];
    const elsewhere = handMadeTraffic({ account: "2" });
    const places = [one, other, elsewhere].map((traffic) => ({ traffic, region: onAws.region }));
    const [egressShare, ...others] = egressShares(places);
    expect([egressShare, ...others]).toEqual([0.5, 0.5, 1]);
    const { now, notes } = advise(one, { ...onAws, egressShare: egressShare! });
    expect(cents(now.bill.totalCost)).toBe(82.4);
    expect(notes.join(" ")).toContain("shared out by GB: this place has 50.0 %");
  });

  it("then: gateway 32.85, data 400 x 0.045 = 18.00, address 3.65; the S3 endpoint is free and saves 27.00", () => {
    const gateway = advice.options.find(({ candidate }) => candidate === "nat-gateway");
    expect(cents(gateway!.bill.totalCost)).toBe(54.5);
    expect(cents(gateway!.saving)).toBe(27);
    expect(advice.endpoints).toMatchObject([{ service: "S3", kind: "gateway endpoint", share: 0.6 }]);
    expect(cents(advice.endpoints[0]!.saving)).toBe(27);
  });

  it("NAT instance for 22.2 Mbit/s in the busiest hour: t4g.micro sustains twice that, 730 x 0.0084 = 6.13, disk 0.64, address 3.65", () => {
    const instance = advice.options.find(({ candidate }) => candidate === "nat-instance");
    // t4g.nano sustains 32 Mbit/s: less than twice the busiest hour.
    expect(instance?.need.size).toBe("t4g.micro");
    expect(cents(instance!.bill.totalCost)).toBe(10.42);
    expect(advice.recommendation).toMatchObject({ pick: "nat-instance", worthMeasuring: null });
    expect(advice.recommendation).toMatchObject({
      sentence:
        "AWS: take a NAT instance (t4g.micro), 10.42 USD a month instead of 81.50: saves 71.08 USD. Risk: one machine. Without any machine: NAT gateway, 54.50 USD.",
      also: ["Add a gateway endpoint for S3: free."],
    });
  });

  it("two gateways in the log cost two: 65.70 + 45.00 + 7.30", () => {
    const nats = ["eni-a", "eni-b"].map((name) => ({ name, reason: "packet addresses" as const }));
    const two = advise(handMadeTraffic({ nats }), onAws);
    expect(cents(two.now.bill.totalCost)).toBe(118);
  });
});

describe("AWS, us-east-1: three zonal gateways, 381.33 GB a month of which 302.44 with S3", () => {
  const GB = 1e9;
  const nats = ["eni-a", "eni-b", "eni-c"].map((name) => ({ name, reason: "given" as const }));
  /** Tenths of a month's GB, all of them received. */
  const adviceFor = (s3: number, rest: number) =>
    advise(
      handMadeTraffic({
        nats,
        total: { outBytes: 0, inBytes: ((s3 + rest) * GB) / 10, outPackets: 0, inPackets: 1e7 },
        services: [
          { service: "S3", region: "us-east-1", addresses: 2, outBytes: 0, inBytes: (s3 * GB) / 10 },
          { service: null, region: null, addresses: 3, outBytes: 0, inBytes: (rest * GB) / 10 },
        ],
      }),
      onAws,
    );
  const oneForAll = (advice: ReturnType<typeof adviceFor>) =>
    sentencesIn(advice.recommendation).filter((text) => text.includes("One for all"));

  it("stays at three: gateways 109.50 + 78.89 x 0.045 = 113.05 instead of 126.66, machines 3 x 10.42, not 10.42", () => {
    const advice = adviceFor(302.4444, 78.8889);
    expect(cents(advice.now.bill.totalCost)).toBe(126.66);
    expect([advice.now.need.gateways, advice.now.need.addresses]).toEqual([3, 3]);
    const kept = advice.options.find(({ id }) => id === "nat-gateway");
    expect([kept?.need.gateways, kept?.need.addresses]).toEqual([3, 3]);
    expect(cents(kept!.bill.totalCost)).toBe(113.05);
    expect(advice.recommendation.sentence).toBe(
      "AWS: take 3 NAT instances (t4g.micro), 31.27 USD a month instead of 126.66: saves 95.39 USD. Risk: one machine a zone. Without any machine: 3 NAT gateways, 113.05 USD.",
    );
    expect(cents(advice.endpoints[0]!.saving)).toBe(13.61);
    expect(JSON.stringify(advice.recommendation)).not.toContain("10.42 USD");
  });

  it("proposes one for all by itself: two machines less are 20.84, and two thirds cross at 0.01 at each end", () => {
    // 10.42 and the crossing, 78.89 x 2 / 3 x 0.02 = 1.05, are 11.47: 19.80 less than 31.27, in whole cents.
    expect(oneForAll(adviceFor(302.4444, 78.8889))).toEqual([
      "The 3 NATs stay 3, taken as one a zone. One for all (nat-instance (t4g.micro)) would save 19.80 USD a month, with 1.05 USD for traffic that crosses zones, taken as even, and its zone's outage would stop all of them.",
    ]);
  });

  it("takes 38.58 for crossing off the 20.84, which is what 2,893.5 GB of three zones cost", () => {
    const advice = adviceFor(302.4444, 2893.5);
    expect(oneForAll(advice)[0]).toContain(
      "would cost 17.73 USD a month more, with 38.58 USD for traffic that crosses",
    );
    // The crossing is in the bill of the pick as well where the log says that it crosses now.
    const zones = { gateways: 3, zones: ["a", "b", "c"], named: true, crossingShareOfOne: 2 / 3 };
    const seen = handMadeTraffic({
      nats,
      zones: { ...zones, crossingShare: 2 / 3 },
      total: { outBytes: 0, inBytes: 289.35 * GB, outPackets: 0, inPackets: 1e7 },
      services: [],
    });
    const crossed = advise(seen, onAws);
    for (const bill of [crossed.now.bill, crossed.options.find(({ id }) => id === "nat-gateway")!.bill]) {
      expect(cents(bill.charges.find(({ meter }) => meter === "cross-az-gb")!.cost)).toBe(38.58);
    }
    // Nothing more crosses where one serves all: two machines less, 20.84, are what is left.
    expect(oneForAll(crossed)[0]).toContain("would save 20.85 USD a month, with 38.58 USD");
  });
});

describe("Azure, eastus: 2000 GB out and 500 GB in a month, 500 and 100 of them with Storage", () => {
  const traffic = handMadeTraffic({
    cloud: "azure",
    region: null,
    total: { outBytes: 200e9, inBytes: 50e9, outPackets: 2e8, inPackets: 5e7 },
    services: [
      { service: "Storage", region: "eastus", addresses: 1, outBytes: 50e9, inBytes: 10e9 },
      { service: null, region: null, addresses: 4, outBytes: 150e9, inBytes: 40e9 },
    ],
  });
  const advice = advise(traffic, onAzure);
  const total = (name: string) =>
    cents(advice.options.find(({ candidate }) => candidate === name)!.bill.totalCost);

  it("now: gateway 32.85, data 2500 x 0.045 = 112.50, address 3.65, egress (1500 - 100) x 0.087 = 121.80", () => {
    expect(cents(advice.now.bill.totalCost)).toBe(270.8);
  });

  it("then: gateway 32.85, data 1900 x 0.045 = 85.50, address 3.65, egress 121.80", () => {
    expect(total("nat-gateway")).toBe(243.8);
    expect(cents(advice.endpoints[0]!.saving)).toBe(27);
  });

  it("load balancer: 730 x 0.025 = 18.25, data 1900 x 0.005 = 9.50, address 3.65, egress 121.80; its limit is not published", () => {
    expect(total("load-balancer")).toBe(153.2);
    expect(advice.options.find(({ id }) => id === "load-balancer")?.status).toBe("test");
    // 1 Gbit/s by its size's limits is more than twice the peak.
    expect(advice.recommendation.pick).toBe("nat-instance");
    expect(cents(advice.recommendation.thenCost)).toBe(133.98);
  });

  it("NAT instance: Standard_B2pts_v2, 730 x 0.0084 = 6.132, disk 2.40, address 3.65, egress 121.80; firewall 912.50 + 30.40 + 3.65 + 121.80", () => {
    expect(total("nat-instance")).toBe(133.98);
    expect(total("firewall")).toBe(1068.35);
  });
});

describe("endpoints that cost", () => {
  const service = (name: string, region: string, outBytes: number, inBytes: number) =>
    handMadeTraffic({
      cloud: region === "eastus" ? "azure" : "aws",
      region,
      services: [
        { service: name, region, addresses: 2, outBytes, inBytes },
        { service: null, region: null, addresses: 3, outBytes: 1e9, inBytes: 1e9 },
      ],
    });

  it("AWS, 400 GB with AMAZON: 730 x 0.01 = 7.30, data 4.00, against 400 x 0.045 = 18.00; from 7.30 / 0.035 = 208.57 GB", () => {
    const advice = advise(service("AMAZON", "us-east-1", 10e9, 30e9), onAws);
    const [endpoint] = advice.privateEndpoints;
    expect(endpoint).toMatchObject({ service: "AMAZON", kind: "interface endpoint", gbOut: 100, gbIn: 300 });
    expect([endpoint?.cost, endpoint?.saving, endpoint?.paysFromGb].map((one) => cents(one ?? null))).toEqual(
      [11.3, 6.7, 208.57],
    );
    // It is an offer; what is recommended is free.
    expect(advice.endpoints).toEqual([]);
  });

  it("Azure, 100 GB with Sql: 7.30 + 1.00 against 4.50: costs 3.80 more; from 208.57 GB it pays", () => {
    const advice = advise(service("Sql", "eastus", 4e9, 6e9), onAzure);
    const [endpoint] = advice.privateEndpoints;
    expect(endpoint).toMatchObject({ service: "Sql", kind: "private endpoint" });
    expect([endpoint?.cost, endpoint?.saving, endpoint?.paysFromGb].map((one) => cents(one ?? null))).toEqual(
      [8.3, -3.8, 208.57],
    );
    expect(advice.endpoints).toMatchObject([{ service: "Sql", kind: "service endpoint" }]);
  });

  it("none for S3, which has a free one, nor for another region's services; without a price no figures", () => {
    const of = (name: string, region: string, own: string) =>
      advise(service(name, region, 1e9, 1e9), { ...onAws, region: own });
    expect(of("S3", "us-east-1", "us-east-1").privateEndpoints).toEqual([]);
    expect(of("AMAZON", "eu-west-1", "us-east-1").privateEndpoints).toEqual([]);
    expect(of("AMAZON", "eu-south-2", "eu-south-2").privateEndpoints).toMatchObject([
      { cost: null, saving: null, paysFromGb: null },
    ]);
  });

  it("never pays against a NAT instance, which costs nothing by the GB", () => {
    const advice = advise(service("AMAZON", "us-east-1", 10e9, 30e9), { ...onAws, now: "nat-instance" });
    expect(advice.privateEndpoints).toMatchObject([{ paysFromGb: null }]);
  });
});
