import * as pulumi from "@pulumi/pulumi";

/**
 * The user data with which a machine was made, kept in the state: a cloud takes other user data for another machine, where
 * the one that runs could be set up again (`setUpAgain`).
 *
 * @param document As a new machine would get it.
 * @param lifelong A change of it makes another machine, with the document of that day. No secret.
 */
export function firstUserData(
  name: string,
  document: pulumi.Output<string>,
  lifelong: pulumi.Input<string>,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const options = { parent, replacementTrigger: pulumi.unsecret(pulumi.output(lifelong)) };
  const { output } = new pulumi.Stash(`${name}-user-data`, { input: document }, options);
  return output as pulumi.Output<string>;
}
