/**
 * One process for what an engine's operations would each start anew: the stand-ins of a cloud, and the program. To load
 * them takes more of the processors than what they then do. The engine finds them by the environment variables that
 * Pulumi has for debuggers.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** A provider that has a stand-in. */
export type Provider = "aws" | "azure-native" | "command";

/** What to serve. */
export interface Attached {
  /** By name the file in which its cloud is kept; the command plugin has none. */
  readonly providers: Readonly<Partial<Record<Provider, string | null>>>;
  /** File of what goes wrong in them. */
  readonly faults: string;
  /** The program's file, which is read anew in each run. @default none */
  readonly program?: string;
}

/** Where it is served. */
export interface Ports {
  readonly providers: readonly (readonly [Provider, number])[];
  /** null without a program. */
  readonly language: number | null;
}

type Environment = Readonly<Record<string, string>>;

/** What an engine has in its environment to use it. */
export interface AttachedProcess {
  readonly providers: Environment;
  /** Beside {@link AttachedProcess.providers}: the program, where there is one, runs in the process too. */
  readonly language: Environment;
  stop(): void;
}

/**
 * @param directory In which the program runs.
 * @param environment That it has.
 */
export async function startAttached(
  attached: Attached,
  directory: string,
  environment: Environment = {},
): Promise<AttachedProcess> {
  const args = [
    "--import",
    path("../../../stacks/quick-start.ts"),
    path("main.ts"),
    JSON.stringify(attached),
  ];
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
 * The first line that a program writes; what it writes later is not read: what goes wrong then, the engine says.
 *
 * @throws {Error} with what it wrote, where it ends before that
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
