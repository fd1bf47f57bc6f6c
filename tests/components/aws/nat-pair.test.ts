/**
 * A pair of NAT instances on AWS: resources, rights and refusals. The machines' behaviour:
 * tests/lab/nat-instance/pair.test.ts.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { NatInstance, NatInstanceArgs } from "../../../components/aws/index.ts";
import { assertAnotherZone } from "../../../components/aws/routes.ts";
import { existing, type Mocked } from "../../helpers/aws-standin/mocks.ts";
import { natInstance, packedUserData, setUpScript, ssh, userData } from "../../helpers/aws-standin/nat.ts";

const pair = (args: Partial<NatInstanceArgs> = {}) => natInstance({ ssh, highAvailability: {}, ...args });

let stack: Mocked<NatInstance>;
beforeAll(async () => {
  stack = await pair();
});

describe("a pair", () => {
  it("is two machines, the address that moves, and one for each machine's way to EC2", () => {
    expect(stack.aws()).toEqual([
      ...["Eip n-eip-1", "Eip n-machine-1-eip", "Eip n-machine-2-eip", "EipAssociation n-nat-1-eni-1"],
      ...["EipAssociation n-nat-1-eni-2", "EipAssociation n-nat-2-eni-1", "Instance n-nat-1"],
      ...["Instance n-nat-2", "InstanceProfile n-pair-profile", "NetworkInterface n-nat-1-eni"],
      ...["NetworkInterface n-nat-2-eni", "PlacementGroup n-pair-spread", "Role n-pair-role"],
      ...["RolePolicy n-pair-policy", "Route n-default-rtb-23456789", "SecurityGroup n-nat-1-sg"],
      ...["SecurityGroup n-nat-2-sg", "SecurityGroup n-pair-sg"],
    ]);
  });

  it("is seen only with the address that moves, which begins at the first machine", async () => {
    const shared = stack.outputs("Eip", "n-eip-1");
    const seen: string[] = [];
    for (const address of stack.result.expectedSourceIps) address.apply((known) => seen.push(known));
    await expect.poll(() => seen).toEqual([shared.publicIp]);
    const association = stack.inputs("EipAssociation", "n-nat-1-eni-2");
    expect(association.allocationId).toBe(shared.allocationId);
    const { privateIp, privateIps } = stack.outputs("NetworkInterface", "n-nat-1-eni");
    expect(association.privateIpAddress).toBe(privateIps.find((one: string) => one !== privateIp));
    expect(stack.inputs("Route", "n-default-rtb-23456789").networkInterfaceId).toBe(
      stack.id("NetworkInterface", "n-nat-1-eni"),
    );
  });

  it.each([
    ["pair", pair],
    ["machine", natInstance],
  ] as const)("a %s has the same inputs whatever the order of its sets", async (_, make) => {
    const reversible = (order: <T>(members: T[]) => T[]): Partial<NatInstanceArgs> => ({
      privateRouteTableIds: order([existing.privateRouteTableId, existing.otherRouteTableId]),
      privateCidrs: order(["10.0.1.0/24", "10.0.12.0/24", "10.0.2.0/24"]),
      ssh: { ...ssh, allowedCidrs: order(["203.0.113.7/32", "10.0.2.9/32", "10.0.1.9/32"]) },
      nat: {
        inbound: order([
          { protocol: "udp", port: 9100, cidrs: ["10.0.2.0/24"] },
          { protocol: "tcp", port: 9100, cidrs: order(["10.0.2.0/24", "10.0.1.0/24"]) },
        ]),
      },
    });
    const inputsOf = async (order: <T>(members: T[]) => T[]) => {
      const { resources } = await make(reversible(order));
      return resources
        .filter(({ type }) => type.startsWith("aws:") || type.startsWith("command:"))
        .map(({ name, inputs }) => ({ name, inputs }))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
    };
    expect(await inputsOf((members) => [...members].reverse())).toEqual(await inputsOf((members) => members));
  });

  it("may move just its address and just its routes", () => {
    const { Statement } = JSON.parse(stack.inputs("RolePolicy", "n-pair-policy").policy);
    const arn = (kind: string, id: string) => `arn:aws:ec2:*:*:${kind}/${id}`;
    expect(Statement).toEqual([
      {
        Effect: "Allow",
        Action: ["ec2:AssignPrivateIpAddresses", "ec2:AssociateAddress"],
        Resource: [
          ...["n-nat-1-eni", "n-nat-2-eni"].map((name) =>
            arn("network-interface", stack.id("NetworkInterface", name)),
          ),
          arn("elastic-ip", stack.outputs("Eip", "n-eip-1").allocationId),
        ],
      },
      {
        Effect: "Allow",
        Action: "ec2:ReplaceRoute",
        Resource: [arn("route-table", existing.privateRouteTableId)],
      },
      {
        Effect: "Allow",
        Action: ["ec2:DescribeNetworkInterfaces", "ec2:DescribeRouteTables"],
        Resource: "*",
      },
    ]);
  });

  it("is spread over two racks, or placed into the named group", async () => {
    const { name } = stack.outputs("PlacementGroup", "n-pair-spread");
    const own = await pair({ placementGroup: "mine", instanceType: "c7g.8xlarge" });
    for (const number of [1, 2]) {
      expect(stack.inputs("Instance", `n-nat-${number}`).placementGroup).toBe(name);
      expect(own.inputs("Instance", `n-nat-${number}`).placementGroup).toBe("mine");
    }
    expect(stack.inputs("PlacementGroup", "n-pair-spread").strategy).toBe("spread");
    expect(own.aws().filter((one) => one.startsWith("PlacementGroup"))).toEqual([]);
  });

  it("has no single interface for your own routes, and says what to name", () => {
    expect(() => stack.result.networkInterfaceId).toThrow(
      /^networkInterfaceId: a pair has two interfaces.*name the route tables in privateRouteTableIds/,
    );
  });

  it("admits signs of life and connections only from itself", () => {
    expect(stack.inputs("SecurityGroup", "n-pair-sg").ingress).toMatchObject([
      { protocol: "udp", fromPort: 3781, toPort: 3781, self: true },
      { protocol: "udp", fromPort: 3780, toPort: 3780, self: true },
    ]);
    for (const number of [1, 2]) {
      expect(stack.inputs("NetworkInterface", `n-nat-${number}-eni`).securityGroups).toContain(
        stack.id("SecurityGroup", "n-pair-sg"),
      );
    }
  });
});

describe("in two zones", () => {
  let apart: Mocked<NatInstance>;
  beforeAll(async () => {
    apart = await pair({ highAvailability: { standbySubnetId: existing.otherZoneSubnetId } });
  });
  const eni = (number: number) => apart.outputs("NetworkInterface", `n-nat-${number}-eni`);
  const secondary = (number: number) =>
    eni(number).privateIps.find((one: string) => one !== eni(number).privateIp);

  it("has the same resources, with the second machine in the other subnet, and a private address for the one that moves", () => {
    // Without the placement group, which spreads over racks of a single zone.
    expect(["PlacementGroup n-pair-spread", ...apart.aws()].sort()).toEqual(stack.aws());
    expect(apart.inputs("NetworkInterface", "n-nat-1-eni").subnetId).toBe(existing.subnetId);
    expect(apart.inputs("NetworkInterface", "n-nat-2-eni").subnetId).toBe(existing.otherZoneSubnetId);
    expect(secondary(2)).not.toBe(secondary(1));
    expect(apart.inputs("EipAssociation", "n-nat-1-eni-2").privateIpAddress).toBe(secondary(1));
    expect(apart.inputs("EipAssociation", "n-nat-2-eni-1").privateIpAddress).toBe(eni(2).privateIp);
  });

  it("translates to one shared link-local address, and each machine swaps it for its own", () => {
    for (const number of [1, 2]) {
      const text = setUpScript(apart, `n-nat-${number}`);
      expect(text).toContain("snat ip to 169.254.79.1 fully-random");
      expect(text).toContain("common_address=169.254.79.1\n");
      expect(text).toContain(`outer_address=${secondary(number)}\n`);
      expect(text).toContain("wanted_data_plane=flowtable\n");
      expect(text).toContain(
        `"privateAddress":"${secondary(number)}","allocationId":"${apart.outputs("Eip", "n-eip-1").allocationId}"`,
      );
    }
  });

  it("may move just its Elastic IP between just its interfaces", () => {
    const [move, routes] = JSON.parse(apart.inputs("RolePolicy", "n-pair-policy").policy).Statement;
    expect(move.Action).toEqual(["ec2:AssociateAddress"]);
    expect(move.Resource).toEqual([
      `arn:aws:ec2:*:*:network-interface/${eni(1).id}`,
      `arn:aws:ec2:*:*:network-interface/${eni(2).id}`,
      `arn:aws:ec2:*:*:elastic-ip/${apart.outputs("Eip", "n-eip-1").allocationId}`,
    ]);
    expect(routes.Action).toBe("ec2:ReplaceRoute");
  });

  it("uses another data plane on request", async () => {
    const own = await pair({
      highAvailability: { standbySubnetId: existing.otherZoneSubnetId },
      nat: { dataPlane: "nftables" },
    });
    expect(setUpScript(own, "n-nat-1")).toContain("wanted_data_plane=nftables\n");
  });

  it("refuses a standby of the same zone, and of the same subnet at once", async () => {
    expect(() => assertAnotherZone("subnet-2", "us-east-1a", "us-east-1a")).toThrow(
      "highAvailability.standbySubnetId: subnet-2 is in us-east-1a, as subnetId is; choose a subnet of another zone",
    );
    expect(assertAnotherZone("subnet-2", "us-east-1a", "us-east-1b")).toBe("subnet-2");
    await expect(pair({ highAvailability: { standbySubnetId: existing.subnetId } })).rejects.toThrow(
      /highAvailability\.standbySubnetId: is subnetId itself/,
    );
  });
});

describe("its set-up", () => {
  it("has one key of the signs of life for both, outside user data, which every account can read", () => {
    const keys = [1, 2].map((number) => /"key":"([^"]*)"/.exec(setUpScript(stack, `n-nat-${number}`))?.[1]);
    expect(keys[0]).toMatch(/^[\w-]{22}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(userData(stack, "n-nat-1")).not.toContain(keys[0]);
  });

  it("is waited for until the machine carries or stands by, the second's after the first's", async () => {
    for (const number of [1, 2]) {
      const { create, triggers } = stack.inputs("Command", `n-nat-${number}-set-up`);
      expect(create).toMatch(/egress-bench-ha[\s\S]*ready/);
      expect(triggers).toContain("t4g.micro");
      expect(stack.inputs("Command", `n-nat-${number}-ready`).create).not.toContain("egress-bench-ha");
    }
    const managed = await pair({ ssh: undefined });
    const { commands } = managed.inputs("Association", "n-nat-1-set-up").parameters;
    expect(commands).toMatch(/^export SET_UP=[\w+/]+=*\n[\s\S]*ready[\s\S]*\n# t4g\.micro$/);
    // Systems Manager takes 64 KB.
    expect(commands.length).toBeLessThan(60_000);
  });

  it("is not in user data, which is the same at every deployment, and for other clients", async () => {
    expect(userData(stack, "n-nat-1")).toMatch(/^#cloud-config\n/);
    expect(userData(stack, "n-nat-1")).not.toMatch(/set-up|egress-bench-ha/);
    const other = await pair({ privateCidrs: ["10.0.1.0/24", "10.0.2.0/24"] });
    expect(packedUserData(other, "n-nat-1").equals(packedUserData(stack, "n-nat-1"))).toBe(true);
    // gzip's header: magic, deflate, no name, no time.
    expect([...packedUserData(stack, "n-nat-1").subarray(0, 8)]).toEqual([31, 139, 8, 0, 0, 0, 0, 0]);
  });

  it("gives each machine its own address, the other's, and the moving parts with their target", () => {
    const moved = stack
      .outputs("NetworkInterface", "n-nat-1-eni")
      .privateIps.find((one: string) => one !== stack.outputs("NetworkInterface", "n-nat-1-eni").privateIp);
    for (const number of [1, 2]) {
      const [own, other] = [number, 3 - number].map((one) =>
        stack.outputs("NetworkInterface", `n-nat-${one}-eni`),
      );
      const text = setUpScript(stack, `n-nat-${number}`);
      expect(text).toContain(`"self":"${own?.privateIp}","peer":"${other?.privateIp}"`);
      expect(text).toContain(`IPv4_Destination_Address ${other?.privateIp}`);
      expect(text).toContain(`snat ip to ${moved} fully-random`);
      expect(text).toContain(`"networkInterfaceId":"${own?.id}"`);
      expect(text).toContain(`"elasticIpId":"${stack.outputs("Eip", "n-eip-1").allocationId}"`);
      expect(text).not.toContain(`${other?.id}`);
      expect(text).toContain(`"routeTableIds":["${existing.privateRouteTableId}"]`);
    }
  });

  it("of a single machine stays the same", async () => {
    const alone = await natInstance({ ssh });
    expect(userData(alone)).toMatch(/^#cloud-config\n/);
    expect(userData(alone)).not.toContain("egress-bench-ha");
    expect(alone.aws().filter((one) => /Role|Profile|pair/.test(one))).toEqual([]);
  });
});

it("uses its owner's role, and makes none", async () => {
  const own = await pair({ iamInstanceProfile: "mine" });
  expect(own.aws().filter((one) => /Role|Profile/.test(one))).toEqual([]);
  expect(own.inputs("Instance", "n-nat-2").iamInstanceProfile).toBe("mine");
});

it.each<[Partial<NatInstanceArgs>, RegExp]>([
  [{ autoHeal: true }, /autoHeal.*does not go with highAvailability/],
  [{ maximumLifetimeDays: 30 }, /maximumLifetimeDays.*highAvailability uses none/],
  [{ publicIpCount: 2 }, /publicIpCount.*must be one with highAvailability/],
  [
    {
      publicIps: [
        { id: "eipalloc-1", address: "192.0.2.1" },
        { id: "eipalloc-2", address: "192.0.2.2" },
      ],
    },
    /publicIps.*must be one with highAvailability/,
  ],
  [
    { nat: { dataPlane: "iptables" } },
    /nat\.dataPlane: iptables does not go with highAvailability; take nft/,
  ],
  [{ nat: { portRange: { first: 2000, last: 3000 } } }, /nat\.portRange: does not go with highAvail/],
  [
    { nat: { privateIpv6Cidrs: ["2001:db8::/64"] } },
    /nat\.privateIpv6Cidrs: does not go with highAvailability; leave one/,
  ],
  [
    { nat: { forward: [{ port: 80, to: "10.0.1.5", from: ["0.0.0.0/0"] }] } },
    /nat\.forward: does not go with highAvailability; leave one/,
  ],
  [{ nat: { nat64: true } }, /nat\.nat64: does not go with highAvailability; leave one/],
  [
    { highAvailability: { advertisementMs: 10 } },
    /highAvailability\.advertisementMs: must be 50 to 10000 milliseconds; got 10/,
  ],
])("%j is refused", async (args, message) => {
  await expect(pair(args)).rejects.toThrow(message);
});
