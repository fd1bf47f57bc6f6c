/**
 * SKU StandardV2: the API version that has it, the regions that do, and zones only where there are any.
 *
 * Not proved: that Azure takes it; the stand-in knows the SKU from network API 2024-07-01 on, as Azure's change log has it.
 */
import { describe, expect, it } from "vitest";
import { NatGatewayEgress } from "../../../components/azure/index.ts";
import { zonesOf } from "../../../components/azure/regions.ts";
import { versionedPackage } from "../../../components/azure/standard-v2.ts";
import { mocked } from "../../helpers/azure-mocks.ts";

const gateway = (location: string, args: object) =>
  mocked(() => new NatGatewayEgress("nat", { resourceGroupName: "group", location, ...args }));

const V2 = "azure-native_network_v20240701:network";

it.each([
  ["an address", {}, "PublicIPAddress", "nat-ip-1"],
  ["a prefix", { publicIpPrefixLength: 30 }, "PublicIPPrefix", "nat-ip-prefix"],
])("the gateway and %s are asked for at an API version that has the SKU", async (_, args, type, name) => {
  const { resources } = await gateway("japaneast", { sku: "StandardV2", ...args });
  const made = resources.map((one) => `${one.type} ${one.name}`).filter((one) => one.includes("network"));
  expect(made.sort()).toEqual([`${V2}:NatGateway nat`, `${V2}:${type} ${name}`]);
});

it("a Standard gateway stays at the provider's own version", async () => {
  const { resources } = await gateway("japaneast", {});
  expect(resources.map(({ type }) => type).filter((type) => type.includes("_v"))).toEqual([]);
});

describe("zones", () => {
  it.each([
    ["japaneast", ["1", "2", "3"]],
    ["westus", undefined],
    ["UK West", undefined],
  ])("of StandardV2 in %s are %j", async (location, zones) => {
    for (const args of [{}, { publicIpPrefixLength: 31 }]) {
      const { resources } = await gateway(location, { sku: "StandardV2", ...args });
      const made = resources.filter(({ type }) => type.startsWith(V2));
      expect(made).toHaveLength(2);
      expect(made.map(({ inputs }) => inputs.zones)).toEqual([zones, zones]);
    }
  });

  it.each([{}, { publicIpPrefixLength: 31 }])("of a zonal gateway's address, %j, are all", async (args) => {
    const stack = await gateway("japaneast", { zone: "2", ...args });
    expect(stack.inputs("NatGateway", "nat").zones).toEqual(["2"]);
    const [type, name] =
      "publicIpPrefixLength" in args ? ["PublicIPPrefix", "nat-ip-prefix"] : ["PublicIPAddress", "nat-ip-1"];
    expect(stack.inputs(type as string, name as string).zones).toEqual(["1", "2", "3"]);
  });

  it("are none of Sweden South, of the government's regions but US Gov Virginia, and of China's older ones", () => {
    for (const region of ["Sweden South", "usgovarizona", "US Gov Texas", "usdodeast", "chinanorth2"]) {
      expect(zonesOf(region)).toEqual([]);
    }
    for (const region of ["US Gov Virginia", "chinanorth3", "swedencentral"]) {
      expect(zonesOf(region)).toHaveLength(3);
    }
  });
});

it.each(["qatarcentral", "Qatar Central", "canadaeast", "swedensouth"])(
  "a region without StandardV2 is refused at preview: %s",
  async (location) => {
    await expect(gateway(location, { sku: "StandardV2" })).rejects.toThrow(
      `sku: ${location} has no StandardV2 NAT gateways; choose Standard, or another region`,
    );
  },
);

it("an SDK of before 3.238, which cannot ask for an API version, is named at once", () => {
  expect(() => versionedPackage({})).toThrow(
    /sku: StandardV2 needs @pulumi\/pulumi 3\.238\.0 or later, and this is 3\.\d+\.\d+; update it, or choose Standard/,
  );
});

it.each([
  [
    "throws",
    () => {
      throw new Error("The Pulumi CLI does not support parameterization.");
    },
  ],
  ["rejects", () => Promise.reject(new Error("The Pulumi CLI does not support parameterization."))],
])("a Pulumi that %s is named", async (_, registerPackage) => {
  await expect(versionedPackage({ registerPackage })).rejects.toThrow(
    /sku: StandardV2 needs the azure-native provider at network API 2024-07-01.*\(The Pulumi CLI does not support parameterization\.\); update the Pulumi CLI/,
  );
});
