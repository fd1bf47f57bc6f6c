import { getPartitionOutput } from "@pulumi/aws/getPartition.js";
import { InstanceProfile } from "@pulumi/aws/iam/instanceProfile.js";
import { Role } from "@pulumi/aws/iam/role.js";
import { RolePolicy } from "@pulumi/aws/iam/rolePolicy.js";
import { RolePolicyAttachment } from "@pulumi/aws/iam/rolePolicyAttachment.js";
import * as pulumi from "@pulumi/pulumi";
import type { RolesArgs } from "./common.ts";
import { type AwsArgs, tagsOf } from "./common.ts";

export interface RoleOwnerArgs extends AwsArgs {
  readonly roles?: RolesArgs | undefined;
}

export interface Statement {
  readonly Action: string | readonly string[];
  /** ARNs; outside the partition `aws` they get the partition's name. */
  readonly Resource: pulumi.Input<string | string[]>;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Amazon's policy for Session Manager and Systems Manager. */
export const SYSTEMS_MANAGER = "AmazonSSMManagedInstanceCore";

/**
 * A service's role, and the policies that must exist before the role can do anything.
 * @param name Prefix of the role's resources.
 * @param service The service that assumes the role, such as `lambda`.
 * @param opts Options of the policy.
 */
export function serviceRole(
  name: string,
  args: RoleOwnerArgs,
  service: "ec2" | "lambda",
  statements: readonly Statement[],
  parent: pulumi.Resource,
  opts: pulumi.CustomResourceOptions = {},
) {
  const { partition, dnsSuffix } = getPartitionOutput({}, { parent });
  const { path, permissionsBoundary } = args.roles ?? {};
  // EC2's name as a service ends in another domain in China; Lambda's does not.
  const Service = service === "ec2" ? pulumi.interpolate`ec2.${dnsSuffix}` : `${service}.amazonaws.com`;
  const role = new Role(
    `${name}-role`,
    {
      assumeRolePolicy: pulumi.jsonStringify({
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service } }],
      }),
      path,
      permissionsBoundary,
      tags: tagsOf(`${name}-role`, args),
    },
    { parent },
  );
  if (statements.length === 0) {
    return { role, policies: [] };
  }
  const policy = new RolePolicy(
    `${name}-policy`,
    {
      role: role.id,
      policy: pulumi
        .all([
          partition,
          pulumi.jsonStringify({
            Version: "2012-10-17",
            Statement: statements.map((statement) => ({ Effect: "Allow", ...statement })),
          }),
        ])
        .apply(([own, text]) => text.replaceAll('"arn:aws:', `"arn:${own}:`)),
    },
    { ...opts, parent },
  );
  return { role, policies: [policy] };
}

/**
 * A machine's role.
 * @param name Prefix of the role's resources.
 * @param managed Names of Amazon's own policies that the role has too.
 * @param opts Options of the policy.
 */
export function machineRole(
  name: string,
  args: RoleOwnerArgs,
  statements: readonly Statement[],
  parent: pulumi.Resource,
  managed: readonly string[] = [],
  opts: pulumi.CustomResourceOptions = {},
) {
  const { role, policies } = serviceRole(name, args, "ec2", statements, parent, opts);
  const profile = new InstanceProfile(
    `${name}-profile`,
    { role: role.name, path: args.roles?.path, tags: tagsOf(`${name}-profile`, args) },
    { parent },
  );
  const { partition } = getPartitionOutput({}, { parent });
  const attachments = managed.map((policyName) => {
    const policyArn = pulumi.interpolate`arn:${partition}:iam::aws:policy/${policyName}`;
    return new RolePolicyAttachment(`${name}-${policyName}`, { role: role.name, policyArn }, { parent });
  });
  return { role, profile, policies: [...policies, ...attachments] };
}

export type MachineRole = ReturnType<typeof machineRole>;
