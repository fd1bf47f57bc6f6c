import { Group, type GroupArgs } from "@pulumi/aws/autoscaling/group.js";
import { LifecycleHook } from "@pulumi/aws/autoscaling/lifecycleHook.js";
import { getNetworkInterfaceOutput } from "@pulumi/aws/ec2/getNetworkInterface.js";
import { getSubnetOutput } from "@pulumi/aws/ec2/getSubnet.js";
import { LaunchTemplate } from "@pulumi/aws/ec2/launchTemplate.js";
import * as pulumi from "@pulumi/pulumi";
import { gzipBase64 } from "../shared/gzip.ts";
import { tagsOf } from "./common.ts";
import { type BootArgs, creditsOf, type MachineOptions, volumeOf } from "./machine.ts";
import { type OwnInterface, onDemandFallback, resizable, watched } from "./spot-fallback.ts";
import { inBase64 } from "./user-data.ts";

/** Arguments of a group of one that replaces its machine. */
export interface SelfHealingArgs extends BootArgs, OwnInterface {
  readonly subnetId: pulumi.Input<string>;
  /** Whether another interface's group exists before the former one is deleted. */
  readonly renewed: boolean;
}

/** A group of one, and its present machine. */
export interface SelfHealing {
  readonly group: Group;
  /** The machine that holds the interface now. */
  readonly instanceId: pulumi.Output<string>;
  readonly zone: pulumi.Output<string>;
}

/**
 * An Auto Scaling group of one. EC2 attaches the interface when it launches the machine, so that addresses and routes
 * follow without any IAM right for the machine.
 */
export function selfHealingInstance(
  name: string,
  args: SelfHealingArgs,
  opts: { readonly parent: pulumi.Resource; readonly dependsOn: pulumi.Resource[] },
): SelfHealing {
  const { parent } = opts;
  const { spot } = args.options ?? {};
  const fallback = spot?.onDemandFallback;
  // On-demand only: spot groups have types of their own, and without a type in the template nothing launches on demand by
  // mistake.
  const onDemand = spot === undefined || fallback !== undefined;
  const template = launchTemplate(name, args, onDemand, parent);
  const zone = getSubnetOutput({ id: args.subnetId }, { parent }).availabilityZone;
  const common = groupOfOne(name, args, zone);
  // EC2 deletes no interface that a machine holds, and nothing waits until a group's refresh has ended that machine.
  const renewal = args.renewed
    ? { replacementTrigger: args.own.id }
    : { replaceWith: [args.own.resource], deleteBeforeReplace: true };
  const size = fallback === undefined ? { minSize: 1, maxSize: 1 } : watched;
  const group = new Group(
    name,
    { ...size, ...common, ...launched(args, template) },
    { ...opts, ...renewal, ...(fallback === undefined ? {} : resizable) },
  );
  const groups = [group];
  if (fallback !== undefined) {
    const instead = { ...common, launchTemplate: versionOf(template) };
    groups.push(
      onDemandFallback(name, group, instead, { ...fallback, tags: args.tags, own: args.own }, parent),
    );
  }
  delayTermination(name, groups, args.options, parent);
  const attached = getNetworkInterfaceOutput({ id: args.own.id }, { parent, dependsOn: [group] });
  return { group, zone, instanceId: attached.attachments.apply(([first]) => first?.instanceId ?? "none") };
}

/** The group's launch template. @param onDemand Whether it names an instance type. */
function launchTemplate(
  name: string,
  args: SelfHealingArgs,
  onDemand: boolean,
  parent: pulumi.Resource,
): LaunchTemplate {
  const { iamInstanceProfile: profile, keyName, placementGroup: groupName } = args.options ?? {};
  return new LaunchTemplate(
    `${name}-template`,
    {
      imageId: args.image.ami,
      instanceType: onDemand ? args.instanceType : undefined,
      userData: pulumi.secret(args.userData.apply(args.compressed ? gzipBase64 : inBase64)),
      metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
      blockDeviceMappings: [
        {
          deviceName: args.image.rootDeviceName,
          // Set here, not left to the image: a replaced machine leaves no disk behind.
          ebs: { encrypted: "true", deleteOnTermination: "true", ...volumeOf(args.options) },
        },
      ],
      networkInterfaces: [{ deviceIndex: 0, networkInterfaceId: args.own.id }],
      keyName,
      iamInstanceProfile: profile === undefined ? undefined : { name: profile },
      creditSpecification: creditsOf(args.options),
      placement: groupName === undefined ? undefined : { groupName },
      tagSpecifications: [{ resourceType: "volume", tags: tagsOf(name, args) }],
      updateDefaultVersion: true,
      tags: tagsOf(`${name}-template`, args),
    },
    { parent },
  );
}

/** Settings that both the group and its on-demand substitute have. */
function groupOfOne(name: string, args: SelfHealingArgs, zone: pulumi.Output<string>) {
  return {
    // A group whose template names an interface is placed by its zone, not by a subnet.
    availabilityZones: [zone],
    ...lifetimeOf(args.options),
    healthCheckType: "EC2",
    // The old machine must release the interface first.
    instanceRefresh: { strategy: "Rolling", preferences: { minHealthyPercentage: 0 } },
    tags: tagsOf(name, args).apply((tags) =>
      Object.entries(tags).map(([key, value]) => ({ key, value, propagateAtLaunch: true })),
    ),
  };
}

function versionOf({ id, latestVersion }: LaunchTemplate) {
  return { id, version: latestVersion.apply(String) };
}

/** The template as it is, or with the further types of spot instances. */
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
        // The old machine must release the interface first.
        instanceMaintenancePolicy: { minHealthyPercentage: 0, maxHealthyPercentage: 100 },
      };
}

/**
 * Delays a termination. The metadata service tells the machine (`autoscaling/target-lifecycle-state`); no hook needs an
 * answer.
 */
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
