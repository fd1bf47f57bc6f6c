import * as pulumi from "@pulumi/pulumi";

/**
 * The user data that a machine was made with, kept in the state: clouds replace a machine for other user data, where the
 * running one could be set up again (`setUpAgain`).
 * @param document User data for a new machine.
 * @param lifelong Text whose change makes another machine, with the document of that day. No secret.
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
