/**
 * Pulumi's Automation API, which is loaded when a stack is opened: it takes longer than a command that only refuses.
 */
import type { PulumiCommand } from "@pulumi/pulumi/automation/index.js";

/** The API, without what no command uses of the SDK: half of its loading. */
export async function automation(): Promise<typeof import("@pulumi/pulumi/automation/index.js")> {
  await import("../../stacks/quick-start.ts");
  return import("@pulumi/pulumi/automation/index.js");
}

let command: Promise<PulumiCommand> | undefined;

/** The `pulumi` on PATH, which is asked for its version once. */
export async function pulumiCommand(): Promise<PulumiCommand> {
  const { PulumiCommand } = await automation();
  command ??= PulumiCommand.get();
  return command;
}
