/** Sentences of advice must be true for the reader's own log and way out. */
import { describe, expect, it } from "vitest";
import { advise } from "../../../packages/advise/src/advice.ts";
import { toMarkdown } from "../../../packages/advise/src/page.ts";
import type { AdviceOptions } from "../../../packages/advise/src/types.ts";
import { typedTraffic } from "../../../packages/advise/src/usage/typed.ts";
import { priceSnapshots } from "../../../report/index.ts";
import { adviceOptions } from "../../helpers/flow-logs.ts";
import { handMadeTraffic, sentencesIn } from "./hand-made.ts";

const options: AdviceOptions = adviceOptions;

describe("a way out that is there already", () => {
  it("stays if it costs less than every way known to fit: the log shows that it carries the traffic", () => {
    const { recommendation } = advise(handMadeTraffic(), { ...options, now: "nat-instance" });
    expect(recommendation).toMatchObject({ pick: "nat-instance", worthMeasuring: null });
    expect(recommendation.sentence).toMatch(/: keep the NAT instance \(t4g\.\w+\),/);
    expect(sentencesIn(recommendation).join("\n")).toMatch(/carries the traffic now.*size is not in the log/);
  });

  it("does not stay if it cannot carry the traffic", () => {
    const { flows } = handMadeTraffic();
    const busiest = { ...flows!.busiest!, concurrent: { low: 70_000, high: 70_000 } };
    const traffic = handMadeTraffic({ flows: { ...flows!, busiest } });
    expect(advise(traffic, { ...options, now: "nat-instance" }).recommendation.pick).toBe("nat-gateway");
  });
});

describe("shorter intervals", () => {
  const peak = {
    ...{ out: { least: 1e6, estimate: 1e6, most: 9e6 }, in: { least: 1e6, estimate: 1e6, most: 9e6 } },
    ...{ both: { least: 1e6, estimate: 2e6, most: 9e6 }, at: "2026-11-02T10:00:00.000Z" },
  };
  const said = (cloud: "aws" | "azure", intervalSeconds: number) =>
    advise(handMadeTraffic({ cloud, intervalSeconds, peak, services: [] }), {
      ...options,
      ...(cloud === "aws" ? {} : { region: "eastus", book: priceSnapshots.azure }),
    }).atMost?.text;

  it("are proposed for logs that can have them: AWS's of ten minutes", () => {
    expect(said("aws", 600)).toContain("intervals of one minute");
    expect(said("aws", 59)).not.toContain("one minute");
    expect(said("azure", 300)).not.toContain("one minute");
  });
});

it("names no machine for the highest peak that cannot carry its packets", () => {
  const gigabits = (most: number) => ({ least: 1e9, estimate: 1e9, most });
  const peak = {
    ...{ out: gigabits(5e9), in: gigabits(5e9), both: gigabits(1e10) },
    at: "2026-11-02T10:00:00.000Z",
  };
  const said = (packets: number) => {
    const total = { outBytes: 2e10, inBytes: 8e10, outPackets: packets, inPackets: packets };
    return advise(handMadeTraffic({ intervalSeconds: 300, peak, total, services: [] }), options).atMost?.text;
  };
  expect(said(5e7)).toMatch(/What changes: .*nat-instance/);
  expect(said(5e9)).not.toContain("nat-instance");
});

it("says that an unmeasured machine of which no NAT rate is published is known by its size's limits", () => {
  const { options: ways } = advise(handMadeTraffic(), options);
  const machine = ways.find(({ candidate }) => candidate === "nat-instance");
  expect(machine?.why).toEqual(["1.00 Gbit/s by its size's limits, sustains 64.0 Mbit/s"]);
});

it("names all needs in the log in the report's command", () => {
  const zones = {
    gateways: 2,
    zones: ["a", "b"],
    named: true,
    crossingShare: 0,
    crossingShareOfOne: 0,
  };
  expect(toMarkdown(advise(handMadeTraffic({ zones }), options))).toContain(
    "npm run report -- --gb-in 340 --gb-out 60 --peak-gbit 0.056 --new-connections 12 --connections 3000 --machines 20 --zones 2 --region us-east-1",
  );
});

it("says that each NAT counts as one zone's where the log names no zones, and only there", () => {
  const warning =
    "The log does not name zones: each NAT counts as one zone's. Add az-id, subnet-id and vpc-id";
  const zones = {
    ...{ gateways: 2, zones: ["a", "b"], named: true },
    ...{ crossingShare: 0, crossingShareOfOne: 0 },
  };
  const nats = ["eni-a", "eni-b"].map((name) => ({ name, reason: "given" as const }));
  const said = (given: object) => toMarkdown(advise(handMadeTraffic({ nats, ...given }), options));
  expect(said({ zones: null })).toContain(warning);
  expect(said({ zones })).not.toContain(warning);
  // One NAT is in one zone, whatever its name is.
  expect(said({ zones: null, nats: nats.slice(1) })).not.toContain(warning);
});

describe("of a month's figures", () => {
  const page = (figures: { gbIn?: number; gbOut?: number; gb?: number; gateways?: number }) => {
    const typed = { cloud: "aws", gbIn: undefined, gbOut: undefined, gb: undefined, gateways: 1 } as const;
    return toMarkdown(
      advise(typedTraffic({ ...typed, ...figures }, new Date("2026-11-29T10:00:00Z")), options),
    );
  };
  const egress = /internet egress is in no cost|All sent traffic counts|month.s free 100 GB/g;

  it("internet egress is either in no cost or all that was sent", () => {
    expect(page({ gb: 10_000 }).match(egress)).toEqual(["internet egress is in no cost"]);
    expect(page({ gbIn: 9000, gbOut: 1000 }).match(egress)).toEqual([
      "All sent traffic counts",
      "month's free 100 GB",
    ]);
  });

  it("the report's command says why it has --gb-out 0 where nobody knows what was sent", () => {
    const unknown = "What was sent is not known: --gb-in has both directions, and --gb-out 0 leaves";
    expect(page({ gb: 10_000 })).toContain(unknown);
    expect(page({ gbIn: 9000, gbOut: 0 })).not.toContain(unknown);
  });

  it("one gateway needs no zone, and no bill is beside its price", () => {
    expect(page({ gb: 10_000 })).not.toMatch(/Zones are not named|at list prices/);
    expect(page({ gb: 10_000, gateways: 2 })).toContain("Zones are not named");
  });
});

it("says of 0 GB neither when they were, nor that a peak is missing", () => {
  const figures = { cloud: "aws", gbIn: undefined, gbOut: undefined, gb: 0, gateways: 1 } as const;
  const advice = advise(typedTraffic(figures, new Date("2026-11-29T10:00:00Z")), options);
  expect(advice.recommendation.sentence).toBe("Delete gateway 1, idle: 36.50 USD a month to save.");
  expect(advice.warnings).toEqual([]);
  expect(toMarkdown(advice)).not.toMatch(/2026-1[01]-(29|30)/);
});

it("names no time for figures that a person typed: they are a month's", () => {
  const figures = { cloud: "aws", gbIn: 45_000, gbOut: 300, gb: undefined, gateways: 1 } as const;
  const page = toMarkdown(advise(typedTraffic(figures, new Date("2026-11-29T10:00:00Z")), options));
  expect(page).toContain("AWS, us-east-1, typed figures. Made 2026-11-22 00:00 UTC");
  expect(page).toMatch(/- A month of 730 hours: 300 GB out and 45\.0 TB in\./);
  expect(page).not.toMatch(/2026-1[01]-(29|30)/);
});
