/** Options of a stack's NAT instances that need more than the machine, another zone, and zones of a NAT gateway. */
import { describe, expect, it } from "vitest";
import type { EgressPath } from "../../../components/shared/egress.ts";
import { known } from "../ends.ts";
import { deployMocked } from "./deploy.ts";

const pair = (options: object, settings: Record<string, unknown> = {}) =>
  deployMocked([{ topology: "nat-instance-ha", ...options }], { settings });

describe("a pair in two zones", () => {
  it.each([
    ["us-east-1a", "us-east-1b", {}],
    ["us-east-1b", "us-east-1a", { zone: "us-east-1b" }],
    ["us-east-1a", "us-east-1b", { size: "small" }],
  ])("with %s as the stack's has its standby in %s (%o)", async (own, other, settings) => {
    const stack = await pair({ zones: 2 }, settings);
    const zoneOf = (subnet: string) => stack.inputs("Subnet", subnet).availabilityZone;
    expect(zoneOf("client-network-public")).toBe(own);
    expect(zoneOf("client-network-nat-instance-ha-client")).toBe(own);
    expect(zoneOf("client-network-nat-instance-ha-standby")).toBe(other);
    expect(stack.inputs("NetworkInterface", "nat-instance-ha-nat-2-eni").subnetId).toBe(
      stack.id("Subnet", "client-network-nat-instance-ha-standby"),
    );
  });

  it("is in one zone by default", async () => {
    for (const options of [{}, { zones: 1 }]) {
      expect((await pair(options)).aws().filter((resource) => resource.includes("standby"))).toEqual([]);
    }
  });

  it("cannot be in three", async () => {
    await expect(pair({ zones: 3 })).rejects.toThrow(/zones/);
  });
});

describe("a NAT gateway that is", () => {
  it("regional has addresses in each of its zones, which servers see", async () => {
    const zones = ["us-east-1a", "us-east-1b"];
    const entry = { topology: "nat-gateway", availabilityMode: "regional", zones, publicIpCount: 2 };
    const stack = await deployMocked([entry]);
    expect(stack.inputs("NatGateway", "nat-gateway-regional-nat-gateway").availabilityZoneAddresses).toEqual(
      zones.map((zone) => ({
        availabilityZone: zone,
        allocationIds: [1, 2].map((at) => stack.id("Eip", `nat-gateway-regional-${zone}-eip-${at}`)),
      })),
    );
  });

  it("regional proves the clients' own zone; AWS serves an added one by another's addresses at first", async () => {
    const zones = ["us-east-1a", "us-east-1b"];
    const { result, outputs } = await deployMocked(
      [{ topology: "nat-gateway", availabilityMode: "regional", zones }],
      { settings: { zone: "us-east-1b" }, pairs: 2 },
    );
    const addressIn = (zone: string) => outputs("Eip", `nat-gateway-regional-${zone}-eip-1`).publicIp;
    const [path] = result.paths as [EgressPath];
    // The server's rules admit both, so that the case reports the address that the server saw.
    expect(await known(path.expectedSourceIps)).toEqual(zones.map(addressIn));
    for (const pair of [path, ...(path.extraPairs ?? [])]) {
      expect(await known(pair.forbiddenSourceIps)).toEqual([addressIn("us-east-1a")]);
    }
  });

  it("zonal has no zones of its own", async () => {
    await expect(deployMocked([{ topology: "nat-gateway", zones: ["us-east-1a"] }])).rejects.toThrow(
      "nat-gateway: zones is for a regional gateway",
    );
  });
});
