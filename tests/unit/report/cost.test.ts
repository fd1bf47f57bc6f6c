/** The bill: published cases, tiers, missing prices. Proves the arithmetic, not that the prices are current. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { planTraffic } from "../../../bench/plan/traffic.ts";
import { lastThatHolds, sameCostGb } from "../../../report/cost/bill.ts";
import {
  findPrice,
  type PricedTopology,
  priceBookSchema,
  priceSnapshots,
  runCost,
  sumOf,
  tieredCost,
  topologyCost,
} from "../../../report/index.ts";
import { iperf3Case } from "../bench/fixture.ts";

const { azure, aws } = priceSnapshots;
const onAzure = (topology: string, region = "eastus"): PricedTopology => ({
  topology,
  cloud: "azure",
  region,
  natSize: "Standard_B2ats_v2",
});
const onAws = (topology: string, region = "us-east-1", natSize = "t4g.nano"): PricedTopology => ({
  topology,
  cloud: "aws",
  region,
  natSize,
});

describe("topologyCost", () => {
  it("bills an Azure NAT gateway as published: 730 h and 1,000 GB received cost 32.85 + 45.00 = 77.85 USD", () => {
    const cost = topologyCost(onAzure("nat-gateway"), { hours: 730, gbIn: 1000, gbOut: 0 }, azure);
    expect(sumOf(cost, ["service"])).toBeCloseTo(32.85, 8);
    expect(sumOf(cost, ["data"])).toBeCloseTo(45, 8);
    expect(sumOf(cost, ["service", "data"])).toBeCloseTo(77.85, 8);
    expect(sumOf(cost, ["egress"])).toBe(0);
    expect(sumOf(cost, ["address"])).toBeCloseTo(3.65, 8);
    expect(cost.totalCost).toBeCloseTo(81.5, 8);
  });

  it.each([
    // 730 x 0.0094 + 2.4 + 730 x 0.005 + (200 - 100) x 0.087
    ["Azure NAT instance", onAzure("nat-instance"), 6.862 + 2.4 + 3.65 + 8.7],
    // Two of these, and a load balancer: 730 x 0.025 + 1200 x 0.005
    ["Azure pair", onAzure("nat-instance-ha"), 2 * (6.862 + 2.4 + 3.65) + 18.25 + 6 + 8.7],
    ["Azure direct", onAzure("direct"), 3.65 + 8.7],
    // Japan East is of zone 2: 100 x 0.12, not 0.087.
    ["Azure direct in Japan", { ...onAzure("direct", "japaneast"), standIn: "eastus" }, 15.65],
    ["Azure default SNAT in Brazil", onAzure("default-snat", "brazilsouth"), 100 * 0.181],
    ["Azure default SNAT in South Africa", onAzure("default-snat", "southafricanorth"), 100 * 0.181],
    ["Azure default SNAT in the UAE", onAzure("default-snat", "uaenorth"), 100 * 0.181],
    ["Azure default SNAT in Israel", onAzure("default-snat", "israelcentral"), 8.7],
    ["Azure default SNAT in Mexico", onAzure("default-snat", "mexicocentral"), 8.7],
    ["Azure default SNAT in Sweden South", onAzure("default-snat", "swedensouth"), 8.7],
    ["Azure default SNAT", onAzure("default-snat"), 8.7],
    ["Azure VNet", onAzure("intra-vnet"), 0],
    ["Azure firewall", onAzure("firewall"), 730 * 1.25 + 1200 * 0.016 + 3.65 + 8.7],
    ["Azure VPN gateways", onAzure("vpn-gateway"), 730 * 2 * (0.21 + 0.005)],
    ["Azure ExpressRoute gateways", onAzure("expressroute"), 730 * 2 * 0.361],
    ["Azure peering, charged on each side", onAzure("vnet-peering"), 1200 * 0.02],
    // 730 x 0.045 + 1200 x 0.045 + 3.65 + 100 x 0.09
    ["AWS NAT gateway", onAws("nat-gateway"), 32.85 + 54 + 3.65 + 9],
    ["AWS fck-nat on t4g.nano", onAws("fck-nat"), 730 * 0.0042 + 0.64 + 3.65 + 9],
    ["AWS pair, with three addresses", onAws("nat-instance-ha"), 2 * (730 * 0.0042 + 0.64) + 3 * 3.65 + 9],
    ["AWS VPC peering across zones", onAws("vpc-peering"), 1200 * 0.02],
  ])("%s, 1,000 GB in and 200 GB out", (_, topology, expected) => {
    const usage = { hours: 730, gbIn: 1000, gbOut: 200 };
    const { knownCost, totalCost } = topologyCost(topology, usage, priceSnapshots[topology.cloud]);
    expect(knownCost).toBeCloseTo(expected, 6);
    // In whole cents.
    expect(totalCost).toBe(Number(expected.toFixed(2)));
  });

  it("charges a region's own prices and names missing ones", () => {
    const usage = { hours: 730, gbIn: 1000, gbOut: 200 };
    const cost = topologyCost(onAws("nat-gateway", "me-central-1"), usage, aws);
    expect(sumOf(cost, ["service", "data"])).toBeCloseTo(730 * 0.0528 + 1200 * 0.0528, 8);
    expect(cost.totalCost).toBeNull();
    expect(cost.missing).toEqual(["egress-gb"]);
    expect(cost.knownCost).toBeCloseTo(730 * 0.0528 + 1200 * 0.0528 + 3.65, 8);
  });

  it("has no price for a topology it does not know", () => {
    const cost = topologyCost(onAzure("teleport"), { hours: 730, gbIn: 1, gbOut: 1 }, azure);
    expect(cost).toMatchObject({ totalCost: null, missing: ["topology teleport"] });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("refuses %s GB", (gbIn) => {
    expect(() => topologyCost(onAzure("direct"), { hours: 730, gbIn, gbOut: 0 }, azure)).toThrow(
      /gbIn must be/,
    );
  });

  it("never gets cheaper with more traffic", () => {
    const kinds = fc.constantFrom("direct", "nat-gateway", "nat-instance", "load-balancer", "vnet-peering");
    const gb = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(kinds, gb, gb, gb, (kind, gbIn, gbOut, more) => {
        const at = (sent: number) =>
          topologyCost(onAzure(kind), { hours: 730, gbIn, gbOut: sent }, azure).knownCost;
        expect(at(gbOut + more)).toBeGreaterThanOrEqual(at(gbOut) - 1e-6);
      }),
    );
  });
});

describe("tieredCost", () => {
  const tiers = [
    { from: 0, price: 0 },
    { from: 100, price: 0.09 },
    { from: 200, price: 0.05 },
  ];
  it.each([
    [0, 0],
    [100, 0],
    [101, 0.09],
    [200, 9],
    [300, 14],
  ])("%s units cost %s", (units, expected) => {
    expect(tieredCost(tiers, units)).toBeCloseTo(expected, 10);
  });
});

describe("price snapshots", () => {
  it.each([azure, aws])("$cloud: every figure names its source, tiers ascend from 0", ({ prices, asOf }) => {
    expect(asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const { source, tiers } of prices) {
      expect(source).toMatch(/^https:\/\//);
      expect(tiers[0]?.from).toBe(0);
      expect(tiers.map(({ from }) => from)).toEqual(tiers.map(({ from }) => from).toSorted((a, b) => a - b));
    }
  });

  it("name every figure's second source, or that it is unverified", () => {
    const book = { ...azure, prices: azure.prices.map((price) => ({ ...price, checked: undefined })) };
    expect(priceBookSchema.safeParse(azure).success).toBe(true);
    expect(priceBookSchema.safeParse(book).success).toBe(false);
    const cost = topologyCost(onAzure("nat-gateway"), { hours: 1, gbIn: 0, gbOut: 1 }, azure);
    const checked = Object.fromEntries(cost.charges.map((charge) => [charge.meter, charge.checked !== null]));
    expect(checked).toMatchObject({ "nat-gateway-hour": true, "egress-gb": true });
    const south = topologyCost(onAzure("direct", "brazilsouth"), { hours: 1, gbIn: 0, gbOut: 1 }, azure);
    expect(south.charges.find(({ meter }) => meter === "egress-gb")?.checked).toBeNull();
  });

  it.each([azure, aws])("$cloud: is less than a year old", ({ asOf }) => {
    // Fails when it is time to check the prices again.
    expect((Date.now() - Date.parse(asOf)) / 86_400_000).toBeLessThan(365);
  });

  it("prefers a region's own price to the global one", () => {
    const everywhere = {
      meter: "m-gb",
      region: null,
      tiers: [{ from: 0, price: 1 }],
      source: "s",
      checked: null,
    };
    const own = { ...everywhere, region: "here", tiers: [{ from: 0, price: 2 }] };
    const book = { ...azure, prices: [everywhere, own] };
    expect(findPrice(book, "m-gb", "here")).toBe(own);
    expect(findPrice(book, "m-gb", "there")).toBe(everywhere);
    expect(findPrice(book, "x-gb", "there")).toBeNull();
  });
});

describe("sameCostGb", () => {
  const tariff = (...charges: (readonly [per: "hour" | "gb", ...prices: number[]])[]) => ({
    rules: charges.map(([per, price = 0, after = price]) => ({
      ...({
        kind: "data",
        meter: per,
        per,
        count: 1,
        pricedIn: null,
        source: null,
        checked: null,
      } as const),
      tiers: [
        { from: 0, price },
        { from: 1000, price: after },
      ],
    })),
    usageAt: (gb: number) => ({ hours: 1, gbIn: gb, gbOut: 0 }),
  });

  it("finds where a machine costs as much as a gateway with a price per GB", () => {
    const [machine, gateway] = [tariff(["hour", 73 + 2.4]), tariff(["hour", 32.85], ["gb", 0.045])];
    expect(sameCostGb(machine, gateway)).toBeCloseTo((73 + 2.4 - 32.85) / 0.045, 9);
  });

  it("finds the first of two, where a tier ends", () => {
    const [capped, steady] = [tariff(["gb", 0.05, 0]), tariff(["hour", 10], ["gb", 0.03])];
    expect(sameCostGb(capped, steady)).toBeCloseTo(500, 9);
    expect(sameCostGb(steady, capped)).toBeCloseTo(500, 9);
  });

  it("finds none if one is always cheaper, or a price is missing", () => {
    const cheap = tariff(["gb", 0.01]);
    expect(sameCostGb(cheap, tariff(["hour", 1], ["gb", 0.02]))).toBeNull();
    expect(sameCostGb(cheap, { ...cheap, rules: null })).toBeNull();
  });
});

describe("runCost", () => {
  const tcp = { ...iperf3Case, durationSeconds: 30, omitSeconds: 2 };
  const another = { id: "udp-ingress", protocol: "udp", direction: "ingress", bitsPerSecond: 1e9 } as const;
  const udp = { ...iperf3Case, ...another, durationSeconds: 30 };

  it("adds hours and traffic, past the free GB, over all topologies", () => {
    const topologies = [onAzure("direct"), onAzure("nat-gateway")];
    const cost = runCost(
      topologies,
      [{ size: "Standard_B2ats_v2", region: "eastus" }],
      [tcp, udp],
      8e9,
      azure,
    );
    expect(cost.gbOut).toBeCloseTo(2 * 32, 8);
    expect(cost.gbIn).toBeCloseTo(2 * 3.75, 8);
    expect(cost.hours).toBeCloseTo((2 * 62) / 3600, 8);
    expect(cost.hourlyUsd).toBeCloseTo(0.005 + 0.045 + 0.005 + 0.0094, 8);
    expect(cost.trafficUsd).toBeCloseTo(2 * 32 * 0.087 + 35.75 * 0.045, 8);
    expect(cost.missing).toEqual([]);
  });

  it("counts every trial that a search may take, at its highest rate", () => {
    const search = { tool: "search", goal: "ndr", durationSeconds: 10, maxTrials: 20 };
    const { cases } = parsePlan({ cases: [{ ...search, maxBitrate: "2G" }] });
    expect(planTraffic(cases, 8e9)).toEqual({ gbIn: 0, gbOut: 20 * 2.5, hours: 200 / 3600 });
    expect(planTraffic(cases, 1e9).gbOut).toBe(20 * 1.25);
  });

  it("counts both directions of a case that sends both ways at once", () => {
    const { cases } = parsePlan({ cases: [{ tool: "iperf3", bothWays: true, durationSeconds: 10 }] });
    const { gbIn, gbOut } = planTraffic(cases, 8e9);
    expect(gbOut).toBeGreaterThan(0);
    expect(gbIn).toBe(gbOut);
  });

  it("counts the traffic of every pair of a case", () => {
    const gb = (one: typeof udp | { pairs: number }) =>
      runCost([onAzure("direct")], [], [{ ...udp, ...one }], 8e9, azure).gbIn;
    expect(gb({ pairs: 4 })).toBeCloseTo(4 * gb(udp), 8);
  });

  it("names missing prices", () => {
    const cost = runCost(
      [{ ...onAzure("nat-instance"), natSize: "unheard-of" }],
      [
        { size: "Standard_D8ls_v5", region: "eastus" },
        { size: "another", region: "eastus" },
      ],
      [tcp],
      1e9,
      azure,
    );
    expect(cost.missing).toEqual(["vm-hour:unheard-of", "vm-hour:another"]);
  });
});

describe("the last whole number that holds", () => {
  const below = (bound: number) => (value: number) => value < bound;
  it.each([
    [0, 1e7, 12_345, 12_344],
    [5, 6, 6, 5],
    [2 ** 53 + 10, 1e7, 1, 2 ** 53 + 10],
  ])("from %d to %d, below %d, is %d", (first, most, bound, last) => {
    expect(lastThatHolds(below(bound), first, most)).toBe(last);
  });

  it.each([1e17, 1e308, Number.MAX_VALUE, Number.POSITIVE_INFINITY])("is found up to %d", (most) => {
    expect(lastThatHolds(below(2 ** 60), 0, most)).toBeGreaterThanOrEqual(0);
  });
});
