/** Starts the component plugin once, since starting compiles it. The engine attaches to it. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstLine } from "./attached/start.ts";
import { ROOT } from "./consumers.ts";
import { type Engine, frugal } from "./pulumi.ts";

export const VERSION: string = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")).version;

export interface ComponentPlugin {
  readonly port: number;
  stop(): void;
}

/**
 * Starts the plugin with the packages of its package.json, as a language host does: from another directory, where the plugin's
 * tsconfig.json does not count and it is compiled with the host's own options.
 *
 * @param directory Has the packed library.
 */
export async function startComponentPlugin(
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ComponentPlugin> {
  const own = join(directory, "plugin");
  cpSync(`${ROOT}packages/pulumi-plugin`, own, { recursive: true });
  symlinkSync(join(directory, "node_modules"), join(own, "node_modules"));
  const child = spawn(process.execPath, [join(own, "node_modules/@pulumi/pulumi/cmd/run-plugin"), own], {
    cwd: directory,
    env: { ...process.env, ...frugal, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { port: Number(await firstLine(child)), stop: () => void child.kill() };
}

/** Makes `pulumi package` find the plugin: it starts one even if another is attached, and asks the service at the printed port. */
export function installPlugin(engine: Engine, { port }: ComponentPlugin): void {
  const home = join(engine.environment.PULUMI_HOME as string, "plugins", `resource-egress-bench-v${VERSION}`);
  mkdirSync(home);
  const script = `#!/bin/sh\necho ${port}\nexec sleep 60\n`;
  writeFileSync(join(home, "pulumi-resource-egress-bench"), script, { mode: 0o755 });
}
