import { PlacementGroup } from "@pulumi/aws/ec2/placementGroup.js";
import * as pulumi from "@pulumi/pulumi";
import {
  loginBlocks,
  natBoot,
  natOptionsOf,
  pairKey,
  privateBlocks,
  takenIn,
  waitForPair,
} from "../nat-instance/cloud-machine.ts";
import {
  COMMON_ADDRESS,
  HA_PACKAGES,
  lifelongOptions,
  type NatSetupArgs,
  natSetup,
  SIGNS_PORT,
  SYNC_PORT,
} from "../nat-instance/index.ts";
import { orderedSet } from "../shared/arguments.ts";
import { type PublicIp, tagsOf } from "./common.ts";
import { elasticIp, elasticIps, publicIpOf } from "./elastic-ip.ts";
import { LinuxHost } from "./linux-host.ts";
import type { LinuxHostArgs } from "./linux-host-args.ts";
import { type MachineRole, machineRole, SYSTEMS_MANAGER } from "./machine-role.ts";
import { isSecondActive, movingAddress, sharedPrivateAddress } from "./moving-address.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import type { NatMachines } from "./nat-machine.ts";
import { cloudWatchPublisher, namespaceOf, publishingStatement } from "./operators/cloudwatch.ts";
import { assertPairArgs, settledStandby, settledSubnet } from "./pair-args.ts";
import { defaultRoutes, movedTables, ofAnotherZone, publicSubnetId } from "./routes.ts";
import { natRules, securityGroup } from "./security-group.ts";
import { REQUEST_PACKAGES } from "./signed-requests.ts";
import { awsMove, takeOverStatements } from "./take-over.ts";

export function natPair(
  name: string,
  args: NatInstanceArgs,
  instanceType: pulumi.Input<string>,
  parent: pulumi.Resource,
): NatMachines {
  assertPairArgs(args);
  const made = args.publicIps === undefined ? elasticIps(name, args, 1, parent) : [];
  const [shared] = args.publicIps ?? made.map(publicIpOf);
  const own = [1, 2].map((number) => publicIpOf(elasticIp(`${name}-machine-${number}-eip`, args, parent)));
  const pair = pairOf(name, args, instanceType, made, parent);
  const first = machine(pair, 1, own[0] as PublicIp, []);
  const second = machine(pair, 2, own[1] as PublicIp, [...first.ready]);
  const takenOver = isSecondActive(second, own[1] as PublicIp);
  const association = introduce(pair, [first, second], shared as PublicIp, takenOver);
  const networkInterfaceId = pulumi
    .all([first.interfaceId as pulumi.Output<string>, second.interfaceId as pulumi.Output<string>, takenOver])
    .apply(([one, other, isSecond]) => (isSecond ? other : one));
  // Routes follow a take-over from then on.
  const routes = defaultRoutes(name, args, { networkInterfaceId }, parent, ["networkInterfaceId"]);
  return {
    hosts: [first, second],
    routes: [association, ...routes],
    addresses: [pulumi.output((shared as PublicIp).address)],
    role: pair.role,
  };
}

interface Known {
  readonly addresses: readonly [string, string];
  readonly interfaces: readonly [string, string];
  /** Secondary private addresses: twice the one that moves, or each machine's own in two subnets. */
  readonly secondary: readonly [string, string];
  readonly allocationId: string;
}

/** Facts that both machines share. Each must know the other, whose interface is made after its own. */
function pairOf(
  name: string,
  args: NatInstanceArgs,
  instanceType: pulumi.Input<string>,
  eips: readonly pulumi.Resource[],
  parent: pulumi.Resource,
) {
  const [known, resolve] = pulumi.deferredOutput<Known>();
  // No private address moves between two subnets.
  const apart = args.highAvailability?.standbySubnetId !== undefined;
  const role = args.iamInstanceProfile === undefined ? pairRole(name, args, known, apart, parent) : undefined;
  return {
    ...{ name, args, instanceType, eips, parent, known, resolve, apart, role },
    profile: args.iamInstanceProfile ?? (role?.profile.name as pulumi.Output<string>),
    placementGroup: args.placementGroup ?? (apart ? undefined : spread(name, args, parent)),
    group: securityGroup(`${name}-pair-sg`, args, pairRules, parent).id,
    key: pairKey(name, parent),
    firstSubnet: settledSubnet(name, args, publicSubnetId(args, parent), parent),
  };
}

type Pair = ReturnType<typeof pairOf>;

/** A placement group that puts two machines of one subnet on two racks, so that no rack failure stops both. */
function spread(pairName: string, args: NatInstanceArgs, parent: pulumi.Resource): pulumi.Output<string> {
  const name = `${pairName}-pair-spread`;
  return new PlacementGroup(name, { strategy: "spread", tags: tagsOf(name, args) }, { parent }).name;
}

function machine(pair: Pair, number: 1 | 2, own: PublicIp, after: pulumi.Resource[]): LinuxHost {
  const { args, apart, instanceType } = pair;
  const { vpcId, image, internetReady = [], ssh, securityGroupIds, creditMode, volume, tags } = args;
  const { adminUser, extraScript, keyName, nat } = args;
  const { packages, kernelModule, packageSources } = natBoot(nat);
  const ownSetUp = setUp(pair, number);
  return new LinuxHost(
    `${pair.name}-nat-${number}`,
    {
      ...{ tags, vpcId, image, internetReady, adminUser, role: "nat", forwarding: true },
      instanceType,
      // The role made here lets Systems Manager report.
      waitBy: ssh === undefined ? "systems-manager" : "login",
      further: { script: waitForPair, triggers: [instanceType] },
      subnetId: subnetOf(pair, number),
      publicIps: [own],
      // In one subnet the second machine gets its private address by a take-over.
      addressesMove: apart || number === 1 ? "spare" : true,
      // The Elastic IP, at whichever machine, is released after both are gone.
      interfaceAfter: [...internetReady, ...pair.eips],
      compressed: true,
      securityGroupIds: pulumi
        .all([pair.group, pulumi.output(securityGroupIds ?? [])])
        .apply(([own, others]) => [own, ...others]),
      placementGroup: pair.placementGroup,
      options: { iamInstanceProfile: pair.profile, keyName, creditMode, volume },
      rules: natRules(args.securityGroup ?? "untracked", takenIn(args)),
      sshKey: ssh?.key,
      packages: [...new Set([...packages, ...HA_PACKAGES, ...REQUEST_PACKAGES])],
      boot: { kernelModule, packageSources },
      extraScript,
      script: () => ownSetUp.apply(natSetup),
      lifelong: ownSetUp.apply(lifelongOptions),
      setUpAfterBoot: true,
      bootAfter: [...(pair.role?.policies ?? []), ...after],
    } satisfies LinuxHostArgs,
    { parent: pair.parent },
  );
}

/** Gives each machine the other's facts, and leads the shared address to the first. */
function introduce(
  pair: Pair,
  hosts: readonly [LinuxHost, LinuxHost],
  shared: PublicIp,
  isSecondActive: pulumi.Output<boolean>,
): pulumi.Resource {
  const [first, second] = hosts;
  const secondary = pair.apart
    ? pulumi.all([
        first.secondaryAddress as pulumi.Output<string>,
        second.secondaryAddress as pulumi.Output<string>,
      ])
    : sharedPrivateAddress(pair.name, hosts, pair.parent).apply((one): [string, string] => [one, one]);
  const known = pulumi.output({
    addresses: [first.privateAddress, second.privateAddress],
    interfaces: [first.interfaceId, second.interfaceId],
    secondary,
    allocationId: shared.id,
  });
  pair.resolve(known as unknown as pulumi.Output<Known>);
  const { internetReady = [] } = pair.args;
  return movingAddress({ hosts, shared, privateAddresses: secondary, internetReady, isSecondActive });
}

function subnetOf({ name, args, firstSubnet, parent }: Pair, number: 1 | 2): pulumi.Output<string> {
  const { highAvailability: { standbySubnetId } = {}, subnetId } = args;
  return number === 1 || standbySubnetId === undefined
    ? firstSubnet
    : settledStandby(name, ofAnotherZone(subnetId, standbySubnetId, parent), parent);
}

function setUp(pair: Pair, number: 1 | 2): pulumi.Output<NatSetupArgs> {
  const { name, args, apart } = pair;
  const { nat, highAvailability = {}, cloudWatch, ssh } = args;
  const machine = `${name}-nat-${number}`;
  const cidrs = pulumi.output(privateBlocks(args.privateCidrs));
  const at = number === 1 ? 0 : 1;
  return pulumi
    .all([pair.known, cidrs, pulumi.output(orderedSet(movedTables(args))), loginBlocks(ssh, cidrs), pair.key])
    .apply(
      ([
        { addresses, interfaces, secondary, allocationId },
        privateCidrs,
        routeTableIds,
        sshCidrs,
        key,
      ]): NatSetupArgs => ({
        ...natOptionsOf(nat, at),
        privateCidrs,
        sshCidrs,
        publisher: cloudWatch && cloudWatchPublisher(namespaceOf(cloudWatch), machine),
        highAvailability: {
          self: addresses[at] as string,
          peer: addresses[1 - at] as string,
          ...(apart
            ? { translatedTo: COMMON_ADDRESS, outerAddress: secondary[at] }
            : { translatedTo: secondary[at] }),
          ...awsMove({
            networkInterfaceId: interfaces[at],
            privateAddress: secondary[at],
            ...(apart ? { allocationId } : { elasticIpId: allocationId }),
            routeTableIds,
          }),
          check: highAvailability.check,
          advertisementMs: highAvailability.advertisementMs,
          key,
        },
      }),
    );
}

/** Rights for a take-over, on just the pair's interfaces and route tables. */
function pairRole(
  name: string,
  args: NatInstanceArgs,
  known: pulumi.Output<Known>,
  apart: boolean,
  parent: pulumi.Resource,
): MachineRole {
  const { cloudWatch } = args;
  const publishing = cloudWatch === undefined ? [] : [publishingStatement(namespaceOf(cloudWatch))];
  const moved = {
    subnets: apart ? ("twoSubnets" as const) : ("oneSubnet" as const),
    networkInterfaceIds: known.apply(({ interfaces }) => [...interfaces]),
    elasticIpId: known.apply(({ allocationId }) => allocationId),
    routeTableIds: pulumi.output(orderedSet(movedTables(args))),
  };
  const statements = [...takeOverStatements(moved), ...publishing];
  return machineRole(
    `${name}-pair`,
    args,
    statements,
    parent,
    (args.sessionManager ?? args.ssh === undefined) ? [SYSTEMS_MANAGER] : [],
    // The former policy stays meanwhile: while one machine is replaced, the other takes over what it names.
    { replaceOnChanges: ["policy"] },
  );
}

/** Traffic between the two machines: signs of life, and copies of connections. */
const pairRules = [
  { description: "signs of life", protocol: "udp", fromPort: SIGNS_PORT, toPort: SIGNS_PORT, self: true },
  { description: "connections", protocol: "udp", fromPort: SYNC_PORT, toPort: SYNC_PORT, self: true },
];
