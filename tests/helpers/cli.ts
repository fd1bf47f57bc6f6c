/** Runs commands as users start them: with the project's own tools. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { commandLine, processIds } from "../../components/local/lab/processes.ts";
import { frugal, withoutLogs } from "./pulumi.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Pulumi's home with the plugins from set-up, and nothing written. */
const home = mkdtempSync(join(tmpdir(), "egress-bench-cli-"));
symlinkSync(join(root, ".tools/pulumi-home/plugins"), join(home, "plugins"));
withoutLogs(home);
afterAll(() => {
  endLanguageHosts();
  rmSync(home, { recursive: true, force: true });
});

/** Ends Pulumi's language hosts of engines that a test killed: a host asks every five minutes whether its engine lives. */
function endLanguageHosts(): void {
  for (const pid of processIds()) {
    try {
      const isOwn = readFileSync(`/proc/${pid}/environ`, "latin1").includes(`PULUMI_HOME=${home}\0`);
      if (isOwn && commandLine(pid)[0]?.endsWith("/language-nodejs")) process.kill(pid);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** A program's exit status and output. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Started = ChildProcess & { ended: Promise<Ended> };
type Environment = Readonly<Record<string, string>>;

/** @param command Such as `local`. @param environment Variables besides the common ones. */
export function startCli(command: string, args: readonly string[], environment: Environment = {}): Started {
  return start("node", ["cli/main.ts", command, ...args], environment);
}

/** Pulumi, as `npm run pulumi` starts it after set-up. */
export function startPulumi(...args: readonly string[]): Started {
  return start("pulumi", args, {});
}

function start(program: string, args: readonly string[], environment: Environment): Started {
  // The tests themselves run under with-tools.sh, which would set the home again.
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...frugal, ...environment, PULUMI_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (code) => resolve({ code, stdout, stderr })),
  );
  return Object.assign(child, { ended });
}
