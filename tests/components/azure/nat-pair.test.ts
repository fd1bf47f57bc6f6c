/**
 * A pair of NAT instances on Azure: resources, routes, allowed traffic, and refusals. Not proved: that Azure's load
 * balancer does what its documentation says, and how long it takes. The machines' behaviour is in tests/lab.
 */
import { Buffer } from "node:buffer";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { NatInstance, type NatInstanceArgs } from "../../../components/azure/index.ts";
import { type Mocked, mocked } from "../../helpers/azure-mocks.ts";
import { unpacked } from "../../helpers/unpacked.ts";
import { deployMocked } from "./deploy.ts";

const place = {
  resourceGroupName: "group",
  location: "japaneast",
  subnetId: "10.0.0.0/24",
  privateCidrs: ["10.0.1.0/24"],
};
const refused = (args: Partial<NatInstanceArgs>) =>
  mocked(() => new NatInstance("n", { ...place, highAvailability: {}, ...args }));

type Stack = Awaited<ReturnType<typeof deployMocked>>;
const NAME = "nat-instance-ha";
const machines = [`${NAME}-nat`, `${NAME}-nat-2`];
const userData = (stack: Stack, machine: string) =>
  unpacked(Buffer.from(stack.inputs("VirtualMachine", machine).osProfile.customData, "base64"));
const addressOf = (stack: Stack, machine: string) => {
  const { ipConfigurations } = stack.arm.outputs(`/${machine}-nic-0`) as {
    ipConfigurations: { privateIPAddress: string }[];
  };
  return ipConfigurations[0]?.privateIPAddress;
};

let stack: Stack;
beforeAll(async () => {
  stack = await deployMocked([{ topology: NAME }]);
});

describe("the load balancer", () => {
  it("is the next hop of the clients' route", () => {
    const { frontendIPConfigurations: [frontend] = [] } = stack.arm.outputs(`/${NAME}-balancer-0`) as {
      frontendIPConfigurations?: { privateIPAddress: string }[];
    };
    expect(stack.inputs("RouteTable", `${NAME}-routes`).routes).toEqual([
      {
        name: "default-through-nat-instance",
        addressPrefix: "0.0.0.0/0",
        nextHopType: "VirtualAppliance",
        nextHopIpAddress: frontend?.privateIPAddress,
      },
    ]);
    expect(machines.map((machine) => addressOf(stack, machine))).not.toContain(frontend?.privateIPAddress);
  });

  it("takes all ports and protocols to the machine that answers, by a frontend of all zones", () => {
    const { sku, frontendIPConfigurations, probes, loadBalancingRules } = stack.inputs(
      "LoadBalancer",
      `${NAME}-balancer`,
    );
    expect(sku.name).toBe("Standard");
    expect(frontendIPConfigurations).toMatchObject([{ zones: ["1", "2", "3"] }]);
    expect(frontendIPConfigurations[0]).not.toHaveProperty("publicIPAddress");
    expect(probes).toMatchObject([{ protocol: "Tcp", port: 3782, intervalInSeconds: 5, probeThreshold: 1 }]);
    expect(loadBalancingRules).toMatchObject([
      {
        protocol: "All",
        frontendPort: 0,
        backendPort: 0,
        probe: { id: `$self/probes/${probes[0].name}` },
      },
    ]);
    const [pool] = stack.inputs("LoadBalancer", `${NAME}-balancer`).backendAddressPools;
    for (const machine of machines) {
      const [{ loadBalancerBackendAddressPools }] = stack.inputs("NetworkInterface", `${machine}-nic`)
        .ipConfigurations as [{ loadBalancerBackendAddressPools: { id: string }[] }];
      expect(loadBalancerBackendAddressPools.map(({ id }) => id.split("/").slice(-3))).toEqual([
        [`${NAME}-balancer-0`, "backendAddressPools", pool.name],
      ]);
    }
  });
});

it("a preview says that ping does not pass", async () => {
  const said = vi.spyOn(pulumi.log, "info");
  await refused({ highAvailability: { privateAddresses: ["10.0.0.4", "10.0.0.5"] } });
  expect(said.mock.calls.map(([text]) => text)).toEqual([
    expect.stringMatching(
      /^highAvailability: a pair passes TCP and UDP alone.*no ping.*take one NAT instance/,
    ),
  ]);
  said.mockRestore();
});

describe("the machines", () => {
  it("are in two zones, forward, and have a public address each, both of them valid sources", () => {
    expect(machines.map((machine) => stack.inputs("VirtualMachine", machine).zones)).toEqual([["1"], ["2"]]);
    for (const machine of machines) {
      expect(stack.inputs("NetworkInterface", `${machine}-nic`).enableIPForwarding).toBe(true);
    }
    const own = [1, 2].map((number) => stack.arm.outputs(`/${NAME}-ip-${number}-0`).ipAddress as string);
    expect(new Set(own).size).toBe(2);
    const { securityRules } = stack.inputs("NetworkSecurityGroup", "server-nsg");
    const test = securityRules.find(({ name }: { name: string }) => name === `test-${NAME}-tcp`);
    expect(test.sourceAddressPrefixes).toEqual(own);
  });

  it("admit each other's signs of life and the load balancer's probe, and nothing else between them", () => {
    const group = stack.resources.find(({ type }) => type.endsWith(":ApplicationSecurityGroup"));
    expect(group?.name).toBe(`${NAME}-pair-asg`);
    for (const machine of machines) {
      const rules = stack.inputs("NetworkSecurityGroup", `${machine}-nsg`).securityRules as {
        name: string;
      }[];
      const rule = (name: string) => rules.find((one) => one.name === name);
      expect(rule("signs-of-life")).toMatchObject({
        protocol: "Udp",
        destinationPortRange: "3781",
        sourceApplicationSecurityGroups: [{ id: expect.stringMatching(/nat-instance-ha-pair-asg-0$/) }],
      });
      expect(rule("signs-of-life")).not.toHaveProperty("sourceAddressPrefix");
      expect(rule("load-balancer")).toMatchObject({
        protocol: "Tcp",
        sourceAddressPrefix: "AzureLoadBalancer",
        destinationPortRange: "3782",
      });
      const [own] = stack.inputs("NetworkInterface", `${machine}-nic`).ipConfigurations;
      expect(own.applicationSecurityGroups).toMatchObject([{ id: expect.stringMatching(/-pair-asg-0$/) }]);
    }
  });

  it("each know both addresses once they are set up, translate to their own address, and copy nothing", () => {
    const [one, other] = machines.map((machine) => addressOf(stack, machine));
    expect(one).not.toBe(other);
    for (const [machine, self, peer] of [
      [machines[0], one, other],
      [machines[1], other, one],
    ] as [string, string, string][]) {
      const text = stack.inputs("Command", `${machine}-set-up`).stdin;
      expect(text).toContain(`"self":"${self}","peer":"${peer}","port":3781`);
      // The first machine boots before the second one's address is known, carries alone, and learns the address later.
      const early = machine === machines[0] ? "192.0.2.1" : peer;
      expect(userData(stack, machine)).toContain(`"self":"${self}","peer":"${early}"`);
      expect(text).toContain("snat ip to $out_address fully-random");
      expect(text).toContain('"outside":{"kind":"probe","port":3782}');
      expect(text).not.toMatch(/conntrackd_configuration\(\)|snat ip to \d/);
    }
  });
});

it("both machines have one key of the signs of life", () => {
  const keys = machines.map((machine) => /"key":"([^"]*)"/.exec(userData(stack, machine))?.[1]);
  expect(keys[0]).toMatch(/^[\w-]{22}$/);
  expect(keys[1]).toBe(keys[0]);
});

describe("without zones", () => {
  const set = (one: Mocked<unknown>) => one.inputs("AvailabilitySet", `${NAME}-pair-set`);
  it.each([
    ["a region without zones", { settings: { location: "ukwest" } }, {}],
    ["an owner without zones", {}, { zones: [] }],
  ])("%s: both are in one availability set", async (_, options, topology) => {
    const flat = await deployMocked([{ topology: NAME, ...topology }], options);
    expect(set(flat)).toMatchObject({ platformFaultDomainCount: 2, sku: { name: "Aligned" } });
    for (const machine of machines) {
      const { zones, availabilitySet } = flat.inputs("VirtualMachine", machine);
      expect(zones).toBeUndefined();
      expect(availabilitySet.id).toMatch(/pair-set-0$/);
    }
    const [frontend] = flat.inputs("LoadBalancer", `${NAME}-balancer`).frontendIPConfigurations;
    expect(frontend).not.toHaveProperty("zones");
  });
});

it.each<[Partial<NatInstanceArgs>, RegExp]>([
  [{ highAvailability: { zones: ["2", "2"] } }, /highAvailability\.zones: got 2, 2; expected two zones/],
  [{ highAvailability: { zones: ["2"] } }, /highAvailability\.zones: got 2; expected two zones/],
  [{ zone: "1" }, /zone: is one machine's; name two with highAvailability\.zones/],
  [{ location: "ukwest", highAvailability: { zones: ["1", "2"] } }, /zone: ukwest has no availability zones/],
  [{ publicIpCount: 2 }, /publicIpCount: must be one with highAvailability/],
  [{ proximityPlacementGroupId: "/ppg" }, /proximityPlacementGroupId: holds machines of one zone/],
  [
    { nat: { dataPlane: "iptables" } },
    /nat\.dataPlane: iptables does not go with highAvailability; take nft/,
  ],
])("%j is refused", async (args, message) => {
  await expect(refused(args)).rejects.toThrow(message);
});

// Each line is written once in a process, so no other test has these blocks.
it.each([
  [NAME, ["0.0.0.0/0"]],
  ["nat-instance", ["64.0.0.0/2", "128.0.0.0/2"]],
])("%s warns of an inbound port 22 for the whole internet", async (topology, everybody) => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const warned = async (port: number, cidrs: string[]) => {
    await deployMocked([{ topology, inbound: [{ protocol: "tcp", port, cidrs }] }]);
    return warn.mock.calls.map(([line]) => line).filter((line) => line.includes("inbound"));
  };
  expect(await warned(22, ["203.0.113.7/32"])).toEqual([]);
  expect(await warned(9100, everybody)).toEqual([]);
  const line = `nat.inbound: ${everybody.join(", ")} opens SSH to the whole internet; name your own address`;
  expect(await warned(22, everybody)).toEqual([line]);
  warn.mockRestore();
});
