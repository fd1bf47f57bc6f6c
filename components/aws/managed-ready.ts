/**
 * When an instance that nobody may log in to has booted.
 *
 * @module
 */
import { Association } from "@pulumi/aws/ssm/association.js";
import type * as pulumi from "@pulumi/pulumi";
import { CLOUD_INIT_SECONDS, waitForCloudInit } from "../shared/host-ready.ts";
import { type AwsArgs, tagsOf } from "./common.ts";

/** For its agent to report to Systems Manager. */
const REPORT_SECONDS = 600;

/**
 * Waits by Systems Manager until cloud-init has done its work. The instance needs Amazon's SSM agent, which Ubuntu's and
 * Amazon's images carry, and an instance profile with the policy AmazonSSMManagedInstanceCore.
 */
export function managedReady(
  name: string,
  instanceId: pulumi.Input<string>,
  machine: pulumi.Resource,
  args: AwsArgs,
  opts: pulumi.CustomResourceOptions,
): Association {
  return new Association(
    name,
    {
      name: "AWS-RunShellScript",
      targets: [{ key: "InstanceIds", values: [instanceId] }],
      parameters: { commands: waitForCloudInit, executionTimeout: `${CLOUD_INIT_SECONDS + 60}` },
      waitForSuccessTimeoutSeconds: CLOUD_INIT_SECONDS + REPORT_SECONDS,
      tags: tagsOf(name, args),
    },
    // Another instance is another wait.
    { ...opts, deletedWith: machine, replaceOnChanges: ["targets"], deleteBeforeReplace: true },
  );
}
