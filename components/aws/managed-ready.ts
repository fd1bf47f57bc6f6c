import { Association } from "@pulumi/aws/ssm/association.js";
import * as pulumi from "@pulumi/pulumi";
import { gzipBase64 } from "../shared/gzip.ts";
import { CLOUD_INIT_SECONDS, type FurtherWait, setUpScript, waitScript } from "../shared/host-ready.ts";
import { type AwsArgs, tagsOf } from "./common.ts";

/** Seconds for the agent to report to Systems Manager. */
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
  return runOn(
    name,
    instanceId,
    pulumi.interpolate`${waitScript(further)}${triggersOf(further)}`,
    args,
    opts,
  );
}

/** Systems Manager has no triggers: a comment with them changes the command's text. */
function triggersOf(further: FurtherWait | undefined): pulumi.Output<string> {
  return pulumi
    .all([...(further?.triggers ?? [])])
    .apply((triggers) => triggers.map((trigger) => `\n# ${trigger}`).join(""));
}

export interface ManagedSetUpArgs extends AwsArgs {
  readonly identity: pulumi.Input<string>;
  readonly script: pulumi.Output<string>;
  /** Condition to wait for afterwards. @default none */
  readonly further?: FurtherWait | undefined;
}

/** Has Systems Manager run the machine's latest set-up script, within the 64 KB that a command may have. */
export function managedSetUp(
  name: string,
  { identity, script, further, ...args }: ManagedSetUpArgs,
  opts: pulumi.CustomResourceOptions,
): Association {
  // Secret: it may hold the key of a pair.
  const packed = pulumi.secret(script.apply(gzipBase64));
  const commands = pulumi.interpolate`export SET_UP=${packed}\n${setUpScript(further)}${triggersOf(further)}`;
  return runOn(name, identity, commands, args, opts);
}

function runOn(
  name: string,
  instanceId: pulumi.Input<string>,
  commands: pulumi.Output<string>,
  args: AwsArgs,
  opts: pulumi.CustomResourceOptions,
): Association {
  return new Association(
    name,
    {
      name: "AWS-RunShellScript",
      targets: [{ key: "InstanceIds", values: [instanceId] }],
      parameters: { commands, executionTimeout: `${CLOUD_INIT_SECONDS + 60}` },
      waitForSuccessTimeoutSeconds: CLOUD_INIT_SECONDS + REPORT_SECONDS,
      tags: tagsOf(name, args),
    },
    // Another instance, or another boot, makes another wait.
    { ...opts, replaceOnChanges: ["targets", "parameters"], deleteBeforeReplace: true },
  );
}
