/** The AWS SDK's functions, answered by the fake EC2. */
import type { Properties, Value } from "../../../tools/command-standin/shared/envelopes.ts";
import type { FakeEc2 } from "./fake-ec2.ts";

type Answer = (ec2: FakeEc2, args: Properties) => Properties;

/** Architecture of an image: the fake's ids encode architecture, publisher and release. */
export function imageArchitecture(ami: string): "arm64" | "x86_64" {
  // An image that EC2 looks up for a launch template has it in its name.
  return ami.startsWith("ami-0a") || ami.includes("/arm64/") ? "arm64" : "x86_64";
}

interface InstanceType {
  readonly architecture: "arm64" | "x86_64";
  readonly addresses: number;
  /** Sustained and peak network rate in Gbit/s. */
  readonly gigabits: readonly [baseline: number, peak: number];
}

/** The used instance types with EC2's facts. Source: docs.aws.amazon.com, EC2 instance types. */
const instanceTypes: Readonly<Record<string, InstanceType>> = {
  "t4g.nano": { architecture: "arm64", addresses: 2, gigabits: [0.032, 5] },
  "t4g.micro": { architecture: "arm64", addresses: 2, gigabits: [0.064, 5] },
  "t4g.small": { architecture: "arm64", addresses: 4, gigabits: [0.128, 5] },
  // EC2 gives no rate for T2.
  "t2.nano": { architecture: "x86_64", addresses: 2, gigabits: [0, 0] },
  "t2.micro": { architecture: "x86_64", addresses: 2, gigabits: [0, 0] },
  "t2.small": { architecture: "x86_64", addresses: 4, gigabits: [0, 0] },
  "t3.micro": { architecture: "x86_64", addresses: 2, gigabits: [0.064, 5] },
  "m7g.xlarge": { architecture: "arm64", addresses: 15, gigabits: [1.876, 12.5] },
  "c7g.medium": { architecture: "arm64", addresses: 4, gigabits: [0.52, 12.5] },
  "c7g.8xlarge": { architecture: "arm64", addresses: 30, gigabits: [15, 15] },
  "c7i.8xlarge": { architecture: "x86_64", addresses: 30, gigabits: [12.5, 12.5] },
};

export function typeArchitecture(type: string): "arm64" | "x86_64" {
  return known(type).architecture;
}

function known(type: string) {
  const facts = instanceTypes[type];
  if (facts === undefined) {
    throw new Error(`InvalidInstanceType: The following supplied instance types do not exist: [${type}]`);
  }
  return facts;
}

/** Zones that offer a type; us-east-1a lacks some. */
function zonesOffering(type: string): string[] {
  if (!/\.(nano|micro|small|medium|large|\d*xlarge)$/.test(type)) {
    return [];
  }
  return type.startsWith("c7i.") ? ["us-east-1b"] : ["us-east-1a", "us-east-1b"];
}

const publishers = { ubuntu: "1", "fck-nat": "2" } as const;

export function imageId(publisher: keyof typeof publishers, architecture: string, release: number): string {
  return `ami-0${architecture === "arm64" ? "a" : "b"}${publishers[publisher]}${String(release).padStart(14, "0")}`;
}

const functions: Readonly<Record<string, Answer>> = {
  "aws:index/getPartition:getPartition": ({ state: { partition = "aws" } }) => ({
    partition,
    dnsSuffix: partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com",
  }),
  "aws:index/getAvailabilityZones:getAvailabilityZones": () => ({ names: ["us-east-1a", "us-east-1b"] }),
  "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": (_, args) => {
    const types = (args.filters as Properties[])[0]?.values as string[];
    const found = types.flatMap((type) => zonesOffering(type).map((zone) => ({ type, zone })));
    return { instanceTypes: found.map(({ type }) => type), locations: found.map(({ zone }) => zone) };
  },
  // Quotas of a new account.
  "aws:servicequotas/getServiceQuota:getServiceQuota": (_, { quotaCode }) => ({
    quotaCode: quotaCode as Value,
    value: 5,
  }),
  "aws:ssm/getParameter:getParameter": (ec2, { name }) => {
    const [, architecture] =
      /^\/aws\/service\/canonical\/ubuntu\/server\/24\.04\/stable\/current\/(amd64|arm64)\/hvm\/ebs-gp3\/ami-id$/.exec(
        String(name),
      ) ?? [];
    if (architecture === undefined) {
      throw new Error(`SSM has no public parameter ${String(name)}`);
    }
    return { name: name as Value, value: imageId("ubuntu", architecture, ec2.state.imageRelease) };
  },
  "aws:ec2/getAmi:getAmi": (ec2, args) => {
    const id = String(filter(args, "image-id") ?? publishedImage(ec2, args));
    return { id, architecture: imageArchitecture(id), rootDeviceName: "/dev/xvda" };
  },
  "aws:ec2/getInstanceType:getInstanceType": (_, { instanceType }) => {
    const { addresses, gigabits } = known(String(instanceType));
    return {
      instanceType: instanceType as Value,
      maximumIpv4AddressesPerInterface: addresses,
      networkCards: [{ index: 0, baselineBandwidth: gigabits[0], peakBandwidth: gigabits[1] }],
    };
  },
  "aws:ec2/getEips:getEips": (ec2, args) => {
    const interfaceId = filter(args, "network-interface-id");
    const there = ec2.all("EipAssociation").filter(({ inputs }) => inputs.networkInterfaceId === interfaceId);
    return { allocationIds: there.map(({ inputs }) => inputs.allocationId as Value) };
  },
  "aws:ec2/getElasticIp:getElasticIp": (ec2, { id }) => {
    const now = ec2.all("EipAssociation").find(({ inputs }) => inputs.allocationId === id)?.inputs;
    const { networkInterfaceId = "", privateIpAddress } = now ?? {};
    const primary = now === undefined ? "" : (ec2.get(networkInterfaceId).outputs.privateIp as string);
    return { id: id as Value, networkInterfaceId, privateIp: privateIpAddress ?? primary };
  },
  "aws:ec2/getInstance:getInstance": (ec2, { instanceId }) => {
    const { rootBlockDevice = {} } = ec2.get(instanceId).inputs;
    return { rootBlockDevices: [rootBlockDevice] };
  },
  "aws:ec2/getSubnet:getSubnet": (ec2, { id }) => ec2.get(id).outputs,
  "aws:ec2/getNatGateway:getNatGateway": (ec2, { id }) => {
    const { outputs, inputs } = ec2.get(id);
    const { vpcId = null } = inputs.subnetId === undefined ? inputs : ec2.get(inputs.subnetId).inputs;
    const zones = (inputs.availabilityZoneAddresses ?? []) as Properties[];
    const regionalNatGatewayAddresses = zones.flatMap(({ availabilityZone = null, allocationIds }) =>
      ((allocationIds ?? []) as string[]).map((allocationId) => ({ allocationId, availabilityZone })),
    );
    const shown = { ...outputs, ...(zones.length === 0 ? {} : { regionalNatGatewayAddresses }) };
    return { state: "available", connectivityType: "public", vpcId, ...shown };
  },
  "aws:ec2/getNetworkInterface:getNetworkInterface": (ec2, { id }) => {
    const holder = ec2.holderOf(id as Value);
    return { attachments: holder === undefined ? [] : [{ instanceId: `i-of-${holder.id}` }] };
  },
  "aws:ec2/getSubnets:getSubnets": (ec2, args) => ({ ids: idsOf(ec2, "Subnet", filter(args, "vpc-id")) }),
  "aws:ec2/getRouteTables:getRouteTables": (ec2, { vpcId }) => ({ ids: idsOf(ec2, "RouteTable", vpcId) }),
  "aws:ec2/getRouteTable:getRouteTable": (ec2, { subnetId, routeTableId = tableOf(ec2, subnetId) }) => ({
    routeTableId,
    associations: ec2
      .all("RouteTableAssociation")
      .filter(({ inputs }) => inputs.routeTableId === routeTableId)
      .map(({ inputs }) => ({ subnetId: inputs.subnetId ?? "", main: false })),
    routes: ec2
      .all("Route")
      .filter(({ inputs }) => inputs.routeTableId === routeTableId)
      .map(({ inputs }) => ({
        cidrBlock: inputs.destinationCidrBlock as Value,
        gatewayId: inputs.gatewayId ?? "",
        natGatewayId: inputs.natGatewayId ?? "",
        networkInterfaceId: inputs.networkInterfaceId ?? "",
      })),
  }),
};

const tableOf = (ec2: FakeEc2, subnetId: unknown) =>
  ec2.all("RouteTableAssociation").find(({ inputs }) => inputs.subnetId === subnetId)?.inputs.routeTableId ??
  null;

function idsOf(ec2: FakeEc2, kind: string, vpcId: Value | undefined): string[] {
  return ec2.all(kind).flatMap(({ id, inputs }) => (inputs.vpcId === vpcId ? [id] : []));
}

function publishedImage(ec2: FakeEc2, args: Properties): string {
  const name = String(filter(args, "name"));
  const [, architecture] = /^fck-nat-al2023-hvm-.*-(arm64|x86_64)-ebs$/.exec(name) ?? [];
  if (String(args.owners) !== "568608671756" || architecture !== filter(args, "architecture")) {
    throw new Error(`Nobody published ${name}`);
  }
  return imageId("fck-nat", String(architecture), ec2.state.imageRelease);
}

function filter({ filters }: Properties, name: string): Value | undefined {
  const found = (filters as Properties[]).find((one) => one.name === name);
  return (found?.values as Value[] | undefined)?.[0];
}

export function callFunction(ec2: FakeEc2, token: string, args: Properties): Properties {
  const answer = functions[token];
  if (answer === undefined) {
    throw new Error(`${token}: the stand-in has no such function`);
  }
  return answer(ec2, args);
}
