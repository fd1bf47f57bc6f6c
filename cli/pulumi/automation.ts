/** The `pulumi` command. The Automation API is loaded when a stack is opened: loading takes longer than a refusal of a command. */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { endHostsWith } from "./killed-engine.ts";

let command: Promise<PulumiCommand> | undefined;

/** The `pulumi` on PATH, asked for its version once; every call goes through `bin/pulumi`. */
export async function pulumiCommand(): Promise<PulumiCommand> {
  const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
  const root = fileURLToPath(new URL(".", import.meta.url));
  command ??= PulumiCommand.get({ root }).then(keptRunning);
  return command;
}

/** A method that the SDK calls and does not declare. */
interface Running {
  run(args: string[], cwd: string, env: Record<string, string>, ...rest: unknown[]): Promise<unknown>;
}

/** The command; where it fails, its language host ends with it. */
function keptRunning(command: PulumiCommand): PulumiCommand {
  const run: Running["run"] = (args, cwd, env, ...rest) => {
    const own = { ...env, EGRESS_BENCH_CALL: randomUUID() };
    return (command as unknown as Running).run(args, cwd, own, ...rest).catch((error: unknown) => {
      endHostsWith(`EGRESS_BENCH_CALL=${own.EGRESS_BENCH_CALL}`);
      throw error;
    });
  };
  return Object.create(command, { run: { value: run } });
}
