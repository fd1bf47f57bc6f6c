import * as pulumi from "@pulumi/pulumi";

/** A value as it was first found, kept in the state until `replacementTrigger` changes. */
export function firstFound(
  name: string,
  input: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
  return new pulumi.Stash(name, { input }, opts).output as pulumi.Output<string>;
}

/**
 * The user data that a machine was made with: clouds replace a machine for other user data, where the running one could be
 * set up again (`setUpAgain`).
 * @param document User data for a new machine.
 * @param lifelong Text whose change makes another machine, with the document of that day. No secret.
 */
export function firstUserData(
  name: string,
  document: pulumi.Output<string>,
  lifelong: pulumi.Input<string>,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const replacementTrigger = pulumi.unsecret(pulumi.output(lifelong));
  return firstFound(`${name}-user-data`, document, { parent, replacementTrigger });
}
