/**
 * Arguments that break a rule of AWS are refused when the component is made, with the argument's name and the remedy.
 * Refusals that need AWS's answers (an image's architecture): tests/engine/aws/refusals.test.ts.
 */
import { describe, expect, it } from "vitest";
import {
  BenchPair,
  type BenchPairArgs,
  NatGatewayEgress,
  type NatGatewayEgressArgs,
  NatInstance,
  type NatInstanceArgs,
  Network,
  type PeeringEndArgs,
  VpcPeering,
} from "../../../components/aws/index.ts";
import { aws } from "../../../stacks/aws.ts";
import { check, readTopologies } from "../../../stacks/config.ts";
import { imageId } from "../../helpers/aws-standin/fake-functions.ts";
import { existing, mocked } from "../../helpers/aws-standin/mocks.ts";
import { place as natPlace, ssh } from "../../helpers/aws-standin/nat.ts";
import { deployMocked } from "./deploy.ts";

const place = { ...natPlace, ssh };

const refusal = (program: () => unknown) => expect(mocked(program).then(() => "nothing")).rejects;

describe("NAT instance", () => {
  const arm = imageId("ubuntu", "arm64", 1);

  it.each<[string, Partial<NatInstanceArgs>, RegExp]>([
    [
      "no private route table",
      { privateRouteTableIds: [] },
      /privateRouteTableIds: is empty, so no subnet would use it; name the route tables/,
    ],
    ["no private block", { privateCidrs: [] }, /privateCidrs: is empty.*name the clients' subnets/],
    ["an invalid block", { privateCidrs: ["10.0.1.7/24"] }, /privateCidrs\[0\]: .*write 10\.0\.1\.0\/24/],
    ["everybody", { privateCidrs: ["0.0.0.0/0"] }, /privateCidrs: 0\.0\.0\.0\/0 would make an open NAT/],
    [
      "everybody in halves",
      { privateCidrs: ["0.0.0.0/1", "128.0.0.0/1"] },
      /privateCidrs: 0\.0\.0\.0\/1, 128\.0\.0\.0\/1 would make an open NAT/,
    ],
    ["no address", { publicIpCount: 0 }, /publicIpCount: must be a whole number from 1 to 50; got 0/],
  ])("with %s", async (_, args, message) => {
    await refusal(() => new NatInstance("nat", { ...place, ...args })).toThrow(message);
  });

  it("with a name that EC2 keeps for itself", async () => {
    await refusal(() => new NatInstance("sg-nat", place)).toThrow(/name: "sg-nat-nat-sg".*choose another/);
  });

  it("goes into an existing VPC, by ids only", async () => {
    const { result, aws: resources } = await mocked(() => new NatInstance("nat", { ...place, image: arm }));
    expect(result.topology).toBe("nat-instance");
    expect(resources()).toEqual([
      "Eip nat-eip-1",
      "EipAssociation nat-nat-eni-1",
      "Instance nat-nat-machine",
      "Route nat-default-rtb-23456789",
      "SecurityGroup nat-nat-sg",
    ]);
  });
});

describe("NAT gateway", () => {
  const ips = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `eipalloc-${at + 1}`, address: "52.0.0.1" }));
  const { privateRouteTableIds, subnetId, vpcId } = place;

  const zonal = (more: object) => ({ subnetId, ...more });
  const regional = (more: object) => ({ availabilityMode: "regional" as const, ...more });
  const inVpc = (more: object) => regional({ vpcId, ...more });
  const whole = "must be a whole number from 1 to";
  const twice = { "us-east-1a": ips(1), "us-east-1b": ips(1) };
  const inZones =
    'zones["us-east-1b"][0]: is also the address of zones["us-east-1a"][0]; give each address once';
  const names = ["", "us-east-1", "use1-az1", " us-east-1a", "US-EAST-1A"];
  const misnamed = names.flatMap((zone) => [{ zone }, { zones: { [zone]: 1 } }]);
  it.each<[Partial<NatGatewayEgressArgs>, string | RegExp]>([
    [{}, "subnetId: a zonal NAT gateway needs a public subnet"],
    [zonal({ privateRouteTableIds: [] }), "privateRouteTableIds: is empty"],
    [zonal({ publicIpCount: 9 }), `publicIpCount: a zonal NAT gateway has at most 8 addresses; got 9`],
    [zonal({ publicIps: ips(9) }), "publicIps: a zonal NAT gateway has at most 8 addresses; got 9"],
    [
      zonal({ publicIpCount: 1, publicIps: ips(1) }),
      "publicIps: publicIpCount and publicIps exclude each other",
    ],
    [zonal({ zone: "us-east-1a" }), "zone: a zonal NAT gateway is in its subnet's zone; leave zone out"],
    [
      inVpc({ subnetId }),
      "subnetId: a regional NAT gateway has no subnet; leave subnetId out and give vpcId",
    ],
    [regional({}), "vpcId: a regional NAT gateway belongs to a VPC"],
    [
      inVpc({ publicIpCount: 2 }),
      /publicIpCount: without zone, AWS chooses.*give zone or leave publicIpCount out/,
    ],
    [inVpc({ zones: { "us-east-1a": 33 } }), `zones.us-east-1a: ${whole} 32; got 33`],
    [inVpc({ zones: {} }), "zones: is empty, so no client could go out"],
    [
      inVpc({ zones: { "us-east-1a": 1 }, publicIpCount: 2 }),
      "publicIpCount: zones gives each zone's addresses; leave publicIpCount out",
    ],
    ...misnamed.map((args): [Partial<NatGatewayEgressArgs>, RegExp] => [
      inVpc(args),
      /^zones?: expected an availability zone's name, such as us-east-1a; got "/,
    ]),
    [inVpc({ zones: twice }), inZones],
    [zonal({ publicIps: [...ips(1), ...ips(1)] }), "publicIps[1]: is also the address of publicIps[0]"],
    [zonal({ zones: { "us-east-1a": 1 } }), "zones: a zonal NAT gateway is in its"],
  ])("with %j", async (args, message) => {
    await refusal(() => new NatGatewayEgress("nat", { privateRouteTableIds, ...args })).toThrow(message);
  });

  it("regional has its own addresses in each zone, new or given ones, more than a zonal one", async () => {
    const zones = { "us-east-1a": 9, "us-east-1b": ips(1) };
    const { inputs, id } = await mocked(
      () => new NatGatewayEgress("nat", { privateRouteTableIds, vpcId, availabilityMode: "regional", zones }),
    );
    const made = Array.from({ length: 9 }, (_, at) => id("Eip", `nat-regional-us-east-1a-eip-${at + 1}`));
    expect(inputs("NatGateway", "nat-regional-nat-gateway").availabilityZoneAddresses).toEqual([
      { availabilityZone: "us-east-1a", allocationIds: made },
      { availabilityZone: "us-east-1b", allocationIds: ["eipalloc-1"] },
    ]);
  });

  it("regional without a zone takes the addresses that AWS chooses", async () => {
    const { inputs, result } = await mocked(
      () => new NatGatewayEgress("nat", { privateRouteTableIds, vpcId, availabilityMode: "regional" }),
    );
    expect(inputs("NatGateway", "nat-automatic-nat-gateway")).not.toHaveProperty("availabilityZoneAddresses");
    expect(result.expectedSourceIps).toBeDefined();
  });
});

describe("networks", () => {
  const add =
    (vpc: string, ...subnets: string[]) =>
    () => {
      const network = new Network("net", { cidr: vpc, zone: "us-east-1a" });
      subnets.forEach((cidr, index) => {
        network.privateSubnet(`subnet-${index}`, cidr);
      });
    };

  it.each<[string, () => void, RegExp]>([
    ["too large", add("10.0.0.0/8"), /cidr: 10\.0\.0\.0\/8 is a \/8; AWS takes \/16 to \/28/],
    ["too small a subnet", add("10.0.0.0/16", "10.0.0.0/29"), /cidr: 10\.0\.0\.0\/29 is a \/29; AWS takes/],
    [
      "a subnet outside",
      add("10.0.0.0/16", "10.1.0.0/24"),
      /cidr: subnet 10\.1\.0\.0\/24 is not inside the VPC's 10\.0\.0\.0\/16/,
    ],
    [
      "overlapping subnets",
      add("10.0.0.0/16", "10.0.0.0/24", "10.0.0.128/25"),
      /cidr: subnet 10\.0\.0\.128\/25 overlaps 10\.0\.0\.0\/24 of subnet "subnet-0"; choose another block/,
    ],
  ])("%s", async (_, program, message) => {
    await refusal(program).toThrow(message);
  });

  it("that overlap are refused", async () => {
    const end = (cidr: string): PeeringEndArgs => ({ vpcId: "vpc-1", routeTableId: "rtb-1", cidr });
    const ends = { client: end("10.0.0.0/16"), server: end("10.0.128.0/24") };
    await refusal(() => new VpcPeering("peering", { clientAddress: "10.0.0.4", ...ends })).toThrow(
      /client\.cidr: 10\.0\.0\.0\/16 overlaps server\.cidr 10\.0\.128\.0\/24.*choose another block/,
    );
  });
});

describe("a pair", () => {
  const pair = (jump: BenchPairArgs["jump"]) => () => {
    const egress = new NatInstance("nat", place);
    const { vpcId, subnetId } = place;
    const server = { vpcId, subnetId, instanceType: "m7g.xlarge" };
    const client = { instanceType: "c7g.8xlarge" };
    return new BenchPair("pair", {
      egress,
      vpcId,
      clientSubnetId: existing.privateSubnetId,
      client,
      server,
      jump,
      ssh,
    });
  };

  it("with a private client needs a jump host", async () => {
    await refusal(pair(undefined)).toThrow(
      /jump: this client has no public address.*give a jump host of its VPC, or a public subnet for one/,
    );
  });

  it("passes on its egress's limits of one connection", async () => {
    const connectionLimits = { bitsPerSecond: 1e9, packetsPerSecond: 1e5 };
    const paths: (typeof connectionLimits | undefined)[] = [];
    await mocked(() => {
      const egress = Object.assign(new NatInstance("nat", place), { connectionLimits });
      const rest = { vpcId: place.vpcId, clientSubnetId: existing.privateSubnetId, ssh };
      const types = { client: { instanceType: "c7g.8xlarge" }, jump: { subnetId: place.subnetId } };
      const server = { vpcId: place.vpcId, subnetId: place.subnetId, instanceType: "m7g.xlarge" };
      paths.push(new BenchPair("pair", { egress, ...rest, ...types, server }).path.connectionLimits);
    });
    expect(paths).toEqual([connectionLimits]);
  });

  it("makes its own in an existing VPC", async () => {
    const { aws: resources, inputs } = await mocked(pair({ subnetId: place.subnetId }));
    expect(resources().filter((one) => one.startsWith("Instance "))).toEqual([
      "Instance nat-nat-machine",
      "Instance pair-client",
      "Instance pair-jump",
      "Instance pair-server",
    ]);
    expect(inputs("Instance", "pair-jump").associatePublicIpAddress).toBe(true);
  });
});

describe("stacks", () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ["unknown option", { topology: "nat-gateway", idleTimeoutMinutes: 5 }, /idleTimeoutMinutes/],
    ["mode", { topology: "nat-gateway", availabilityMode: "zone" }, /availabilityMode.*got "zone"/s],
    ["data plane", { topology: "nat-instance", dataPlane: "vpp" }, /dataPlane.*got "vpp"/s],
  ])("refuse an option: %s", (_, entry, message) => {
    expect(() => readTopologies({ topologies: [entry], cloud: "aws" } as never, aws)).toThrow(message);
  });

  it("refuse an unknown setting, and invalid values", () => {
    const settings = { clientSize: "c7g.8xlarge", zone: "us-east-1", image: "ubuntu" };
    expect(() => check(aws.settings, settings, "egress-bench:aws")).toThrow(
      /egress-bench:aws:zone: .*us-east-1a.*egress-bench:aws:image: .*ami-.*clientSize/s,
    );
  });

  it("refuse SSH from anywhere unless allowed", async () => {
    const open = { allowedCidrs: ["0.0.0.0/0"] };
    await expect(deployMocked([{ topology: "direct" }], open)).rejects.toThrow(
      /ssh:allowedCidrs: 0\.0\.0\.0\/0 opens SSH to the whole internet.*ssh:allowAnywhere/,
    );
    const stack = await deployMocked([{ topology: "direct" }], { ...open, allowAnywhere: true });
    expect(stack.inputs("SecurityGroup", "server-sg").ingress[0].cidrBlocks).toEqual(["0.0.0.0/0"]);
  });

  it("refuse an address space that is too small for their networks", async () => {
    await expect(
      deployMocked([{ topology: "direct" }], { settings: { addressSpace: "10.0.0.0/18" } }),
    ).rejects.toThrow(
      /egress-bench:aws\.addressSpace: 10\.0\.0\.0\/18 splits into 1 subnets.*VPCs take a \/18/,
    );
  });
});
