/** Checks of a resource's update before it is made. */
import * as pulumi from "@pulumi/pulumi";

/** A resource's properties; a secret one is an output. */
export type Properties = Readonly<Record<string, unknown>>;

/** Throws for an update that the cloud would refuse. */
export type UpdateCheck = (before: Properties, after: Properties, urn: string) => void;

let made = 0;

/**
 * Options of a resource whose updates are checked, also at preview, which knows what the resource is and what it is to be. A
 * replacement is not checked.
 */
export function checkedUpdate(name: string, check: UpdateCheck): pulumi.CustomResourceOptions {
  const hook = new pulumi.ResourceHook(
    // Two components may have children of one name.
    `${name}-update-${++made}`,
    ({ urn, oldOutputs = {}, newInputs = {} }) => check(oldOutputs, newInputs, urn),
    { onDryRun: true },
  );
  return { hooks: { beforeUpdate: [hook] } };
}
