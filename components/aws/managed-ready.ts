/**
 * When an instance that nobody may log in to has booted.
 *
 * @module
 */
import { Association } from "@pulumi/aws/ssm/association.js";
import * as pulumi from "@pulumi/pulumi";
import { CLOUD_INIT_SECONDS, type FurtherWait, waitScript } from "../shared/host-ready.ts";
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
  { further, ...args }: AwsArgs & { readonly further?: FurtherWait | undefined },
  opts: pulumi.CustomResourceOptions,
): Association {
  // Systems Manager knows no triggers: as a comment they make the text another one.
  const commands = pulumi
    .all([...(further?.triggers ?? [])])
    .apply((triggers) => [waitScript(further), ...triggers.map((trigger) => `# ${trigger}`)].join("\n"));
  return new Association(
    name,
    {
      name: "AWS-RunShellScript",
      targets: [{ key: "InstanceIds", values: [instanceId] }],
      parameters: { commands, executionTimeout: `${CLOUD_INIT_SECONDS + 60}` },
      waitForSuccessTimeoutSeconds: CLOUD_INIT_SECONDS + REPORT_SECONDS,
      tags: tagsOf(name, args),
    },
    // Another instance is another wait, and so is another boot.
    { ...opts, replaceOnChanges: ["targets", "parameters"], deleteBeforeReplace: true },
  );
}
