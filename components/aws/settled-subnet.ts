/** Refusals of changes that would delete a machine's subnet before the machine. */
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { firstFound } from "../shared/first-found.ts";
import { refusedWith } from "../shared/preview-check.ts";

/** Whether an output is known; Pulumi's types leave that member out. */
export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as { readonly isKnown: Promise<boolean> }).isKnown;
}

/**
 * Calls `refuse` where a preview does not know a place that an earlier update knew: the subnet is being replaced, and the
 * engine deletes the former one, with everything in it, first.
 */
export function madeAnew<Value, Refusal>(
  place: pulumi.Output<Value>,
  settled: pulumi.Output<Value>,
  refuse: (was: Value) => Refusal,
): pulumi.Output<Refusal | undefined> {
  return pulumi
    .output(Promise.all([isKnown(place), isKnown(settled)]))
    .apply(([now, before]) =>
      before && !now ? settled.apply((was) => refuse(was as Value)) : undefined,
    ) as pulumi.Output<Refusal | undefined>;
}

/**
 * The subnet of a group of one. The engine would delete the subnet's interface with it, which EC2 refuses while the group's machine
 * holds it.
 *
 * @throws {pulumi.InputPropertyError} by the output, at preview.
 */
export function subnetOfGroup(
  name: string,
  subnetId: pulumi.Output<string>,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const settled = firstFound(`${name}-settled`, subnetId, { parent });
  const refusal = madeAnew(subnetId, settled, (was) => {
    throw invalid(
      "autoHeal",
      `the group's machine holds an interface in ${was}, which must be replaced; remove autoHeal, run pulumi up, then change the subnet, run pulumi up, then set autoHeal again`,
    );
  });
  return refusedWith(subnetId, [refusal]);
}
