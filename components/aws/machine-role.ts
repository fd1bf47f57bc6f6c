/** Rights of a machine, or a function, in AWS. */

import { getPartitionOutput } from "@pulumi/aws/getPartition.js";
import { InstanceProfile } from "@pulumi/aws/iam/instanceProfile.js";
import { Role } from "@pulumi/aws/iam/role.js";
import { RolePolicy } from "@pulumi/aws/iam/rolePolicy.js";
import { RolePolicyAttachment } from "@pulumi/aws/iam/rolePolicyAttachment.js";
import * as pulumi from "@pulumi/pulumi";
import { type AwsArgs, tagsOf } from "./common.ts";
import type { RolesArgs } from "./roles-args.ts";

/** Settings of the roles that a component makes. */
export interface RoleOwnerArgs extends AwsArgs {
  readonly roles?: RolesArgs | undefined;
}

/** One leave of a policy. */
export interface Statement {
  readonly Action: string | readonly string[];
  /** Arns of another partition than `aws` get that one's name. */
  readonly Resource: pulumi.Input<string | string[]>;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A role, and the policy that has to exist before anything can be done by it. */
interface ServiceRole {
  readonly role: Role;
  readonly policy: RolePolicy;
}

/** A role of a machine's own: its profile, and the policy that has to exist before the machine can do anything by it. */
export interface MachineRole {
  readonly profile: InstanceProfile;
  readonly policy: RolePolicy;
  /** Policies of Amazon's own beside it. */
  readonly managed: readonly RolePolicyAttachment[];
}

/**
 * @param name What the role's resources are named from.
 * @param service Who takes the role, such as `lambda`.
 * @param opts Of the policy.
 */
export function serviceRole(
  name: string,
  args: RoleOwnerArgs,
  service: "ec2" | "lambda",
  statements: readonly Statement[],
  parent: pulumi.Resource,
  opts: pulumi.CustomResourceOptions = {},
): ServiceRole {
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
      ...(path === undefined ? {} : { path }),
      ...(permissionsBoundary === undefined ? {} : { permissionsBoundary }),
      tags: tagsOf(`${name}-role`, args),
    },
    { parent },
  );
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
  return { role, policy };
}

/**
 * @param name What the role's resources are named from.
 * @param managed Names of policies of Amazon's own that the role has too.
 * @param opts Of the policy.
 */
export function machineRole(
  name: string,
  args: RoleOwnerArgs,
  statements: readonly Statement[],
  parent: pulumi.Resource,
  managed: readonly string[] = [],
  opts: pulumi.CustomResourceOptions = {},
): MachineRole {
  const { role, policy } = serviceRole(name, args, "ec2", statements, parent, opts);
  const profile = new InstanceProfile(
    `${name}-profile`,
    {
      role: role.name,
      ...(args.roles?.path === undefined ? {} : { path: args.roles.path }),
      tags: tagsOf(`${name}-profile`, args),
    },
    { parent },
  );
  const { partition } = getPartitionOutput({}, { parent });
  const attachments = managed.map((policyName) => {
    const policyArn = pulumi.interpolate`arn:${partition}:iam::aws:policy/${policyName}`;
    return new RolePolicyAttachment(`${name}-${policyName}`, { role: role.name, policyArn }, { parent });
  });
  return { profile, policy, managed: attachments };
}
