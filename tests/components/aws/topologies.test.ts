import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { type Topology, topologyNamed } from "../../../bench/index.ts";
import type { EgressPath } from "../../../components/shared/egress.ts";
import { aws } from "../../../stacks/aws.ts";
import { known } from "../ends.ts";
import { deployMocked } from "./deploy.ts";

const machine = (name: string) => [`Instance ${name}`, `SecurityGroup ${name}-sg`];
/** A machine on an interface that outlives it. */
const onInterface = (name: string, addresses = 1) => [
  ...machine(name),
  `NetworkInterface ${name}-eni`,
  ...Array.from({ length: addresses }, (_, index) => `EipAssociation ${name}-eni-${index + 1}`),
];
const subnet = (name: string) => [`Subnet ${name}`, `RouteTableAssociation ${name}`];
const network = (name: string) => [
  `Vpc ${name}`,
  `InternetGateway ${name}-igw`,
  `Route ${name}-public-default`,
  `RouteTable ${name}-public`,
  ...subnet(`${name}-public`),
];
const server = [...network("server-network"), ...onInterface("server"), "Eip server-eip"];
/** A client in its own subnet of the clients' VPC, with its own way out. */
const privateClient = (name: string) => [
  ...network("client-network"),
  ...machine("jump"),
  ...machine(`${name}-client`),
  ...subnet(`client-network-${name}-client`),
  `RouteTable client-network-${name}-client`,
  `Route ${name}-default-client-network-${name}-client`,
];
const natMachine = (name: string, addresses = 1) => [
  ...(addresses === 1
    ? [`Instance ${name}-nat-machine`, `SecurityGroup ${name}-nat-sg`, `EipAssociation ${name}-nat-eni-1`]
    : [...onInterface(`${name}-nat-renewed`, addresses), `SecurityGroup ${name}-nat-sg`].filter(
        (resource) => !resource.endsWith("renewed-sg"),
      )),
  ...Array.from({ length: addresses }, (_, index) => `Eip ${name}-eip-${index + 1}`),
];

const expectations: readonly [
  topology: string,
  options: Record<string, unknown>,
  resources: readonly string[],
][] = [
  [
    "direct",
    {},
    [
      ...network("client-network"),
      ...onInterface("direct-client"),
      ...subnet("client-network-direct-client"),
      "Eip direct-eip",
    ],
  ],
  [
    "nat-gateway",
    {},
    [...privateClient("nat-gateway"), "NatGateway nat-gateway-nat-gateway", "Eip nat-gateway-eip-1"],
  ],
  [
    "nat-gateway",
    { availabilityMode: "regional", publicIpCount: 2 },
    [
      ...privateClient("nat-gateway"),
      "NatGateway nat-gateway-regional-nat-gateway",
      "Eip nat-gateway-regional-eip-1",
      "Eip nat-gateway-regional-eip-2",
    ],
  ],
  ["nat-instance", {}, [...privateClient("nat-instance"), ...natMachine("nat-instance")]],
  [
    "nat-instance-ha",
    {},
    [
      ...privateClient("nat-instance-ha"),
      ...onInterface("nat-instance-ha-nat-1", 2),
      ...onInterface("nat-instance-ha-nat-2", 1),
      ...["eip-1", "machine-1-eip", "machine-2-eip"].map((eip) => `Eip nat-instance-ha-${eip}`),
      "SecurityGroup nat-instance-ha-pair-sg",
      "PlacementGroup nat-instance-ha-pair-spread",
      "Role nat-instance-ha-pair-role",
      "RolePolicy nat-instance-ha-pair-policy",
      "InstanceProfile nat-instance-ha-pair-profile",
    ],
  ],
  [
    "nat-instance",
    { publicIpCount: 2 },
    [...privateClient("nat-instance"), ...natMachine("nat-instance", 2)],
  ],
  [
    "nat-instance",
    { autoHeal: true },
    [
      ...privateClient("nat-instance"),
      ...natMachine("nat-instance")
        .filter((resource) => !resource.startsWith("Instance "))
        .map((resource) => resource.replace("nat-eni", "nat-healing-eni")),
      "NetworkInterface nat-instance-nat-healing-eni",
      "Group nat-instance-nat",
      "LaunchTemplate nat-instance-nat-template",
    ],
  ],
  ["fck-nat", {}, [...privateClient("fck-nat"), ...natMachine("fck-nat")]],
  [
    "intra-vpc",
    {},
    [...onInterface("intra-vpc-client"), ...subnet("server-network-intra-vpc-client"), "Eip intra-vpc-eip"],
  ],
  [
    "vpc-peering",
    {},
    [
      ...network("vpc-peering-network"),
      ...onInterface("vpc-peering-client"),
      ...subnet("vpc-peering-network-vpc-peering-client"),
      "Eip vpc-peering-eip",
      "VpcPeeringConnection vpc-peering-peering",
      "Route vpc-peering-from-client",
      "Route vpc-peering-from-server",
    ],
  ],
];

describe("each topology has exactly these resources", () => {
  it("there is no further topology", () => {
    expect(new Set(expectations.map(([topology]) => topology))).toEqual(new Set(Object.keys(aws.topologies)));
  });

  it.each(expectations)("%s %o", async (topology, options, resources) => {
    const stack = await deployMocked([{ topology, ...options }]);
    expect(stack.aws()).toEqual([...server, ...resources].sort());
    const { jumpHost, serverSide } = topologyNamed(topology) as Topology;
    expect(stack.aws().includes("Instance jump")).toBe(jumpHost);
    const { publicIp } = stack.outputs("Eip", "server-eip");
    const { privateIp } = stack.outputs("NetworkInterface", "server-eni");
    const address = await known(stack.result.paths[0]!.serverAddress);
    expect(address).toBe(serverSide === "private" ? privateIp : publicIp);
  });
});

describe("NAT gateway", () => {
  it("with one address states that there are no others, since the provider keeps omitted ones", async () => {
    const stack = await deployMocked([{ topology: "nat-gateway" }]);
    expect(stack.inputs("NatGateway", "nat-gateway-nat-gateway").secondaryAllocationIds).toEqual([]);
  });

  it("is in the public subnet, with the first address as primary and the others secondary", async () => {
    const stack = await deployMocked([{ topology: "nat-gateway", publicIpCount: 3 }]);
    const { subnetId, allocationId, secondaryAllocationIds, availabilityMode } = stack.inputs(
      "NatGateway",
      "nat-gateway-nat-gateway",
    );
    expect(subnetId).toBe(stack.id("Subnet", "client-network-public"));
    expect(allocationId).toBe(stack.id("Eip", "nat-gateway-eip-1"));
    expect(secondaryAllocationIds).toEqual([2, 3].map((n) => stack.id("Eip", `nat-gateway-eip-${n}`)));
    expect(availabilityMode).toBeUndefined();
  });

  it("is the way out of the client's subnet only", async () => {
    const stack = await deployMocked([{ topology: "nat-gateway" }]);
    const table = stack.id("RouteTable", "client-network-nat-gateway-client");
    expect(stack.inputs("Route", "nat-gateway-default-client-network-nat-gateway-client")).toEqual({
      routeTableId: table,
      destinationCidrBlock: "0.0.0.0/0",
      natGatewayId: stack.id("NatGateway", "nat-gateway-nat-gateway"),
    });
    expect(stack.inputs("RouteTableAssociation", "client-network-public").routeTableId).not.toBe(table);
  });

  it("regional has a VPC, known addresses in the clients' zone and no subnet", async () => {
    const stack = await deployMocked([{ topology: "nat-gateway", availabilityMode: "regional" }]);
    const { tags: _, ...inputs } = stack.inputs("NatGateway", "nat-gateway-regional-nat-gateway");
    expect(inputs).toEqual({
      availabilityMode: "regional",
      vpcId: stack.id("Vpc", "client-network"),
      availabilityZoneAddresses: [
        { availabilityZone: "us-east-1a", allocationIds: [stack.id("Eip", "nat-gateway-regional-eip-1")] },
      ],
    });
  });
});

describe.each(["nat-instance", "fck-nat"])("%s", (topology) => {
  it("forwards: no source/destination check, and a route to its own interface", async () => {
    const stack = await deployMocked([{ topology }]);
    const eni = stack.outputs("Instance", `${topology}-nat-machine`).primaryNetworkInterfaceId;
    expect(stack.inputs("Instance", `${topology}-nat-machine`).sourceDestCheck).toBe(false);
    expect(stack.inputs("EipAssociation", `${topology}-nat-eni-1`).networkInterfaceId).toBe(eni);
    expect(
      stack.inputs("Route", `${topology}-default-client-network-${topology}-client`).networkInterfaceId,
    ).toBe(eni);
  });

  it("admits every protocol from the client's subnet, SSH from the operator, and nothing else, where stateful", async () => {
    const stack = await deployMocked([
      topology === "fck-nat" ? { topology } : { topology, securityGroup: "stateful" },
    ]);
    const { cidrBlock } = stack.inputs("Subnet", `client-network-${topology}-client`);
    expect(stack.inputs("SecurityGroup", `${topology}-nat-sg`).ingress).toEqual([
      { description: "SSH", protocol: "tcp", fromPort: 22, toPort: 22, cidrBlocks: ["203.0.113.7/32"] },
      { description: "to be forwarded", protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: [cidrBlock] },
    ]);
  });
});

describe("paths", () => {
  const pathOf = async (topology: string, options = {}) => {
    const stack = await deployMocked([{ topology, ...options }]);
    return { stack, path: stack.result.paths[0] as EgressPath };
  };

  it.each([
    ["direct", {}, ["direct-eip"]],
    ["nat-gateway", { publicIpCount: 2 }, ["nat-gateway-eip-1", "nat-gateway-eip-2"]],
    ["nat-instance", {}, ["nat-instance-eip-1"]],
    ["fck-nat", {}, ["fck-nat-eip-1"]],
  ])("%s %o is proved by its public addresses", async (topology, options, eips) => {
    const { stack, path } = await pathOf(topology, options);
    expect(await known(path.expectedSourceIps)).toEqual(
      eips.map((eip) => stack.outputs("Eip", eip).publicIp),
    );
    expect(await known(path.serverAddress)).toBe(stack.outputs("Eip", "server-eip").publicIp);
  });

  it.each(["intra-vpc", "vpc-peering"])(
    "%s goes from private address to private address",
    async (topology) => {
      const { stack, path } = await pathOf(topology);
      const clientAddresses = stack.inputs("NetworkInterface", `${topology}-client-eni`).privateIps;
      expect(await known(path.expectedSourceIps)).toEqual(clientAddresses);
      expect(await known(path.serverAddress)).toBe(stack.outputs("NetworkInterface", "server-eni").privateIp);
    },
  );

  it("observe the NAT machine by default", async () => {
    const observed = async (...args: Parameters<typeof pathOf>) =>
      (await pathOf(...args)).path.observed.map(({ name }) => name);
    expect(await observed("nat-instance")).toEqual(["nat-instance-nat", "jump"]);
    expect(await observed("fck-nat")).toEqual(["fck-nat-nat", "jump"]);
    expect(await observed("fck-nat", { observed: false })).toEqual(["jump"]);
  });

  it("report each host's size, region and zone", async () => {
    const { stack, path } = await pathOf("nat-gateway");
    const { availabilityZone } = stack.inputs("Subnet", "client-network-nat-gateway-client");
    const { size, region, zone } = path.client;
    expect(availabilityZone).toMatch(/^\w+-\w+-\d\w$/);
    const reported = await known(pulumi.all([size, region, zone]));
    const { instanceType } = stack.inputs("Instance", "nat-gateway-client");
    expect(reported).toEqual([instanceType, "us-east-1", availabilityZone]);
  });

  it("are in the first zone that offers all instance types", async () => {
    const zoneOf = async (settings: object) => {
      const stack = await deployMocked([{ topology: "direct" }], { settings: { ...settings } });
      return stack.inputs("Subnet", "server-network-public").availabilityZone;
    };
    expect(await zoneOf({})).toBe("us-east-1a");
    // us-east-1a lacks it.
    expect(await zoneOf({ clientInstanceType: "c7i.8xlarge" })).toBe("us-east-1b");
    expect(await zoneOf({ zone: "us-east-1b" })).toBe("us-east-1b");
  });

  it("have clients and servers in a placement group on request, with T types refused", async () => {
    const settings = { placementGroup: true };
    const stack = await deployMocked([{ topology: "intra-vpc" }], { settings });
    expect(stack.inputs("PlacementGroup", "placement").strategy).toBe("cluster");
    const name = stack.outputs("PlacementGroup", "placement").name;
    for (const machine of ["intra-vpc-client", "server"]) {
      expect(stack.inputs("Instance", machine).placementGroup).toBe(name);
    }
    await expect(
      deployMocked([{ topology: "intra-vpc" }], {
        settings: { ...settings, serverInstanceType: "t4g.small" },
      }),
    ).rejects.toThrow(
      /egress-bench:aws\.placementGroup: EC2 starts no t4g\.small in a cluster placement group/,
    );
  });

  it("of peered VPCs have a route each way", async () => {
    const { stack } = await pathOf("vpc-peering");
    const [client, server] = ["vpc-peering-network", "server-network"].map((name) =>
      stack.inputs("Vpc", name),
    );
    expect(stack.inputs("Route", "vpc-peering-from-client").destinationCidrBlock).toBe(server.cidrBlock);
    expect(stack.inputs("Route", "vpc-peering-from-server").destinationCidrBlock).toBe(client.cidrBlock);
    // A peering that is not accepted is pending, and carries no packet.
    expect(stack.inputs("VpcPeeringConnection", "vpc-peering-peering").autoAccept).toBe(true);
  });
});
