import { Group, type GroupArgs } from "@pulumi/aws/autoscaling/group.js";
import { LifecycleHook } from "@pulumi/aws/autoscaling/lifecycleHook.js";
import { Policy } from "@pulumi/aws/autoscaling/policy.js";
import { Schedule } from "@pulumi/aws/autoscaling/schedule.js";
import { MetricAlarm } from "@pulumi/aws/cloudwatch/metricAlarm.js";
import { getNetworkInterfaceOutput } from "@pulumi/aws/ec2/getNetworkInterface.js";
import { getSubnetOutput } from "@pulumi/aws/ec2/getSubnet.js";
import { LaunchTemplate } from "@pulumi/aws/ec2/launchTemplate.js";
import * as pulumi from "@pulumi/pulumi";
import { gzipBase64 } from "../shared/gzip.ts";
import { type AwsArgs, tagsOf } from "./common.ts";
import { type BootArgs, creditsOf, type MachineOptions, volumeOf } from "./machine.ts";
import type { NatMachineArgs } from "./nat-args.ts";
import type { Interface } from "./network-interface.ts";

export interface SelfHealingArgs extends BootArgs, OwnInterface {
  readonly subnetId: pulumi.Input<string>;
  /** Whether another interface's group exists before the former one is deleted. */
  readonly renewed: boolean;
}

/**
 * An Auto Scaling group of one. EC2 attaches the interface when it launches the machine, so that addresses and routes
 * follow without any IAM right for the machine.
 */
export function selfHealingInstance(
  name: string,
  args: SelfHealingArgs,
  opts: { readonly parent: pulumi.Resource; readonly dependsOn: pulumi.Resource[] },
) {
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
  // The machine that holds the interface now.
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
      userData: pulumi.secret(
        args.userData.apply((text) =>
          args.compressed ? gzipBase64(text) : Buffer.from(text).toString("base64"),
        ),
      ),
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

// An Auto Scaling group tries further spot pools and never launches on demand by itself
// (docs.aws.amazon.com/autoscaling/ec2/userguide/asg-purchase-options.html). So a second group stands by with zero machines,
// and an alarm on the first one's missing machine resizes both. Both would boot with one interface, so they never run together.

/** The interface that a group's machine boots with. */
interface OwnInterface {
  readonly own: Pick<Interface, "id"> & { readonly resource: pulumi.Resource };
}

type OnDemandFallback = NonNullable<NonNullable<NatMachineArgs["spot"]>["onDemandFallback"]>;

/** Minutes that a wanted machine may be missing. A normal replacement takes two or three. */
const PATIENCE_MINUTES = 5;

const METRICS = ["GroupDesiredCapacity", "GroupInServiceInstances"] as const;

/** Options of a group that the alarm resizes: an update would reset its size. */
const resizable: pulumi.CustomResourceOptions = { ignoreChanges: ["desiredCapacity"] };

/** Options that let a group be watched and emptied. No update waits for an instance that may never come. */
const watched: GroupArgs & { readonly minSize: 0 } = {
  minSize: 0,
  maxSize: 1,
  desiredCapacity: 1,
  enabledMetrics: [...METRICS],
  waitForCapacityTimeout: "0",
};

/**
 * Watches a group of one spot instance. When its instance has been missing for five minutes, an on-demand group with the
 * same template replaces it. Once a day the spot group is tried again, for at most five minutes.
 * @param common Settings of both groups: zone, health check, tags.
 */
function onDemandFallback(
  name: string,
  spotGroup: Group,
  common: Omit<GroupArgs, "minSize" | "maxSize">,
  { retryHourUtc = 4, tags, own }: OnDemandFallback & AwsArgs & OwnInterface,
  parent: pulumi.Resource,
): Group {
  const onDemand = new Group(
    `${name}-on-demand`,
    { ...common, minSize: 0, maxSize: 1, desiredCapacity: 0, waitForCapacityTimeout: "0" },
    { parent, dependsOn: [spotGroup], replaceWith: [own.resource], deleteBeforeReplace: true, ...resizable },
  );
  const policies = [
    sizePolicy(`${name}-no-spot`, spotGroup, 0, parent),
    sizePolicy(`${name}-on-demand-instead`, onDemand, 1, parent),
  ];
  lackAlarm(`${name}-lacks-spot`, spotGroup, policies, { tags }, parent);
  // Two minutes apart, for the old machine to release the interface.
  resizeDaily(`${name}-retry-end`, onDemand, 0, `0 ${retryHourUtc} * * *`, parent);
  resizeDaily(`${name}-retry-spot`, spotGroup, 1, `2 ${retryHourUtc} * * *`, parent);
  return onDemand;
}

/** The action that sets a group's size when the alarm fires. */
function sizePolicy(name: string, group: Group, size: 0 | 1, parent: pulumi.Resource): Policy {
  return new Policy(
    name,
    {
      autoscalingGroupName: group.name,
      // A simple policy would wait for the launch that never comes.
      policyType: "StepScaling",
      adjustmentType: "ExactCapacity",
      stepAdjustments: [{ metricIntervalLowerBound: "0", scalingAdjustment: size }],
    },
    { parent },
  );
}

/** Alarms when the desired count exceeds the running count; ends once the desired count is 0. */
function lackAlarm(
  name: string,
  { name: group }: Group,
  policies: readonly Policy[],
  args: AwsArgs,
  parent: pulumi.Resource,
) {
  const metric = (id: string, metricName: string) => ({
    id,
    metric: {
      namespace: "AWS/AutoScaling",
      metricName,
      dimensions: { AutoScalingGroupName: group },
      period: 60,
      stat: "Maximum",
    },
    returnData: false,
  });
  const [wanted, there] = METRICS;
  return new MetricAlarm(
    name,
    {
      alarmDescription: "No spot instance can be had: on-demand takes over.",
      metricQueries: [
        metric("wanted", wanted),
        metric("there", there),
        { id: "lacking", expression: "wanted - there", label: "Machines lacking", returnData: true },
      ],
      comparisonOperator: "GreaterThanOrEqualToThreshold",
      threshold: 1,
      evaluationPeriods: PATIENCE_MINUTES,
      datapointsToAlarm: PATIENCE_MINUTES,
      treatMissingData: "notBreaching",
      alarmActions: policies.map(({ arn }) => arn),
      tags: tagsOf(name, args),
    },
    { parent },
  );
}

function resizeDaily(name: string, group: Group, size: 0 | 1, recurrence: string, parent: pulumi.Resource) {
  const unchanged = -1;
  return new Schedule(
    name,
    {
      scheduledActionName: name,
      autoscalingGroupName: group.name,
      desiredCapacity: size,
      minSize: unchanged,
      maxSize: unchanged,
      recurrence,
    },
    { parent },
  );
}
