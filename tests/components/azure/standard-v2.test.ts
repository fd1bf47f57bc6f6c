/**
 * SKU StandardV2: its API version, its regions, and zones only where there are any.
 *
 * Not proved: that Azure accepts it; the stand-in knows the SKU from network API 2024-07-01 on, as in Azure's change log.
 */

import { describe, expect, it } from "vitest";
import { NatGatewayEgress } from "../../../components/azure/index.ts";
import { addressOf } from "../../../components/azure/public-ip.ts";
import { zonesOf } from "../../../components/azure/regions.ts";
import { publicIpV2, versionedPackage } from "../../../components/azure/standard-v2.ts";
import { mocked } from "../../helpers/azure-mocks.ts";
import { known } from "../ends.ts";

const gateway = (location: string, args: object) =>
  mocked(() => new NatGatewayEgress("nat", { resourceGroupName: "group", location, ...args }));

const V2 = "azure-native_network_v20240701:network";

it.each([
  ["an address", {}, "PublicIPAddress", "nat-ip-1"],
  ["a prefix", { publicIpPrefixLength: 30 }, "PublicIPPrefix", "nat-ip-prefix"],
])("the gateway and %s are requested at an API version with the SKU", async (_, args, type, name) => {
  const { resources } = await gateway("japaneast", { sku: "StandardV2", ...args });
  const made = resources.map((one) => `${one.type} ${one.name}`).filter((one) => one.includes("network"));
  expect(made.sort()).toEqual([`${V2}:NatGateway nat`, `${V2}:${type} ${name}`]);
});

it("a Standard gateway stays at the provider's own version", async () => {
  const { resources } = await gateway("japaneast", {});
  expect(resources.map(({ type }) => type).filter((type) => type.includes("_v"))).toEqual([]);
});

describe("IPv6", () => {
  it("has its own addresses beside those of IPv4, at the API version with the SKU", async () => {
    const { inputs, resources, result } = await gateway("japaneast", {
      sku: "StandardV2",
      publicIpV6Count: 2,
    });
    const made = resources.map(({ type, name }) => `${type} ${name}`).filter((one) => one.startsWith(V2));
    const addresses = ["nat-ip-1", "nat-ipv6-1", "nat-ipv6-2"].map((name) => `${V2}:PublicIPAddress ${name}`);
    expect(made.sort()).toEqual([`${V2}:NatGateway nat`, ...addresses]);
    expect(inputs("NatGateway", "nat").publicIpAddressesV6).toHaveLength(2);
    expect(inputs("NatGateway", "nat")).not.toHaveProperty("nat64");
    const seen = await known(result.sourceIpsV6);
    expect(seen).toEqual([expect.stringMatching(/^2603:/), expect.stringMatching(/^2603:/)]);
  });

  const byKept = (version: "IPv4" | "IPv6") =>
    mocked(() => {
      const place = { resourceGroupName: "group", location: "japaneast" };
      const sku = { name: "StandardV2" };
      const inputs = { ...place, sku, publicIPAddressVersion: version, zones: ["1", "2", "3"] };
      const kept = publicIpV2("kept", inputs, {});
      const publicIpsV6 = [{ id: kept.id, address: addressOf(kept), sku: "StandardV2" as const }];
      return new NatGatewayEgress("nat", { ...place, sku: "StandardV2", publicIpsV6 });
    });

  it("uses existing addresses, if named", async () => {
    const { azure, inputs } = await byKept("IPv6");
    expect(azure()).toEqual(["NatGateway nat", "PublicIPAddress kept", "PublicIPAddress nat-ip-1"]);
    expect(inputs("NatGateway", "nat").publicIpAddressesV6).toEqual([
      { id: expect.stringMatching(/publicIPAddresses\/kept/) },
    ]);
  });

  it("refuses an IPv4 address, as Azure does", async () => {
    await expect(byKept("IPv4")).rejects.toThrow(
      /kept.* is of another IP version than the list of its NAT gateway/,
    );
  });

  it("reaches IPv4 servers through a gateway at the API version with NAT64", async () => {
    const { resources } = await gateway("japaneast", { sku: "StandardV2", publicIpV6Count: 1, nat64: true });
    const of = (kind: string) => resources.filter(({ type }) => type.endsWith(`:${kind}`));
    expect(of("NatGateway")).toMatchObject([
      { type: "azure-native_network_v20250701:network:NatGateway", inputs: { nat64: "Enabled" } },
    ]);
    expect(new Set(of("PublicIPAddress").map(({ type }) => type))).toEqual(
      new Set([`${V2}:PublicIPAddress`]),
    );
  });
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

  it.each(["4", "0", "", "japaneast-1"])("that no region has are refused: %j", async (zone) => {
    await expect(gateway("japaneast", { sku: "Standard", zone })).rejects.toThrow(
      `zone: must be one of 1, 2, 3, as Azure numbers them, not ${JSON.stringify(zone)}`,
    );
  });

  it("do not exist in Sweden South, in the government's regions but US Gov Virginia, and in China's older ones", () => {
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

it("an SDK before 3.238, which cannot request an API version, is named at once", () => {
  expect(() => versionedPackage("2024-07-01", {})).toThrow(
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
  await expect(versionedPackage("2024-07-01", { registerPackage })).rejects.toThrow(
    /sku: StandardV2 needs the azure-native provider at network API 2024-07-01.*\(The Pulumi CLI does not support parameterization\.\); update the Pulumi CLI/,
  );
  await expect(versionedPackage("2025-07-01", { registerPackage })).rejects.toThrow(
    /nat64: NAT64 needs the azure-native provider at network API 2025-07-01.*or leave it out/,
  );
});

describe("given addresses", () => {
  const ip = (id: string, address: string) => ({ id, address, sku: "StandardV2" as const });
  const prefix = (cidr: string) => ({ publicIpPrefix: { id: "prefix", cidr } });

  it.each([
    [
      { publicIpsV6: [ip("a", "20.0.0.1")] },
      'publicIpsV6[0].address: expected an IPv6 address; got "20.0.0.1"',
    ],
    [
      { publicIps: [ip("a", "2001:db8::1")] },
      'publicIps[0].address: expected an IPv4 address; got "2001:db8::1"',
    ],
    [
      { publicIps: [ip("a", "20.0.0.1"), ip("a", "20.0.0.1")] },
      "publicIps[1]: is also the address of publicIps[0]; give each address once",
    ],
    [prefix("20.0.0.0/24"), "publicIpPrefix.cidr: a NAT gateway takes a prefix of /28 to /31, not /24"],
    [
      prefix("2603:1020::/124"),
      "publicIpPrefix.cidr: must be of IPv4; make addresses of this prefix, and give them as publicIpsV6",
    ],
    [prefix("abc"), 'publicIpPrefix.cidr: "abc" is not an IPv4 CIDR block'],
  ])("are refused at preview where Azure would refuse them: %j", async (args, message) => {
    await expect(gateway("japaneast", { sku: "StandardV2", ...args })).rejects.toThrow(message);
  });
});
