/**
 * Machines: one instance, or a group of one that replaces it when it fails.
 *
 * @module
 */
import { Group, type GroupArgs } from "@pulumi/aws/autoscaling/group.js";
import { LifecycleHook } from "@pulumi/aws/autoscaling/lifecycleHook.js";
import { getNetworkInterfaceOutput } from "@pulumi/aws/ec2/getNetworkInterface.js";
import { getSubnetOutput } from "@pulumi/aws/ec2/getSubnet.js";
import { Instance, type InstanceArgs } from "@pulumi/aws/ec2/instance.js";
import { LaunchTemplate } from "@pulumi/aws/ec2/launchTemplate.js";
import * as pulumi from "@pulumi/pulumi";
import { gzipBase64 } from "../shared/gzip.ts";
import { type AwsArgs, tagsOf } from "./common.ts";
import type { Image } from "./image.ts";
import { type OnDemandFallbackArgs, onDemandFallback, resizable, watched } from "./spot-fallback.ts";
import { inBase64 } from "./user-data.ts";

/** What a machine is, beside its place in the network. */
export interface MachineArgs {
  /** Such as `c7g.8xlarge`. Passed through to AWS; its name tells the architecture. */
  readonly instanceType: pulumi.Input<string>;
  /** Id of an image of the instance type's architecture. @default Ubuntu 24.04, kept as it was first found */
  readonly image?: pulumi.Input<string> | undefined;
  /** The image's default user. @default ubuntu */
  readonly adminUser?: pulumi.Input<string> | undefined;
  /** Name of a placement group. T types go into none of strategy `cluster`. @default none */
  readonly placementGroup?: pulumi.Input<string> | undefined;
}

/** What a machine boots from. */
export interface BootArgs extends AwsArgs {
  readonly instanceType: pulumi.Input<string>;
  readonly image: Image;
  /** Holds the host's private key. */
  readonly userData: pulumi.Output<string>;
  /** It may be longer than EC2 takes. @default false */
  readonly compressed?: boolean | undefined;
  readonly options?: MachineOptions | undefined;
}

/** What else EC2 lets one choose for an instance. */
export interface MachineOptions {
  /** Name of an instance profile, such as one that Session Manager needs. @default none */
  readonly iamInstanceProfile?: pulumi.Input<string> | undefined;
  /** Of T types: `unlimited` is billed beyond the earned credits, `standard` slowed down. @default the account's */
  readonly creditMode?: pulumi.Input<"standard" | "unlimited"> | undefined;
  /** Name of a group. @default none */
  readonly placementGroup?: pulumi.Input<string> | undefined;
  /** Of a group of one only. @default on demand */
  readonly spot?:
    | {
        /** Beside the first one. @default none */
        readonly instanceTypes?: readonly pulumi.Input<string>[] | undefined;
        /** On-demand while no spot instance can be had. @default none: nobody goes out until one can be had */
        readonly onDemandFallback?: OnDemandFallbackArgs | undefined;
      }
    | undefined;
  /** Of a single instance only: a spot one, which ends when EC2 takes it back. @default on demand */
  readonly onSpot?: boolean | undefined;
  /** Of a group of one only: days. @default for ever */
  readonly maximumLifetimeDays?: number | undefined;
  /** Of a group of one only: how long a machine that is to be ended goes on, and can know it. @default not at all */
  readonly terminationDelaySeconds?: number | undefined;
  /** The root disk: always encrypted. @default the image's size, the account's key */
  readonly volume?:
    | {
        /** GiB, at least the image's. */
        readonly sizeGib?: pulumi.Input<number> | undefined;
        /** Arn of a KMS key. */
        readonly kmsKeyId?: pulumi.Input<string> | undefined;
      }
    | undefined;
}

/** How an instance is connected: by an interface that exists, or by one that comes and goes with it. */
export type InstanceNetwork = Pick<
  InstanceArgs,
  "primaryNetworkInterface" | "subnetId" | "vpcSecurityGroupIds" | "privateIp" | "associatePublicIpAddress"
>;

/** An instance with an encrypted disk that answers IMDSv2 only. */
export function instance(
  name: string,
  args: BootArgs & { readonly network: InstanceNetwork },
  opts: pulumi.CustomResourceOptions,
): Instance {
  return new Instance(
    name,
    {
      ...args.network,
      ami: args.image.ami,
      instanceType: args.instanceType,
      ...(args.compressed
        ? { userDataBase64: pulumi.secret(args.userData.apply(gzipBase64)) }
        : { userData: pulumi.secret(args.userData) }),
      // cloud-init reads it at the first boot only.
      userDataReplaceOnChange: true,
      metadataOptions: { httpTokens: "required" },
      rootBlockDevice: { encrypted: true, ...volumeOf(args.options) },
      ...profileOf(args.options, (profile) => ({ iamInstanceProfile: profile })),
      ...creditsOf(args.options),
      ...marketOf(args.options),
      ...groupOf(args.options, (placementGroup) => ({ placementGroup })),
      tags: tagsOf(name, args),
      // An instance's tags are not its disk's.
      volumeTags: tagsOf(name, args),
    },
    // An interface, or a private address, is in one machine at a time.
    { ...opts, deleteBeforeReplace: true },
  );
}

function volumeOf({ volume = {} }: MachineOptions = {}) {
  const { sizeGib, kmsKeyId } = volume;
  return {
    ...(sizeGib === undefined ? {} : { volumeSize: sizeGib }),
    ...(kmsKeyId === undefined ? {} : { kmsKeyId }),
  };
}

function creditsOf({ creditMode }: MachineOptions = {}) {
  return creditMode === undefined ? {} : { creditSpecification: { cpuCredits: creditMode } };
}

function marketOf({ onSpot = false }: MachineOptions = {}): Pick<InstanceArgs, "instanceMarketOptions"> {
  return onSpot
    ? { instanceMarketOptions: { marketType: "spot", spotOptions: { spotInstanceType: "one-time" } } }
    : {};
}

function groupOf<T>(
  { placementGroup }: MachineOptions = {},
  use: (group: pulumi.Input<string>) => T,
): T | object {
  return placementGroup === undefined ? {} : use(placementGroup);
}

function versionOf({ id, latestVersion }: LaunchTemplate) {
  return { id, version: latestVersion.apply(String) };
}

/** The template as it is, or as the first of several types of spot instances. */
function launched(
  { options: { spot } = {}, instanceType }: BootArgs,
  template: LaunchTemplate,
): Pick<GroupArgs, "launchTemplate" | "mixedInstancesPolicy"> {
  const { id, version } = versionOf(template);
  if (spot === undefined) {
    return { launchTemplate: { id, version } };
  }
  const types = [instanceType, ...(spot.instanceTypes ?? [])];
  return {
    mixedInstancesPolicy: {
      instancesDistribution: {
        onDemandBaseCapacity: 0,
        onDemandPercentageAboveBaseCapacity: 0,
        spotAllocationStrategy: "price-capacity-optimized",
      },
      launchTemplate: {
        launchTemplateSpecification: { launchTemplateId: id, version },
        overrides: types.map((type) => ({ instanceType: type })),
      },
    },
  };
}

const SECONDS_A_DAY = 86_400;

function lifetimeOf({ maximumLifetimeDays }: MachineOptions = {}): Partial<GroupArgs> {
  return maximumLifetimeDays === undefined
    ? {}
    : {
        maxInstanceLifetime: maximumLifetimeDays * SECONDS_A_DAY,
        // The old machine must let go of the interface first.
        instanceMaintenancePolicy: { minHealthyPercentage: 0, maxHealthyPercentage: 100 },
      };
}

function profileOf<T>(
  { iamInstanceProfile }: MachineOptions = {},
  use: (profile: pulumi.Input<string>) => T,
): T | object {
  return iamInstanceProfile === undefined ? {} : use(iamInstanceProfile);
}

/** The metadata service tells the machine (`autoscaling/target-lifecycle-state`); nobody has to answer. */
function delayTermination(
  name: string,
  groups: readonly Group[],
  { terminationDelaySeconds }: MachineOptions = {},
  parent: pulumi.Resource,
): void {
  if (terminationDelaySeconds === undefined) {
    return;
  }
  for (const [index, group] of groups.entries()) {
    new LifecycleHook(
      `${name}${index === 0 ? "" : "-on-demand"}-termination`,
      {
        autoscalingGroupName: group.name,
        lifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
        heartbeatTimeout: terminationDelaySeconds,
        defaultResult: "CONTINUE",
      },
      { parent },
    );
  }
}

/** Arguments of a group of one that replaces its machine. */
export interface SelfHealingArgs extends BootArgs {
  readonly subnetId: pulumi.Input<string>;
  /** The interface that every machine of the group boots with. */
  readonly interfaceId: pulumi.Input<string>;
}

/** Such a group, and the machine that it has now. */
export interface SelfHealing {
  readonly group: Group;
  /** Of the machine that holds the interface now. */
  readonly instanceId: pulumi.Output<string>;
  readonly zone: pulumi.Output<string>;
}

/**
 * An Auto Scaling group of one. EC2 attaches the interface when it launches the machine, so that addresses and
 * routes follow without any IAM right of the machine's own.
 */
export function selfHealingInstance(
  name: string,
  args: SelfHealingArgs,
  opts: { readonly parent: pulumi.Resource; readonly dependsOn: pulumi.Resource[] },
): SelfHealing {
  const { parent } = opts;
  const { spot } = args.options ?? {};
  const fallback = spot?.onDemandFallback;
  // Spot groups have types of their own; without it in the template nothing launches on demand by mistake.
  const onDemand = spot === undefined || fallback !== undefined;
  const template = new LaunchTemplate(
    `${name}-template`,
    {
      imageId: args.image.ami,
      ...(onDemand ? { instanceType: args.instanceType } : {}),
      userData: pulumi.secret(args.userData.apply(args.compressed ? gzipBase64 : inBase64)),
      metadataOptions: { httpEndpoint: "enabled", httpTokens: "required" },
      blockDeviceMappings: [
        {
          deviceName: args.image.rootDeviceName,
          // Said, not left to the image: a machine that is replaced leaves no disk behind.
          ebs: { encrypted: "true", deleteOnTermination: "true", ...volumeOf(args.options) },
        },
      ],
      networkInterfaces: [{ deviceIndex: 0, networkInterfaceId: args.interfaceId }],
      ...profileOf(args.options, (name) => ({ iamInstanceProfile: { name } })),
      ...creditsOf(args.options),
      ...groupOf(args.options, (groupName) => ({ placement: { groupName } })),
      tagSpecifications: [{ resourceType: "volume", tags: tagsOf(name, args) }],
      updateDefaultVersion: true,
      tags: tagsOf(`${name}-template`, args),
    },
    { parent },
  );
  const zone = getSubnetOutput({ id: args.subnetId }, { parent }).availabilityZone;
  const common = {
    // A group whose template names an interface is placed by its zone, not by a subnet.
    availabilityZones: [zone],
    ...lifetimeOf(args.options),
    healthCheckType: "EC2",
    // The old machine must let go of the interface first.
    instanceRefresh: { strategy: "Rolling", preferences: { minHealthyPercentage: 0 } },
    tags: tagsOf(name, args).apply((tags) =>
      Object.entries(tags).map(([key, value]) => ({ key, value, propagateAtLaunch: true })),
    ),
  };
  const size = fallback === undefined ? { minSize: 1, maxSize: 1 } : watched;
  const group = new Group(
    name,
    { ...size, ...common, ...launched(args, template) },
    { ...opts, deleteBeforeReplace: true, ...(fallback === undefined ? {} : resizable) },
  );
  const groups = [group];
  if (fallback !== undefined) {
    const instead = { ...common, launchTemplate: versionOf(template) };
    groups.push(onDemandFallback(name, group, instead, fallback, parent));
  }
  delayTermination(name, groups, args.options, parent);
  const attached = getNetworkInterfaceOutput({ id: args.interfaceId }, { parent, dependsOn: [group] });
  return { group, zone, instanceId: attached.attachments.apply(([first]) => first?.instanceId ?? "none") };
}
