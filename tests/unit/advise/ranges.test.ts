/** Service ranges: the clouds' own files, and the shipped form, which must give the same results. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPrefix } from "../../../packages/advise/src/addresses.ts";
import {
  compactServices,
  entriesOfCompact,
  shippedRanges,
} from "../../../packages/advise/src/ranges/shipped.ts";
import { entriesOf, finderOf } from "../../../packages/advise/src/ranges.ts";

const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
const lengths = fc.integer({ min: 20, max: 32 });
// Blocks within a few /16 often touch, contain each other or are halves of one.
const block = fc
  .tuple(fc.integer({ min: 0, max: 0x3ffff }), lengths)
  .map(([low, length]) => `${dotted((0x34000000 + low) & (-1 << (32 - length)))}/${length}`);

describe("the compact form", () => {
  it("finds the same as its source rows", () => {
    const rows = fc.array(
      fc.record({ region: fc.constantFrom("us-east-1", "eu-west-1"), ip_prefix: block }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(rows, fc.array(fc.integer({ min: 0, max: 0x3ffff }), { maxLength: 50 }), (list, lows) => {
        // Each block belongs to one region, as in the clouds' lists.
        const regionOf = new Map(list.map(({ ip_prefix, region }) => [ip_prefix.split(".")[1], region]));
        const prefixes = list.map(({ ip_prefix }) => ({
          ip_prefix,
          region: regionOf.get(ip_prefix.split(".")[1]),
          service: "S3",
        }));
        const entries = entriesOf({ prefixes }, "test");
        const compact = {
          cloud: "aws" as const,
          asOf: "",
          source: "",
          services: compactServices(entries, ["S3"]),
        };
        const [own, shipped] = [finderOf(entries), finderOf(entriesOfCompact(compact))];
        for (const low of lows) {
          const address = dotted(0x34000000 + low);
          expect([address, shipped(address)]).toEqual([address, own(address)]);
        }
      }),
    );
  });

  it("joins halves and leaves out contained blocks", () => {
    const prefixes = ["10.0.1.0/24", "10.0.0.0/25", "10.0.0.128/25", "10.0.0.7/32", "10.0.3.0/24"].map(
      (ip_prefix) => ({ ip_prefix, region: "GLOBAL", service: "S3" }),
    );
    expect(compactServices(entriesOf({ prefixes }, "test"), ["S3"])).toEqual({
      S3: { "": "10.0.0.0/23 10.0.3.0/24" },
    });
  });

  it("keeps IPv4 of the named services, and regional prefixes once", () => {
    const values = ["Storage", "Storage.EastUS", "Sql"].map((name) => ({
      name,
      properties: {
        region: name.includes(".") ? "eastus" : "",
        addressPrefixes: ["20.38.98.0/24", "2603:1030::/48"],
      },
    }));
    expect(compactServices(entriesOf({ values }, "test"), ["Storage"])).toEqual({
      Storage: { eastus: "20.38.98.0/24" },
    });
  });
});

describe("the shipped lists", () => {
  // Addresses named in public documentation.
  it.each([
    ["aws", "52.216.0.9", "S3", "us-east-1"],
    ["aws", "52.94.0.1", "DYNAMODB", "us-east-1"],
    ["aws", "13.32.0.1", "CLOUDFRONT", null],
    ["aws", "3.80.0.1", "AMAZON", "us-east-1"],
    ["azure", "20.38.98.10", "Storage", "eastus"],
    ["azure", "40.78.225.32", "Sql", "eastus"],
  ] as const)("%s: %s is %s of %s", (cloud, address, service, region) => {
    expect(shippedRanges(cloud).find(address)).toEqual({ cloud, service, region });
  });

  it.each(["aws", "azure"] as const)("%s: say their date, and find no private address", (cloud) => {
    const { source, find } = shippedRanges(cloud);
    expect(source).toMatch(/^shipped, of \d{4}-\d\d-\d\d$/);
    expect(["10.0.0.1", "192.168.0.1", "192.0.2.1", "8.8.8.8", "nothing"].map(find)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it("hold prefixes only", async () => {
    const lists = [
      await import("../../../packages/advise/src/ranges/aws.json"),
      await import("../../../packages/advise/src/ranges/azure.json"),
    ];
    const prefixes = lists.flatMap(({ default: { services } }) =>
      Object.values(services).flatMap((regions) => Object.values(regions as Record<string, string>)),
    );
    expect(prefixes.flatMap((text) => text.split(" ")).filter((one) => readPrefix(one) === null)).toEqual([]);
  });
});
