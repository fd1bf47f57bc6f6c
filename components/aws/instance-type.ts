import { type GetInstanceTypeResult, getInstanceType } from "@pulumi/aws/ec2/getInstanceType.js";
import type * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { oneLine } from "./common.ts";

/**
 * EC2's facts of a type.
 * @throws {pulumi.InputPropertyError} where EC2 says that there is no such type; else the provider's own error.
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
