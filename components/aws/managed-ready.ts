import { Association } from "@pulumi/aws/ssm/association.js";
import * as pulumi from "@pulumi/pulumi";
import { gzipBase64 } from "../shared/gzip.ts";
import { CLOUD_INIT_SECONDS, type HostReadyArgs, setUpScript, waitScript } from "../shared/host-ready.ts";
import { type AwsArgs, tagsOf } from "./common.ts";

/** Seconds for the agent to report to Systems Manager. */
const REPORT_SECONDS = 600;

/**
 * Waits by Systems Manager until cloud-init has done its work, or sets the machine up by the script, within the 64 KB that a
 * command may have. The instance needs Amazon's SSM agent, which Ubuntu's and Amazon's images carry, and an instance profile
 * with the policy AmazonSSMManagedInstanceCore.
 */
export function managedReady(
  name: string,
  { identity, script, further, ...args }: AwsArgs & Omit<HostReadyArgs, "connection" | "machine">,
  opts: pulumi.CustomResourceOptions,
): Association {
  const work =
    script === undefined
      ? waitScript(further)
      : // Secret: it may hold the key of a pair.
        pulumi.interpolate`export SET_UP=${pulumi.secret(script.apply(gzipBase64))}\n${setUpScript(further)}`;
  // Systems Manager has no triggers: a comment with them changes the command's text.
  const triggers = pulumi
    .all([...(further?.triggers ?? [])])
    .apply((values) => values.map((trigger) => `\n# ${trigger}`).join(""));
  return new Association(
    name,
    {
      name: "AWS-RunShellScript",
      targets: [{ key: "InstanceIds", values: [identity] }],
      parameters: {
        commands: pulumi.interpolate`${work}${triggers}`,
        executionTimeout: `${CLOUD_INIT_SECONDS + 60}`,
      },
      waitForSuccessTimeoutSeconds: CLOUD_INIT_SECONDS + REPORT_SECONDS,
      tags: tagsOf(name, args),
    },
    // Another instance, or another boot, makes another wait.
    { ...opts, replaceOnChanges: ["targets", "parameters"], deleteBeforeReplace: true },
  );
}
