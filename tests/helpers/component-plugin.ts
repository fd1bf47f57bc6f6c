/** The component plugin, started once: to start it is to compile it. The engine attaches to it. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstLine } from "./attached/start.ts";
import { ROOT } from "./consumers.ts";
import { type Engine, frugal } from "./pulumi.ts";

export const VERSION: string = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")).version;

/** The running plugin, and the port at which it serves. */
export interface ComponentPlugin {
  readonly port: number;
  stop(): void;
}

/** The plugin with what its package.json asks for, as a language host starts it. @param directory That has the packed library. */
export async function startComponentPlugin(
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ComponentPlugin> {
  const own = join(directory, "plugin");
  cpSync(`${ROOT}plugins/components`, own, { recursive: true });
  symlinkSync(join(directory, "node_modules"), join(own, "node_modules"));
  const child = spawn(process.execPath, ["node_modules/@pulumi/pulumi/cmd/run-plugin", "."], {
    cwd: own,
    env: { ...process.env, ...frugal, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { port: Number(await firstLine(child)), stop: () => void child.kill() };
}

/** Has `pulumi package` find the plugin: it starts one, whatever is attached, and asks whatever serves at the port that this says. */
export function installPlugin(engine: Engine, { port }: ComponentPlugin): void {
  const home = join(engine.environment.PULUMI_HOME as string, "plugins", `resource-egress-bench-v${VERSION}`);
  mkdirSync(home);
  const script = `#!/bin/sh\necho ${port}\nexec sleep 60\n`;
  writeFileSync(join(home, "pulumi-resource-egress-bench"), script, { mode: 0o755 });
}
