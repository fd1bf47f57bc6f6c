import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type CommandRun, commandResource, previousOutputVariables } from "./command-resource.ts";
import { localExitText, quote, systemErrorText } from "./go-text.ts";
import type { Operation } from "./operations.ts";
import { captureOutput, type OutputCapture } from "./output-capture.ts";
import { localCommandShape } from "./shapes.ts";
import { fileAsset, type Properties } from "./shared/envelopes.ts";

/**
 * Kills a process and all its descendants.
 *
 * They stay in the plugin's own process group, as with the real plugin, because the engine kills that group when it ends
 * the plugin; so a separate group, easier to kill, is no option.
 */
export function killTree(pid: number): void {
  // Listed before the first is killed: an orphan no longer knows its ancestor.
  for (const member of [pid, ...descendants(pid)]) {
    try {
      process.kill(member, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

function descendants(pid: number): number[] {
  return children(pid).flatMap((child) => [child, ...descendants(child)]);
}

function children(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return []; // the process has ended, or this is no Linux
  }
}

const DEFAULT_INTERPRETER = process.platform === "win32" ? ["cmd", "/C"] : ["/bin/sh", "-c"];

/** `command:local:Command`: a command on the machine that runs Pulumi. */
export const localCommand = commandResource(localCommandShape, runLocally);

async function runLocally(operation: Operation, run: CommandRun): Promise<Properties> {
  const { command, inputs } = run;
  if (inputs.archivePaths !== undefined) {
    throw new Error("archivePaths: the offline stand-in of the command plugin does not support it");
  }
  operation.signal.throwIfAborted();
  const capture = captureOutput(operation, inputs.logging);
  const directory = typeof inputs.dir === "string" ? inputs.dir : process.cwd();
  const failure = await runToEnd(operation, run, directory, capture).catch((error: Error) => error.message);
  const outputs = await capture.finish();
  if (failure !== undefined) throw new Error(`${failure}: running ${quote(command)}:\n${capture.combined()}`);
  if (Array.isArray(inputs.assetPaths)) {
    outputs.assets = await globAssets(directory, inputs.assetPaths.map(String));
  }
  return outputs;
}

/** Resolves with undefined on exit status 0, else with how the process ended. */
async function runToEnd(
  operation: Operation,
  run: CommandRun,
  directory: string,
  capture: OutputCapture,
): Promise<string | undefined> {
  const { command, inputs } = run;
  requireDirectory(directory);
  const given = Array.isArray(inputs.interpreter) ? inputs.interpreter.map(String) : [];
  const [program = "", ...args] = given.length > 0 ? given : DEFAULT_INTERPRETER;
  const environment = inputs.environment as Record<string, string> | undefined;
  const stdin = typeof inputs.stdin === "string" ? inputs.stdin : "";
  const start = () =>
    spawn(program, [...args, command], {
      cwd: directory,
      env: { ...process.env, ...environment, ...Object.fromEntries(previousOutputVariables(run)) },
      stdio: [stdin === "" ? "ignore" : "pipe", "pipe", "pipe"],
    });
  const child = startOrExplain(start, program);
  child.stdout?.on("data", capture.stdout);
  child.stderr?.on("data", capture.stderr);
  // A command may end without having read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
  return ended(child, program, operation.signal);
}

function ended(child: ChildProcess, program: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const kill = () => child.pid !== undefined && killTree(child.pid);
    signal.addEventListener("abort", kill, { once: true });
    child.once("error", (error) => reject(startError(error, program)));
    child.once("close", (code, ending) => {
      signal.removeEventListener("abort", kill);
      resolve(code === 0 ? undefined : localExitText(code, ending));
    });
  });
}

function startOrExplain(start: () => ChildProcess, program: string): ChildProcess {
  try {
    return start();
  } catch (error) {
    throw startError(error, program);
  }
}

function startError(error: unknown, program: string): Error {
  if ((error as NodeJS.ErrnoException).code === "ENOENT" && !program.includes("/")) {
    return new Error(`exec: ${quote(program)}: executable file not found in $PATH`);
  }
  return new Error(`fork/exec ${program}: ${systemErrorText(error)}`);
}

// Node reports a missing directory as a missing program.
function requireDirectory(directory: string): void {
  try {
    if (!statSync(directory).isDirectory()) throw new Error(`chdir ${directory}: not a directory`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).errno === undefined) throw error;
    throw new Error(`chdir ${directory}: ${systemErrorText(error)}`, { cause: error });
  }
}

/**
 * The files under `directory` that the globs select, as assets by their relative paths.
 *
 * The rules apply in order; `!` excludes, `*` stops at `/`, `**` does not, `?` is one character.
 */
async function globAssets(directory: string, globs: readonly string[]): Promise<Properties> {
  const rules = globs.map((glob) => ({
    excludes: glob.startsWith("!"),
    pattern: globPattern(glob.replace(/^!/, "")),
  }));
  const assets: Properties = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(directory, file);
    const last = rules.findLast((rule) => rule.pattern.test(path));
    if (last === undefined || last.excludes) continue;
    const hash = createHash("sha256").update(await readFile(file));
    assets[path] = fileAsset(file, hash.digest("hex"));
  }
  return assets;
}

function globPattern(glob: string): RegExp {
  const pattern = glob.replace(/\*\*|[*?]|[.+^${}()|[\]\\]/g, (token) => {
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    return `\\${token}`;
  });
  return new RegExp(`^${pattern}$`, "s");
}
