/**
 * Starts one process with a cloud's stand-ins and the program, instead of new ones for each of an engine's operations: loading
 * them takes more CPU than their work. The engine finds them by Pulumi's environment variables for debuggers.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export type Provider = "aws" | "azure-native" | "command";

export interface Attached {
  /** File of each provider's cloud, by name; the command plugin has none. */
  readonly providers: Readonly<Partial<Record<Provider, string | null>>>;
  /** File with their faults. */
  readonly faults: string;
  /** The program's file, read again in each run. @default none */
  readonly program?: string;
}

export interface Ports {
  readonly providers: readonly (readonly [Provider, number])[];
  readonly language: number | null;
}

type Environment = Readonly<Record<string, string>>;

/** Environment variables of an engine that uses it. */
export interface AttachedProcess {
  readonly providers: Environment;
  /** Adds the program to {@link AttachedProcess.providers}: it then runs in the process too. */
  readonly language: Environment;
  stop(): void;
}

/**
 * @param directory Working directory of the program.
 * @param environment Environment of the program.
 */
export async function startAttached(
  attached: Attached,
  directory: string,
  environment: Environment = {},
): Promise<AttachedProcess> {
  const args = [path("main.ts"), JSON.stringify(attached)];
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: "pipe",
  });
  const { providers, language } = JSON.parse(await firstLine(child)) as Ports;
  return {
    providers: {
      PULUMI_DEBUG_PROVIDERS: providers.map(([name, port]) => `${name}:${port}`).join(","),
    },
    language: language === null ? {} : { PULUMI_DEBUG_LANGUAGES: `nodejs:${language}` },
    stop: () => void child.kill(),
  };
}

/**
 * The first line that a program writes. Later output is not read: the engine reports later failures.
 *
 * @throws {Error} with its output, if it ends before the first line
 */
export async function firstLine(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
): Promise<string> {
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const line: Promise<Buffer[]> = once(child.stdout, "data");
  const end = once(child, "exit").then(([status]) => {
    throw new Error(`${child.spawnargs.join(" ")} ended with status ${status} before it served: ${said}`);
  });
  const [text] = await Promise.race([line, end]);
  child.stdout.resume();
  return String(text);
}
