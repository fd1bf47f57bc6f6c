/** Refusals of a stack's configuration, and sizes and SSH sources as the rules know them. */
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import { hasAcceleratedNetworking } from "../../../bench/machines/index.ts";
import { acceleratedNetworking } from "../../../components/azure/sizes.ts";
import { ruleCidrs } from "../../../components/shared/host-login.ts";
import { azure } from "../../../stacks/azure.ts";
import { operatorAddress, operatorCidrs, readTopologies } from "../../../stacks/config.ts";
import { deployMocked } from "./deploy.ts";

describe("accelerated networking", () => {
  it.each([
    ["Standard_D8ls_v5", true],
    ["Standard_D2ls_v5", true],
    ["Standard_B2ats_v2", true],
    ["Standard_B2s", false],
    ["Standard_B1ms", false],
    ["Standard_B12ms", true],
    ["Standard_A2_v2", false],
    ["Standard_D1_v2", false],
    ["Standard_DS1_v2", false],
    ["Standard_DS5_v2", true],
    ["Standard_D2s_v3", false],
    ["Standard_D4s_v3", true],
    ["Standard_F1s", false],
    ["Standard_F16s_v2", true],
    ["Standard_Unheard_of", true],
  ])("%s: %s", (size, has) => {
    expect(hasAcceleratedNetworking(size)).toBe(has);
    expect(acceleratedNetworking(size, false)).toBe(false);
  });
});

describe("SSH", () => {
  it.each([
    [
      ["0.0.0.0/0"],
      false,
      /ssh:allowedCidrs: 0\.0\.0\.0\/0 opens SSH to the whole internet.*ssh:allowAnywhere/,
    ],
    [["0.0.0.0/1", "128.0.0.0/1"], false, /0\.0\.0\.0\/1, 128\.0\.0\.0\/1 opens SSH to the whole internet/],
    [["203.0.113.7"], false, /ssh:allowedCidrs: "203\.0\.113\.7" is not an IPv4 CIDR block/],
    [["203.0.113.7/24"], true, /ssh:allowedCidrs: .*write 203\.0\.113\.0\/24/],
  ])("%j with allowAnywhere %s is refused", async (cidrs, anywhere, message) => {
    await expect(operatorCidrs({ allowedCidrs: cidrs, allowAnywhere: anywhere })).rejects.toThrow(message);
  });

  it.each([
    // Blocks that no other test of this process uses.
    [["0.0.0.0/0", "192.0.2.0/24"], 1],
    [["0.0.0.0/1", "128.0.0.0/1"], 1],
    [pulumi.output(["0.0.0.0/2", "64.0.0.0/2"]), 1],
    [[pulumi.output("0.0.0.0/0"), Promise.resolve("192.0.2.9/32")], 1],
    [["*"], 1],
    [["Internet"], 1],
    [["::/0"], 1],
    [["203.0.113.0/24", "VirtualNetwork", pulumi.output("198.51.100.7/32")], 0],
  ])("of the library warns once of blocks that cover the whole internet: case %#", async (cidrs, times) => {
    const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
    for (const sources of [ruleCidrs(cidrs), ruleCidrs(cidrs)]) {
      await pulumi.output(sources as pulumi.Output<string[]>).apply(() => {});
    }
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(times));
    for (const [line] of warn.mock.calls) {
      expect(line).toMatch(
        /^ssh\.allowedCidrs: [\w:*./, ]+ opens SSH to the whole internet; name your own address$/,
      );
    }
    warn.mockRestore();
  });

  it("may be open to the whole internet if allowed", async () => {
    const sources = await operatorCidrs({ allowedCidrs: ["0.0.0.0/0"], allowAnywhere: true });
    expect(sources).toEqual(["0.0.0.0/0"]);
  });

  it.each([
    ["no internet", () => Promise.reject(new Error("fetch failed")), /fetch failed.*ssh:allowedCidrs/],
    [
      "a portal's page",
      () => Promise.resolve(new Response("<html>")),
      /is not an IPv4 address.*ssh:allowedCidrs/,
    ],
  ])("names the setting when the operator's address cannot be found out: %s", async (_, request, message) => {
    await expect(operatorAddress(request)).rejects.toThrow(message);
  });

  it("uses the address that the echo service saw", async () => {
    const lookUp = () => operatorAddress(() => Promise.resolve(new Response("203.0.113.9\n")));
    expect(await operatorCidrs({ allowAnywhere: false }, lookUp)).toEqual(["203.0.113.9/32"]);
  });
});

describe("a stack's configuration", () => {
  const read = (entry: Record<string, unknown>) =>
    readTopologies({ topologies: [entry], cloud: "azure" } as never, azure);

  it.each([
    [
      { topology: "nat-gatway" },
      /"nat-gatway" is not a topology of cloud "azure"; it has: direct, nat-gateway, nat-instance, nat-instance-ha, default-snat, load-balancer, firewall, intra-vnet, vnet-peering, vpn-gateway, expressroute/,
    ],
    [
      { topology: "expressroute" },
      /expressroute:circuitId: is missing; needs the resource id of an existing ExpressRoute circuit/,
    ],
    [{ topology: "firewall", tier: "Gold" }, /tier/],
    [{ topology: "nat-instance", dataPlane: "vpp" }, /dataPlane/],
    [{ topology: "direct", size: "Standard_D2ls_v5" }, /size/],
  ])("%j", (entry, message) => {
    expect(() => read(entry)).toThrow(message);
  });

  it("whose address space is too small for its networks is refused", async () => {
    const settings = { addressSpace: "10.0.0.0/19" };
    await expect(
      deployMocked([{ topology: "direct" }, { topology: "nat-gateway" }], { settings }),
    ).rejects.toThrow(/addressSpace: 10\.0\.0\.0\/19 splits into 2 subnets of \/20/);
  });
});
