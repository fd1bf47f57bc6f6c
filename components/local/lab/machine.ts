import { spawnSync } from "node:child_process";

/** PATH of a host's processes: a lab host has the machine's system directories only. */
export const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Prefix for a shell command that must run as root. */
export function asRoot(command: string): string {
  return isRoot() ? command : `sudo -n ${command}`;
}

/** Whether this program may make namespaces. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export interface ToolInput {
  readonly input?: string;
  /** File descriptors to pass on as number 3, 4 and so on. */
  readonly fds?: readonly number[];
}

/** Runs a tool of the machine. @throws {Error} with the command and its output. */
export function run(tool: string, args: readonly string[], { input = "", fds = [] }: ToolInput = {}): string {
  const result = spawnSync(tool, args, {
    input,
    stdio: ["pipe", "pipe", "pipe", ...fds],
    encoding: "utf8",
    env: { PATH: SYSTEM_PATH },
  });
  if (result.error !== undefined) {
    throw new Error(`${tool} could not be started: ${result.error.message}`);
  }
  if (result.status !== 0) {
    const said = (result.stderr || result.stdout).trim();
    throw new Error(
      `\`${[tool, ...args].join(" ").slice(0, 300)}\` ended with ${result.status ?? result.signal}: ${said}`,
    );
  }
  return result.stdout;
}
