/** Machines and prices under `size: small`; that stacks fit with it: tests/components, quotas. */
import { describe, expect, it, test } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { readStackFile } from "../../../cli/pulumi/stack-file.ts";
import { stackCost } from "../../../cli/run/cost.ts";
import { priceSnapshots } from "../../../report/cost/prices.ts";
import { awsInventory } from "../../../stacks/aws/inventory.ts";
import { settingsSchema as awsSettings } from "../../../stacks/aws/settings.ts";
import { clientsOnSpot, freePlanNote, smallNat } from "../../../stacks/aws/small.ts";
import { settingsSchema as azureSettings } from "../../../stacks/azure/settings.ts";
import { smallNat as smallAzureNat } from "../../../stacks/azure/small.ts";
import { sizedEntry } from "../../../stacks/inventory.ts";

const small = awsSettings.parse({ size: "small" });
const natInstance = (options: object) => ({ topology: "nat-instance", options: { ...options } });

describe("AWS: a small NAT instance", () => {
  test.each([
    [{}, "c7g.medium"],
    [{ instanceType: "t4g.nano" }, "t2.nano"],
    [{ instanceType: "t3.micro" }, "t2.micro"],
    [{ instanceType: "t3a.xlarge" }, "t2.small"],
    [{ instanceType: "c7gn.large" }, "c7g.medium"],
    [{ instanceType: "trn1.2xlarge" }, "c7g.medium"],
    // A named image is of the type's architecture.
    [{ image: "ami-1" }, "c7g.medium"],
    [{ instanceType: "t4g.nano", imageName: "fck-nat-arm64" }, "c7g.medium"],
    [{ instanceType: "t3.nano", image: "ami-1" }, "t2.nano"],
    [{ instanceType: "c5.large", image: "ami-1" }, "t2.small"],
  ])("of %j is %s", (options, type) => {
    expect(smallNat(options)).toEqual({ ...options, instanceType: type });
  });

  it("keeps spot without further types, and credits only for a T", () => {
    const more = { spot: { instanceTypes: ["t4g.small"] }, creditMode: "standard" };
    const t = smallNat({ instanceType: "t4g.nano", ...more });
    expect(t).toEqual({
      instanceType: "t2.nano",
      spot: { instanceTypes: undefined },
      creditMode: "standard",
    });
    expect(smallNat(more)).toEqual({
      instanceType: "c7g.medium",
      spot: { instanceTypes: undefined },
    });
  });

  it("is as given without size: small, and gateways do not change", () => {
    const entry = natInstance({ instanceType: "t4g.nano" });
    expect(sizedEntry(awsSettings.parse({}), entry, smallNat)).toBe(entry);
    const gateway = { topology: "nat-gateway", options: { publicIpCount: 2 } };
    expect(sizedEntry(small, gateway, smallNat)).toBe(gateway);
  });
});

it("AWS: names the types that an account on the free plan cannot launch, and the settings to change", () => {
  const types = ["c7g.medium", "t2.small", "t4g.micro", "c7g.medium"];
  expect(freePlanNote(small, types)).toMatch(
    /^size: small takes c7g\.medium, t2\.small, which an account on AWS's free plan cannot launch.* clientInstanceType, .* t4g\.micro/,
  );
  expect(freePlanNote(small, ["t4g.small"])).toBeUndefined();
  expect(freePlanNote(awsSettings.parse({}), types)).toBeUndefined();
});

it("AWS: a regional gateway's hours and addresses are priced per zone", () => {
  const file = readStackFile("aws-nat-gateway");
  const hourly = (options: object) => {
    const topologies = [
      { ...file.topologies[0], topology: "nat-gateway", options },
    ] as typeof file.topologies;
    return stackCost({ ...file, topologies }, parsePlan(file.plan), priceSnapshots.aws).hourlyUsd;
  };
  const regional = { availabilityMode: "regional", publicIpCount: 2 };
  const two = hourly({ ...regional, zones: ["us-east-1a", "us-east-1b"] });
  // USD an hour in us-east-1: the gateway 0.045, an address 0.005.
  expect(two - hourly(regional)).toBeCloseTo(0.045 + 2 * 0.005);
});

it("AWS: clients are on spot from the sixth machine on", () => {
  const spot = (settings: typeof small, pairs: number, ...names: string[]) => {
    const entries = names.map((topology) => ({ name: topology, topology, options: {} }));
    const plan = parsePlan("quick");
    const { hosts } = awsInventory({ settings, topologies: entries, pairs, plan });
    return clientsOnSpot(settings, hosts.length);
  };
  expect(spot(small, 1, "nat-instance")).toBe(false);
  // Server, jump host, two clients, NAT instance.
  expect(spot(small, 1, "nat-instance", "nat-gateway")).toBe(false);
  expect(spot(small, 1, "nat-instance", "fck-nat")).toBe(true);
  expect(spot(small, 3, "direct")).toBe(true);
  expect(spot(awsSettings.parse({}), 1, "nat-instance", "fck-nat")).toBe(false);
});

it("Azure: a small NAT instance is a B1s, without accelerated networking", () => {
  const entry = natInstance({ size: "Standard_D4ls_v5", acceleratedNetworking: true, publicIpCount: 2 });
  expect(sizedEntry(azureSettings.parse({ size: "small" }), entry, smallAzureNat).options).toEqual({
    size: "Standard_B1s",
    publicIpCount: 2,
  });
  expect(sizedEntry(azureSettings.parse({}), entry, smallAzureNat)).toBe(entry);
});

it.each([
  ["aws-compare", "aws"],
  ["aws-fck-nat-sizes", "aws"],
  ["compare", "azure"],
  ["compare-rtt", "azure"],
] as const)("small, %s is priced with its own machines", (name, cloud) => {
  const file = readStackFile(name);
  const book = priceSnapshots[cloud];
  const priced = (settings: object) => stackCost({ ...file, settings }, parsePlan(file.plan), book);
  const own = priced({ ...(file.settings as object), size: "small" });
  expect(own.missing).toEqual([]);
  expect(own.hourlyUsd).toBeLessThan(priced(file.settings as object).hourlyUsd);
  // Without the prices of small machines there is no substitute.
  const prices = book.prices.filter(({ meter }) => !/c7g\.medium|t2\.|B1s/.test(meter));
  const { missing } = stackCost({ ...file, settings: { size: "small" } }, parsePlan(file.plan), {
    ...book,
    prices,
  });
  expect(missing.join()).toMatch(cloud === "aws" ? /vm-hour:c7g\.medium/ : /vm-hour:Standard_B1s/);
});
