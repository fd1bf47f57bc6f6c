/** Arguments that break a rule of Azure's NAT gateways are refused at preview, with the argument's name and the remedy. */
import { describe, expect, it } from "vitest";
import { NatGatewayEgress, type NatGatewayEgressArgs } from "../../../components/azure/index.ts";
import { mocked } from "../../helpers/azure-mocks.ts";
import { deployMocked } from "./deploy.ts";

const site = { resourceGroupName: "group", location: "japaneast" };

describe("NAT gateway", () => {
  const ip = (sku: "Standard" | "StandardV2") => ({ id: "id", address: "20.0.0.1", sku });

  it.each<[Partial<NatGatewayEgressArgs>, RegExp]>([
    [
      { sku: "StandardV2", publicIps: [ip("Standard")] },
      /publicIps\[0\]\.sku: a StandardV2 NAT gateway takes StandardV2 addresses only, not Standard/,
    ],
    [{ publicIps: [ip("Standard"), ip("StandardV2")] }, /publicIps\[1\]\.sku: a Standard NAT gateway/],
    [{ publicIpCount: 17 }, /publicIpCount: must be a whole number from 1 to 16; got 17/],
    [{ publicIpCount: 0 }, /publicIpCount: must be a whole number from 1 to 16; got 0/],
    [
      { publicIps: Array.from({ length: 17 }, () => ip("Standard")) },
      /publicIps: must have from 1 to 16 entries; got 17/,
    ],
    [{ publicIpPrefixLength: 27 }, /publicIpPrefixLength: must be a whole number from 28 to 31; got 27/],
    [
      { publicIpCount: 2, publicIpPrefixLength: 30 },
      /publicIpCount and publicIpPrefixLength exclude each other/,
    ],
    [
      { publicIpPrefixLength: 28, publicIps: [ip("Standard")] },
      /publicIps: a NAT gateway has at most 16 addresses; publicIps and the prefix have 17; take a smaller prefix/,
    ],
    [{ idleTimeoutMinutes: 3 }, /idleTimeoutMinutes: must be a whole number from 4 to 120; got 3/],
    [
      { publicIpV6Count: 1 },
      /publicIpV6Count: a Standard NAT gateway has no IPv6; leave publicIpV6Count out/,
    ],
    [{ nat64: true }, /nat64: a Standard NAT gateway has no IPv6; leave nat64 out, or choose StandardV2/],
    [{ sku: "StandardV2", publicIpV6Count: 17 }, /publicIpV6Count: .*; got 17/],
    [{ sku: "StandardV2", publicIpsV6: [ip("Standard")] }, /publicIpsV6\[0\]\.sku: a StandardV2 NAT gateway/],
    [
      { sku: "StandardV2", publicIpV6Count: 1, publicIpsV6: [ip("StandardV2")] },
      /publicIpV6Count and publicIpsV6 exclude each other/,
    ],
    [{ sku: "StandardV2", zone: "1" }, /zone: a StandardV2 NAT gateway spans zones/],
  ])("%j", async (args, message) => {
    await expect(mocked(() => new NatGatewayEgress("nat", { ...site, ...args }))).rejects.toThrow(message);
  });

  it("has existing addresses beside a prefix, so that allow-lists learn the prefix before they go", async () => {
    const prefix = { id: "prefix", cidr: "20.9.9.8/31" };
    const args = { ...site, publicIps: [ip("Standard")], publicIpPrefix: prefix };
    const stack = await mocked(() => new NatGatewayEgress("nat", args));
    expect(stack.inputs("NatGateway", "nat")).toMatchObject({
      publicIpAddresses: [{ id: "id" }],
      publicIpPrefixes: [{ id: "prefix" }],
    });
    const seen: string[][] = [];
    stack.result.expectedSourceIps.apply((all) => seen.push(all));
    await expect.poll(() => seen).toEqual([["20.0.0.1", "20.9.9.8", "20.9.9.9"]]);
  });

  it("StandardV2 takes addresses of its own SKU in all zones", async () => {
    const stack = await deployMocked([{ topology: "nat-gateway", sku: "StandardV2", publicIpCount: 16 }]);
    expect(stack.inputs("NatGateway", "nat-gateway")).toMatchObject({
      sku: { name: "StandardV2" },
      zones: ["1", "2", "3"],
    });
    expect(stack.inputs("PublicIPAddress", "nat-gateway-ip-16").sku.name).toBe("StandardV2");
    // The results get its limit of one connection; a Standard gateway publishes none.
    const published = { bitsPerSecond: 1e9, packetsPerSecond: 100_000 };
    expect(stack.result.paths[0]?.connectionLimits).toEqual(published);
    const standard = await deployMocked([{ topology: "nat-gateway" }]);
    expect(standard.result.paths[0]?.connectionLimits).toBeUndefined();
    expect(stack.inputs("PublicIPAddress", "server-ip").sku.name).toBe("Standard");
  });
});
