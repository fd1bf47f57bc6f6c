import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Installs one of these TypeScript programs in place of a plugin that an engine would download or has
 * installed.
 *
 * @param home PULUMI_HOME of that engine.
 * @param args Precede the engine's own.
 */
export function installPlugin(
  home: string,
  name: string,
  version: string,
  program: URL,
  ...args: string[]
): void {
  const directory = join(home, "plugins", `resource-${name}-v${version}`);
  const command = [process.execPath, fileURLToPath(program), ...args].map((word) => `'${word}'`).join(" ");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `pulumi-resource-${name}`), `#!/bin/sh\nexec ${command} "$@"\n`, {
    mode: 0o755,
  });
}
