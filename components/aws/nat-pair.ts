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
import { type Ids, type PublicIp, tagsOf } from "./common.ts";
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
  const pair = new Pair(name, args, instanceType, made, parent);
  const first = pair.machine(1, own[0] as PublicIp, []);
  const second = pair.machine(2, own[1] as PublicIp, [...first.ready]);
  const takenOver = isSecondActive(second, own[1] as PublicIp);
  const association = pair.introduce([first, second], shared as PublicIp, takenOver);
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

/** Arguments that both machines share. Each must know the other, whose interface is made after its own. */
class Pair {
  readonly role: MachineRole | undefined;
  readonly #name: string;
  readonly #args: NatInstanceArgs;
  readonly #instanceType: pulumi.Input<string>;
  readonly #eips: readonly pulumi.Resource[];
  readonly #parent: pulumi.Resource;
  readonly #known: pulumi.Output<Known>;
  readonly #resolve: (known: pulumi.Output<Known>) => void;
  readonly #profile: pulumi.Input<string>;
  readonly #placementGroup: pulumi.Input<string> | undefined;
  readonly #group: pulumi.Input<string>;
  readonly #key: pulumi.Output<string>;
  readonly #firstSubnet: pulumi.Output<string>;

  constructor(
    name: string,
    args: NatInstanceArgs,
    instanceType: pulumi.Input<string>,
    eips: readonly pulumi.Resource[],
    parent: pulumi.Resource,
  ) {
    this.#eips = eips;
    this.#name = name;
    this.#args = args;
    this.#instanceType = instanceType;
    this.#parent = parent;
    [this.#known, this.#resolve] = pulumi.deferredOutput<Known>();
    this.role = args.iamInstanceProfile === undefined ? this.#role() : undefined;
    this.#profile = args.iamInstanceProfile ?? (this.role?.profile.name as pulumi.Output<string>);
    this.#placementGroup = args.placementGroup ?? (this.#apart ? undefined : this.#spread());
    this.#group = securityGroup(`${name}-pair-sg`, args, pairRules, parent).id;
    this.#key = pairKey(name, parent);
    this.#firstSubnet = settledSubnet(name, args, publicSubnetId(args, parent), parent);
  }

  /** Whether the machines are in two subnets, between which no private address moves. */
  get #apart(): boolean {
    return this.#args.highAvailability?.standbySubnetId !== undefined;
  }

  /** A placement group that puts two machines of one subnet on two racks, so that no rack failure stops both. */
  #spread(): pulumi.Output<string> {
    const name = `${this.#name}-pair-spread`;
    const args = { strategy: "spread", tags: tagsOf(name, this.#args) };
    return new PlacementGroup(name, args, { parent: this.#parent }).name;
  }

  /** @param number 1 or 2 */
  machine(number: 1 | 2, own: PublicIp, after: pulumi.Resource[]): LinuxHost {
    const { vpcId, image, internetReady = [], ssh, securityGroupIds, creditMode, volume, tags } = this.#args;
    const { adminUser, extraScript, keyName, nat } = this.#args;
    const { packages, kernelModule, packageSources } = natBoot(nat);
    const setUp = this.#setUp(number);
    return new LinuxHost(
      `${this.#name}-nat-${number}`,
      {
        ...{ tags, vpcId, image, internetReady, adminUser, role: "nat", forwarding: true },
        instanceType: this.#instanceType,
        // The role made here lets Systems Manager report.
        waitBy: ssh === undefined ? "systems-manager" : "login",
        further: { script: waitForPair, triggers: [this.#instanceType] },
        subnetId: this.#subnetOf(number),
        publicIps: [own],
        // In one subnet the second machine gets its private address by a take-over.
        addressesMove: this.#apart || number === 1 ? "spare" : true,
        // The Elastic IP, at whichever machine, is released after both are gone.
        interfaceAfter: [...internetReady, ...this.#eips],
        compressed: true,
        securityGroupIds: pulumi
          .all([this.#group, listOf(securityGroupIds ?? [])])
          .apply(([own, others]) => [own, ...others]),
        placementGroup: this.#placementGroup,
        options: { iamInstanceProfile: this.#profile, keyName, creditMode, volume },
        rules: natRules(this.#args.securityGroup ?? "untracked", takenIn(this.#args)),
        sshKey: ssh?.key,
        packages: [...new Set([...packages, ...HA_PACKAGES, ...REQUEST_PACKAGES])],
        boot: { kernelModule, packageSources },
        extraScript,
        script: () => setUp.apply(natSetup),
        lifelong: setUp.apply(lifelongOptions),
        setUpAfterBoot: true,
        bootAfter: [...(this.role?.policies ?? []), ...after],
      } satisfies LinuxHostArgs,
      { parent: this.#parent },
    );
  }

  /** Gives each machine the other's facts, and leads the shared address to the first. */
  introduce(
    hosts: readonly [LinuxHost, LinuxHost],
    shared: PublicIp,
    isSecondActive: pulumi.Output<boolean>,
  ): pulumi.Resource {
    const [first, second] = hosts;
    const secondary = this.#apart
      ? pulumi.all([
          first.secondaryAddress as pulumi.Output<string>,
          second.secondaryAddress as pulumi.Output<string>,
        ])
      : sharedPrivateAddress(this.#name, hosts, this.#parent).apply((one): [string, string] => [one, one]);
    const known = pulumi
      .all([
        [first.interfaceId, second.interfaceId],
        [first.privateAddress, second.privateAddress],
        secondary,
        shared.id,
      ])
      .apply(
        ([interfaces, addresses, known, allocationId]): Known => ({
          addresses: addresses as [string, string],
          interfaces: interfaces as [string, string],
          secondary: known as [string, string],
          allocationId,
        }),
      );
    this.#resolve(known);
    const { internetReady = [] } = this.#args;
    return movingAddress({ hosts, shared, privateAddresses: secondary, internetReady, isSecondActive });
  }

  #subnetOf(number: 1 | 2): pulumi.Output<string> {
    const { highAvailability: { standbySubnetId } = {}, subnetId } = this.#args;
    return number === 1 || standbySubnetId === undefined
      ? this.#firstSubnet
      : settledStandby(this.#name, ofAnotherZone(subnetId, standbySubnetId, this.#parent), this.#parent);
  }

  #setUp(number: 1 | 2): pulumi.Output<NatSetupArgs> {
    const { nat, highAvailability = {}, cloudWatch, ssh } = this.#args;
    const machine = `${this.#name}-nat-${number}`;
    const cidrs = pulumi.output(privateBlocks(this.#args.privateCidrs));
    const at = number === 1 ? 0 : 1;
    return pulumi
      .all([
        this.#known,
        cidrs,
        pulumi.output(orderedSet(movedTables(this.#args))),
        loginBlocks(ssh, cidrs),
        this.#key,
      ])
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
            ...(this.#apart
              ? { translatedTo: COMMON_ADDRESS, outerAddress: secondary[at] }
              : { translatedTo: secondary[at] }),
            ...awsMove({
              networkInterfaceId: interfaces[at],
              privateAddress: secondary[at],
              ...(this.#apart ? { allocationId } : { elasticIpId: allocationId }),
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
  #role(): MachineRole {
    const { cloudWatch } = this.#args;
    const publishing = cloudWatch === undefined ? [] : [publishingStatement(namespaceOf(cloudWatch))];
    const moved = {
      subnets: this.#apart ? ("twoSubnets" as const) : ("oneSubnet" as const),
      networkInterfaceIds: this.#known.apply(({ interfaces }) => [...interfaces]),
      elasticIpId: this.#known.apply(({ allocationId }) => allocationId),
      routeTableIds: pulumi.output(orderedSet(movedTables(this.#args))),
    };
    const statements = [...takeOverStatements(moved), ...publishing];
    return machineRole(
      `${this.#name}-pair`,
      this.#args,
      statements,
      this.#parent,
      (this.#args.sessionManager ?? this.#args.ssh === undefined) ? [SYSTEMS_MANAGER] : [],
      // The former policy stays meanwhile: while one machine is replaced, the other takes over what it names.
      { replaceOnChanges: ["policy"] },
    );
  }
}

function listOf(ids: Ids): pulumi.Output<string[]> {
  return pulumi.output(ids as pulumi.Input<pulumi.Input<string>[]>);
}

/** Traffic between the two machines: signs of life, and copies of connections. */
const pairRules = [
  { description: "signs of life", protocol: "udp", fromPort: SIGNS_PORT, toPort: SIGNS_PORT, self: true },
  { description: "connections", protocol: "udp", fromPort: SYNC_PORT, toPort: SYNC_PORT, self: true },
];
