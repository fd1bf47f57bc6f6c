/** `report` and `advise` give the same answer to the same traffic, measured or not. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { advise } from "../../../advise/advice.ts";
import { needsOf } from "../../../advise/demand.ts";
import { monthOf } from "../../../advise/month.ts";
import type { Results } from "../../../bench/results/index.ts";
import { answerOf } from "../../../report/choice/answer.ts";
import { candidateData } from "../../../report/choice/ways.ts";
import { makeReport, priceSnapshots } from "../../../report/index.ts";
import { natInstanceResults } from "../../fixtures/results/nat-instance.ts";
import { samples } from "../../helpers/samples.ts";
import { handMadeTraffic } from "./hand-made.ts";

/** A region that no price list has. */
const UNPRICED = "mars-north-1";

const regions = {
  aws: ["us-east-1", "eu-west-1", "eu-central-1", "us-west-2", "ap-northeast-1", "ap-southeast-2", UNPRICED],
  azure: ["eastus", "japaneast", "westeurope", UNPRICED],
} as const;
const sizes = {
  aws: ["t4g.nano", "c7gn.medium", "t2.micro"],
  azure: ["Standard_B2ats_v2", "Standard_D8ls_v5"],
};

/** Topologies that may have been measured, with their kinds, as results name them. */
const measurable = {
  aws: [
    ["nat-instance", null],
    ["nat-gateway", null],
    ["direct", null],
  ],
  azure: [
    ["nat-instance", null],
    ["nat-gateway", "StandardV2"],
    ["load-balancer", null],
    ["firewall", "Premium"],
    ["default-snat", null],
  ],
} as const;

/** Results of one topology, made by hand. */
function resultsOf(
  cloud: "aws" | "azure",
  { way: [topology, kind], size, bitsPerSecond }: Measured,
): Results {
  const made = natInstanceResults(cloud, size, bitsPerSecond);
  const rename = <T extends { topology: string }>(one: T): T => ({ ...one, topology });
  return {
    ...made,
    topologies: made.topologies.map((one) => ({
      ...rename(one),
      ...{ name: topology, kind },
      hosts: topology === "nat-instance" ? one.hosts : one.hosts.filter(({ role }) => role !== "nat"),
    })),
    cases: made.cases.map(rename),
  };
}

interface Measured {
  readonly way: readonly [string, string | null];
  readonly size: string;
  readonly bitsPerSecond: number;
}

const cases = fc.constantFrom("aws", "azure" as const).chain((cloud) =>
  fc.record({
    cloud: fc.constant(cloud),
    region: fc.constantFrom(...regions[cloud]),
    measured: fc.option(
      fc.record({
        way: fc.constantFrom<Measured["way"]>(...measurable[cloud]),
        size: fc.constantFrom(...sizes[cloud]),
        bitsPerSecond: fc.double({ min: 1e7, max: 30e9, noNaN: true }),
      }),
      { nil: null },
    ),
    gb: fc.double({ min: 0.001, max: 1e5, noNaN: true }),
    outShare: fc.double({ min: 0, max: 1, noNaN: true }),
    peak: fc.double({ min: 0, max: 60e9, noNaN: true }),
    flows: fc.nat(300_000),
    zones: fc.integer({ min: 0, max: 3 }),
    // Traffic with a service of the region, which a free endpoint takes off the NAT.
    endpointShare: fc.constantFrom(0, 0.4),
    existing: fc.boolean(),
  }),
);

/** Results of hosts that existed, which are no way out of a cloud's subnet. */
const existingHosts: Results = {
  ...resultsOf("aws", { way: ["existing", null], size: "", bitsPerSecond: 1e9 }),
  ...{ cloud: "hosts", stack: "hosts-existing" },
};

it("gives the same pick, sizes and bills", () => {
  fc.assert(
    fc.property(
      cases,
      ({ cloud, region, measured, gb, outShare, peak, flows, zones, endpointShare, existing }) => {
        const made = handMadeTraffic();
        const bounded = { least: peak, estimate: peak, most: peak };
        const part = (share: number) => (gb * 1e9 * share) / 10;
        const traffic = handMadeTraffic({
          ...{ cloud, region },
          services:
            endpointShare === 0
              ? []
              : [
                  {
                    ...{ service: cloud === "aws" ? "S3" : "Storage", region, addresses: 2 },
                    outBytes: endpointShare * part(outShare),
                    inBytes: endpointShare * part(1 - outShare),
                  },
                ],
          nats: Array.from({ length: zones }, (_, at) => ({ name: `eni-${at}`, reason: "given" as const })),
          total: { ...made.total, outBytes: part(outShare), inBytes: part(1 - outShare) },
          peak: { ...made.peak!, out: bounded, in: bounded, both: bounded },
          flows: {
            ...made.flows!,
            busiest: { ...made.flows!.busiest!, concurrent: { low: 0, high: flows } },
          },
        });
        const own = measured ? [resultsOf(cloud, measured)] : [];
        const results = existing ? [...own, existingHosts] : own;
        const given = {
          results,
          book: priceSnapshots[cloud],
          now: "nat-gateway",
          ranges: "",
          madeAt: "",
        } as const;
        const advice = advise(traffic, { ...given, region, regionFrom: "option" });

        // The report's own path: the needs as a reader would enter them.
        const needs = needsOf(traffic, monthOf(traffic, region).rest, region);
        const inputs = results.map((one) => ({ source: "a.json", results: one }));
        const [answer] =
          own.length > 0
            ? makeReport({ inputs, problems: [] }, { madeAt: "2026-11-23T00:00:00Z", needs }).answers
            : [answerOf(candidateData(cloud, region, { books: priceSnapshots, natSize: undefined }), needs)];
        const shown = (one: {
          id: string;
          status: string;
          need: unknown;
          bill: { totalCost: number | null };
        }) => [...[one.id, one.status, one.need, one.bill.totalCost]];
        const ways = answer!.assessed.filter(({ need }) => need !== null);
        expect(advice.options.map(shown)).toEqual(ways.map(shown));
        // The present way stays unless another one saves at least 1 USD a month.
        const [mine, theirs] = [advice.recommendation, answer!.pick];
        if (mine.pickId !== (theirs?.id ?? null)) {
          expect(mine.pick).toBe("nat-gateway");
          expect(mine.thenCost! - theirs!.totalCost!).toBeLessThan(1);
        }
      },
    ),
    { numRuns: samples(60) },
  );
}, 60_000);
