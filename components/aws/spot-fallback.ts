/**
 * On-demand in place of spot, where no spot instance is available.
 *
 * An Auto Scaling group tries further spot pools and never launches on demand by itself
 * (docs.aws.amazon.com/autoscaling/ec2/userguide/asg-purchase-options.html). So a second group stands by with zero
 * machines, and an alarm on the first one's missing machine resizes both. Both would boot with one interface, so they never
 * run together.
 */
import { Group, type GroupArgs } from "@pulumi/aws/autoscaling/group.js";
import { Policy } from "@pulumi/aws/autoscaling/policy.js";
import { Schedule } from "@pulumi/aws/autoscaling/schedule.js";
import { MetricAlarm } from "@pulumi/aws/cloudwatch/metricAlarm.js";
import type * as pulumi from "@pulumi/pulumi";
import { assertRange } from "../shared/arguments.ts";
import { type AwsArgs, tagsOf } from "./common.ts";
import type { NatMachineArgs } from "./nat-args.ts";
import type { Interface } from "./network-interface.ts";

/** The interface that a group's machine boots with. */
export interface OwnInterface {
  readonly own: Pick<Interface, "id"> & { readonly resource: pulumi.Resource };
}

type OnDemandFallback = NonNullable<NonNullable<NatMachineArgs["spot"]>["onDemandFallback"]>;

/** Minutes that a wanted machine may be missing. A normal replacement takes two or three. */
const PATIENCE_MINUTES = 5;

const METRICS = ["GroupDesiredCapacity", "GroupInServiceInstances"] as const;

/** Options of a group that the alarm resizes: an update would reset its size. */
export const resizable: pulumi.CustomResourceOptions = { ignoreChanges: ["desiredCapacity"] };

/** Options that let a group be watched and emptied. No update waits for an instance that may never come. */
export const watched: GroupArgs & { readonly minSize: 0 } = {
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
 * @throws {pulumi.InputPropertyError} for an hour that the day does not have.
 */
export function onDemandFallback(
  name: string,
  spotGroup: Group,
  common: Omit<GroupArgs, "minSize" | "maxSize">,
  { retryHourUtc = 4, tags, own }: OnDemandFallback & AwsArgs & OwnInterface,
  parent: pulumi.Resource,
): Group {
  assertRange("spot.onDemandFallback.retryHourUtc", retryHourUtc, 0, 23);
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
