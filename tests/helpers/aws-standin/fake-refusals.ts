/** Refusals of EC2, and of mistakes that EC2 accepts. */
import { cidrContains, cidrsOverlap } from "../../../components/shared/cidr.ts";
import type { Properties, Value } from "../../../tools/command-standin/shared/envelopes.ts";
import type { Ec2Resource, FakeEc2 } from "./fake-ec2.ts";
import { imageArchitecture, typeArchitecture } from "./fake-functions.ts";
import { interfaceOf, templateOf } from "./fake-machines.ts";

export function problemsOf(ec2: FakeEc2, kind: string, inputs: Properties): string[] {
  switch (kind) {
    case "Subnet":
      return subnetProblems(ec2, inputs);
    case "SecurityGroup":
      return securityGroupProblems(inputs);
    case "RouteTableAssociation":
      return taken(ec2, "RouteTableAssociation", "subnetId", inputs.subnetId);
    case "Route":
      return routeProblems(ec2, inputs);
    case "EipAssociation":
      return associationProblems(ec2, inputs);
    case "NatGateway":
      return [...natGatewayProblems(ec2, inputs), ...heldProblems(ec2, inputs)];
    case "VpcPeeringConnection":
      return peeringProblems(ec2, inputs);
    case "Instance":
      return instanceProblems(ec2, inputs);
    case "LaunchTemplate":
      // Without a type the group decides it.
      return inputs.instanceType === undefined
        ? []
        : architectureProblems(inputs.imageId, inputs.instanceType);
    case "Group":
      return groupProblems(ec2, inputs);
    case "Association":
      return associationTargetProblems(ec2, inputs);
    default:
      return [];
  }
}

/**
 * Why a deployed resource cannot change to these inputs.
 *
 * Sources: docs.aws.amazon.com/AWSEC2/latest/UserGuide/stop-spot-instances.html, docs.aws.amazon.com/ebs/latest/userguide/modify-volume-requirements.html,
 * docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachInternetGateway.html
 */
export function changeProblems(ec2: FakeEc2, kind: string, before: Properties, inputs: Properties): string[] {
  if (kind === "InternetGateway") {
    const mapped = before.vpcId === inputs.vpcId ? [] : mappedAddresses(ec2, before.vpcId ?? null);
    return mapped.map(
      ({ id }) => `DependencyViolation: ${String(before.vpcId)} has the public address of ${id}`,
    );
  }
  if (kind === "NatGateway") {
    return movedProblems(before, inputs);
  }
  if (kind !== "Instance") {
    return [];
  }
  const sizeOf = ({ rootBlockDevice }: Properties) =>
    Number((rootBlockDevice as Properties | undefined)?.volumeSize ?? 0);
  return [
    ...(before.instanceMarketOptions !== undefined && before.instanceType !== inputs.instanceType
      ? ["UnsupportedOperation: a one-time spot instance cannot be stopped for another type"]
      : []),
    ...(0 < sizeOf(inputs) && sizeOf(inputs) < sizeOf(before) ? ["a volume's size cannot become less"] : []),
  ];
}

/**
 * A regional gateway's addresses that change their zone: the provider associates before it disassociates.
 * Source: resourceNATGatewayUpdate of terraform-provider-aws, internal/service/ec2/vpc_nat_gateway.go
 */
function movedProblems(before: Properties, inputs: Properties): string[] {
  const zonesOf = ({ availabilityZoneAddresses }: Properties) =>
    ((availabilityZoneAddresses ?? []) as Properties[]).flatMap(({ availabilityZone, allocationIds }) =>
      ((allocationIds ?? []) as string[]).map((id) => [id, availabilityZone] as const),
    );
  const former = new Map(zonesOf(before));
  return zonesOf(inputs)
    .filter(([id, zone]) => former.has(id) && former.get(id) !== zone)
    .map(([id, zone]) => `Resource.AlreadyAssociated: ${id}, for ${String(zone)}`);
}

/** Resources with a public address in a VPC, which keep its gateway from being detached. */
export function mappedAddresses(ec2: FakeEc2, vpcId: Value): Ec2Resource[] {
  const inVpc = (subnetId: Value | undefined) => ec2.get(subnetId).inputs.vpcId === vpcId;
  return [
    ...ec2
      .all("EipAssociation")
      .filter(({ inputs }) => inVpc(ec2.get(inputs.networkInterfaceId).inputs.subnetId)),
    ...ec2
      .all("NatGateway")
      .filter(({ inputs }) =>
        inputs.subnetId === undefined ? inputs.vpcId === vpcId : inVpc(inputs.subnetId),
      ),
    ...ec2
      .all("Instance")
      .filter(({ inputs }) => inputs.associatePublicIpAddress === true && inVpc(inputs.subnetId)),
  ];
}

const MAX_RULES = 60;

function securityGroupProblems({ name, ingress = [] }: Properties): string[] {
  const sources = (ingress as Properties[]).flatMap(({ cidrBlocks = [] }) => cidrBlocks as string[]);
  return [
    ...(String(name).startsWith("sg-") ? [`name ${String(name)} starts with sg-`] : []),
    // Each source of a rule counts as one. Source: docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html
    ...(sources.length > MAX_RULES ? [`${sources.length} rules are more than ${MAX_RULES}`] : []),
  ];
}

function taken(ec2: FakeEc2, kind: string, input: string, value: Value | undefined): string[] {
  return ec2
    .all(kind)
    .filter((other) => other.inputs[input] === value)
    .map((other) => `${input} ${String(value)} is taken by ${other.id}`);
}

function subnetProblems(ec2: FakeEc2, { vpcId, cidrBlock }: Properties): string[] {
  const vpc = String(ec2.get(vpcId).inputs.cidrBlock);
  const siblings = ec2.all("Subnet").filter((other) => other.inputs.vpcId === vpcId);
  return [
    ...(cidrContains(vpc, String(cidrBlock)) ? [] : [`${String(cidrBlock)} is not in the VPC's ${vpc}`]),
    ...siblings
      .filter((other) => cidrsOverlap(String(other.inputs.cidrBlock), String(cidrBlock)))
      .map((other) => `${String(cidrBlock)} overlaps ${other.id}`),
  ];
}

function routeProblems(
  ec2: FakeEc2,
  { routeTableId, destinationCidrBlock, networkInterfaceId }: Properties,
): string[] {
  const same = ec2
    .all("Route")
    .filter(
      ({ inputs }) =>
        inputs.routeTableId === routeTableId && inputs.destinationCidrBlock === destinationCidrBlock,
    );
  const checking =
    networkInterfaceId !== undefined && ec2.get(networkInterfaceId).inputs.sourceDestCheck !== false;
  return [
    ...same.map((other) => `${String(destinationCidrBlock)} is routed already by ${other.id}`),
    ...(checking
      ? [`${String(networkInterfaceId)} checks source and destination, and would drop it all`]
      : []),
  ];
}

function associationProblems(ec2: FakeEc2, inputs: Properties): string[] {
  const { allocationId, networkInterfaceId, privateIpAddress, allowReassociation } = inputs;
  const eni = ec2.get(networkInterfaceId);
  const vpcId = ec2.get(eni.inputs.subnetId).inputs.vpcId as Value;
  const held = eni.outputs.privateIps as Value[];
  return [
    // An association never takes an address from a NAT gateway.
    ...holdersOf(ec2, allocationId).map((id) => `${String(allocationId)} is held by ${id}`),
    ...(allowReassociation === true ? [] : taken(ec2, "EipAssociation", "allocationId", allocationId)),
    ...(privateIpAddress === undefined || held.includes(privateIpAddress)
      ? []
      : [`${String(networkInterfaceId)} has no private address ${String(privateIpAddress)}`]),
    ...(hasGateway(ec2, vpcId) ? [] : [`${String(vpcId)} has no internet gateway`]),
  ];
}

function allocationsOf({
  allocationId,
  secondaryAllocationIds,
  availabilityZoneAddresses,
}: Properties): Value[] {
  const zones = (availabilityZoneAddresses ?? []) as Properties[];
  const ids = [allocationId, secondaryAllocationIds, zones.map(({ allocationIds }) => allocationIds ?? [])];
  return (ids as Value[]).flat(2).filter((id) => id !== undefined && id !== null) as Value[];
}

function holdersOf(ec2: FakeEc2, allocationId: Value | undefined): string[] {
  const gateways = ec2.all("NatGateway");
  return gateways
    .filter(({ inputs }) => allocationsOf(inputs).includes(allocationId as Value))
    .map(({ id }) => id);
}

/** An Elastic IP is in one NAT gateway, or associated with one interface, at a time. */
function heldProblems(ec2: FakeEc2, inputs: Properties): string[] {
  return allocationsOf(inputs).flatMap((allocation) => [
    ...holdersOf(ec2, allocation).map((id) => `${String(allocation)} is held by ${id}`),
    ...taken(ec2, "EipAssociation", "allocationId", allocation),
  ]);
}

function hasGateway(ec2: FakeEc2, vpcId: Value): boolean {
  return ec2.all("InternetGateway").some(({ inputs }) => inputs.vpcId === vpcId);
}

function natGatewayProblems(ec2: FakeEc2, { subnetId, vpcId }: Properties): string[] {
  if (subnetId === undefined) {
    return hasGateway(ec2, vpcId as Value) ? [] : [`${String(vpcId)} has no internet gateway`];
  }
  return ec2.defaultRoute(subnetId)?.gatewayId === undefined ? [`${String(subnetId)} is not public`] : [];
}

function peeringProblems(ec2: FakeEc2, { vpcId, peerVpcId }: Properties): string[] {
  const [one, other] = [vpcId, peerVpcId].map((id) => String(ec2.get(id).inputs.cidrBlock)) as [
    string,
    string,
  ];
  return cidrsOverlap(one, other) ? [`${one} overlaps ${other}`] : [];
}

function instanceProblems(ec2: FakeEc2, inputs: Properties): string[] {
  const own = (inputs.primaryNetworkInterface as Properties | undefined)?.networkInterfaceId;
  const group = inputs.placementGroup;
  return [
    // A T type cannot join a cluster placement group.
    ...(group !== undefined && !isSpread(ec2, group) && /^t\d/.test(String(inputs.instanceType))
      ? [`${String(group)} takes no T type`]
      : []),
    ...architectureProblems(inputs.ami, inputs.instanceType),
    ...(own === undefined
      ? wayOutProblems(
          ec2,
          inputs.subnetId,
          inputs.associatePublicIpAddress === true || inputs.sourceDestCheck === false,
        )
      : interfaceProblems(ec2, own)),
  ];
}

function isSpread(ec2: FakeEc2, group: Value): boolean {
  return ec2
    .all("PlacementGroup")
    .some(({ inputs }) => inputs.name === group && inputs.strategy === "spread");
}

function groupProblems(ec2: FakeEc2, inputs: Properties): string[] {
  const { availabilityZones, maxSize, maxInstanceLifetime, instanceMaintenancePolicy } = inputs;
  const template = templateOf(ec2, inputs);
  const first = (instanceMaintenancePolicy as Properties | undefined)?.minHealthyPercentage;
  const mixed = (inputs.mixedInstancesPolicy as Properties | undefined)?.launchTemplate as
    | Properties
    | undefined;
  const types = ((mixed?.overrides ?? []) as Properties[]).map(({ instanceType }) => instanceType);
  const own = interfaceOf(template);
  const zone = ec2.get(ec2.get(own).inputs.subnetId).inputs.availabilityZone as Value;
  return [
    ...types.flatMap((type) => architectureProblems(template.imageId, type)),
    // Otherwise the new machine launches first, while the interface is in the old one.
    ...(maxInstanceLifetime !== undefined && first !== 0 ? ["it ends no old machine before a new one"] : []),
    ...(maxSize === 1 ? [] : ["an interface is in one machine at a time, but maxSize is not 1"]),
    ...((availabilityZones as Value[]).includes(zone) ? [] : [`the interface is in ${String(zone)}`]),
    ...(inputs.desiredCapacity === 0 ? [] : interfaceProblems(ec2, own)),
  ];
}

function interfaceProblems(ec2: FakeEc2, id: Value): string[] {
  const holder = ec2.holderOf(id);
  const mapped = ec2.all("EipAssociation").some(({ inputs }) => inputs.networkInterfaceId === id);
  const { subnetId, sourceDestCheck } = ec2.get(id).inputs;
  return [
    ...(holder === undefined ? [] : [`${String(id)} is attached to ${holder.id}`]),
    ...wayOutProblems(ec2, subnetId, mapped || sourceDestCheck === false),
  ];
}

/** @param hasPublicAddress Also if it comes later: a NAT machine may get it while it runs, and its packages wait for it. */
function wayOutProblems(ec2: FakeEc2, subnetId: Value | undefined, hasPublicAddress: boolean): string[] {
  const route = ec2.defaultRoute(subnetId);
  const away = `it would boot in ${String(subnetId)} with no way out:`;
  if (route === undefined) {
    return [`${away} no default route`];
  }
  if (route.gatewayId !== undefined) {
    return hasPublicAddress ? [] : [`${away} an internet gateway but no public address`];
  }
  const forwarding = route.networkInterfaceId;
  return forwarding !== undefined && ec2.holderOf(forwarding) === undefined
    ? [`${away} no machine behind ${String(forwarding)}`]
    : [];
}

/** Systems Manager reaches only machines that may report to it; otherwise the provider waits until its time-out. */
function associationTargetProblems(ec2: FakeEc2, { targets }: Properties): string[] {
  const ids = (targets as Properties[]).flatMap(({ values }) => values as string[]);
  return ids
    .filter((id) => !id.startsWith("i-of-") && ec2.get(id).inputs.iamInstanceProfile === undefined)
    .map((id) => `${id} has no instance profile, so it will never report`);
}

function architectureProblems(ami: Value | undefined, type: Value | undefined): string[] {
  const [image, instance] = [imageArchitecture(String(ami)), typeArchitecture(String(type))];
  return image === instance ? [] : [`${String(ami)} is for ${image}, ${String(type)} is ${instance}`];
}
