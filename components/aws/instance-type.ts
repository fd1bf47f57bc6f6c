/**
 * What is known about an instance type: from its name, and from EC2.
 *
 * @module
 */
import { type GetInstanceTypeResult, getInstanceType } from "@pulumi/aws/ec2/getInstanceType.js";
import type * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { oneLine } from "./common.ts";

/** As EC2 names it; Canonical and others say `amd64` for x86_64. */
export type Architecture = "arm64" | "x86_64";

/**
 * Processor architecture of an instance type. Graviton types have a `g` behind the generation (t4g, c7gn, im4gn),
 * unlike GPU types, which have it before (g4dn); Grace ones end in `-gb` and a number; a1 came before the scheme.
 *
 * Source: docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 */
export function architecture(instanceType: string): Architecture {
  return /^(a1|[a-z]+\d+g[a-z]*|[a-z]+\d+[a-z]*-gb\d+)([.-]|$)/.test(instanceType) ? "arm64" : "x86_64";
}

/**
 * What EC2 tells about a type.
 *
 * @throws {pulumi.InputPropertyError} where it says that there is no such type; else what the provider failed with.
 */
export async function describedType(
  instanceType: string,
  parent: pulumi.Resource,
): Promise<GetInstanceTypeResult> {
  try {
    return await getInstanceType({ instanceType }, { parent });
  } catch (error) {
    const reason = oneLine(error);
    throw reason.includes("InvalidInstanceType")
      ? invalid(
          "instanceType",
          `this region has no ${instanceType}; choose a type that it has, such as t4g.micro (${reason})`,
        )
      : error;
  }
}
