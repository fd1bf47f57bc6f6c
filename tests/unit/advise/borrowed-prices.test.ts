/** Advice names its prices' region: its own, or another if the price list lacks it. */
import { expect, it } from "vitest";
import { regionOfZone } from "../../../cli/known-names.ts";
import { advise } from "../../../packages/advise/src/advice.ts";
import { priceSnapshots } from "../../../report/index.ts";
import { handMadeTraffic } from "./hand-made.ts";

function said(cloud: "aws" | "azure", region: string, book = priceSnapshots[cloud]) {
  const rest = { now: "nat-gateway", regionFrom: "option", results: [], ranges: "", madeAt: "" } as const;
  const traffic = handMadeTraffic({ cloud, region, services: [] });
  const all = advise(traffic, { ...rest, region, book });
  const borrowed = (texts: readonly string[]) => texts.filter((text) => text.includes("are not known and"));
  return { warnings: borrowed(all.warnings), notes: borrowed(all.notes), all };
}

it.each([
  ["aws", "af-south-1", "us-east-1", "nat-gateway-gb, nat-gateway-hour"],
  ["azure", "southafricanorth", "eastus", "vm-hour:Standard_B2pts_v2"],
] as const)("warns that %s prices in %s are %s's", (cloud, region, from, meters) => {
  const { warnings } = said(cloud, region);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(`In ${region} these prices are not known and those of ${from} are used:`);
  expect(warnings[0]).toContain(meters);
  expect(warnings[0]).toContain("--prices live");
});

it("notes a borrowed price that is a small part of the bills, and says nothing of a region's own prices", () => {
  const prices = priceSnapshots.azure.prices.filter(
    ({ meter, region }) => meter !== "disk-month" || region !== "northeurope",
  );
  const { warnings, notes } = said("azure", "northeurope", { ...priceSnapshots.azure, prices });
  expect(warnings).toEqual([]);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain("those of eastus are used: disk-month.");
  expect(said("azure", "northeurope")).toMatchObject({ warnings: [], notes: [] });
  expect(said("aws", "eu-west-1")).toMatchObject({ warnings: [], notes: [] });
});

it("names prices without a second source, and warns of those that a saving rests on", () => {
  const unverified = ["public-ip-hour", "nat-gateway-hour"];
  const prices = priceSnapshots.aws.prices.map((price) =>
    unverified.includes(price.meter) ? { ...price, checked: null } : price,
  );
  const { all } = said("aws", "us-east-1", { ...priceSnapshots.aws, prices });
  // Both ways have one address.
  expect(all.notes.join("\n")).toMatch(/^Unverified prices.*: public-ip-hour\.$/m);
  expect(all.warnings.join("\n")).toMatch(/^The saving rests on unverified prices.*: nat-gateway-hour\.$/m);
});

it.each([
  ["use1-az6", "us-east-1"],
  ["apne1-az4", "ap-northeast-1"],
  ["apse2-az1", "ap-southeast-2"],
  ["euc1-az2", "eu-central-1"],
  ["usgw1-az1", "us-gov-west-1"],
  ["use1-bos1-az1", "us-east-1"],
  ["somewhere", null],
])("knows the region of the zone %s", (zone, region) => {
  expect(regionOfZone(zone)).toBe(region);
});
