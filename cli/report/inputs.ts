/** Where results come from: files, and outputs of stacks, which are only read. */
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hintOf } from "../../bench/nearest.ts";
import { readNamedFile } from "../../components/shared/files.ts";
import { checkInput, parseInput, type ReadInputs } from "../../report/index.ts";
import { automation } from "../run/automation.ts";
import { readDeployed } from "../run/deployed.ts";
import { PARTIAL } from "../run/result-files.ts";

/** Beside results in `out/`, of `npm run advise`. */
const ADVICE = "advice.json";

/** Files of whole results of a directory within `base`, by name; none where there is no such directory. */
export function resultsFilesIn(directory: string, base: string): string[] {
  try {
    return readdirSync(resolve(base, directory))
      .filter((name) => name.endsWith(".json") && !name.endsWith(PARTIAL) && name !== ADVICE)
      .sort()
      .map((name) => join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw error;
  }
}

/** Reads results files, relative to `base`; each that cannot be read becomes a problem. */
export function readFiles(files: readonly string[], base: string): ReadInputs {
  let bytes = 0;
  const all = files.map((file) => {
    try {
      const check = parseInput(file, readNamedFile(resolve(base, file)));
      const { size } = statSync(resolve(base, file));
      bytes += size;
      collectGarbage(size);
      return check();
    } catch (error) {
      return { inputs: [], problems: [`${file}: cannot be read: ${(error as Error).message}`] };
    }
  });
  collectGarbage(bytes);
  return merge(all);
}

/** Bytes of results that are worth a collection's time. */
const LARGE_BYTES = 20e6;

/** Frees what reading so many bytes has left. Does nothing without `--expose-gc`, which `npm run report` has. */
function collectGarbage(bytes: number): void {
  if (bytes >= LARGE_BYTES) {
    // Node would let its heap double first.
    (globalThis as { gc?: () => void }).gc?.();
  }
}

/** Reads the output `results` of stacks, through the Automation API, without selecting or changing them. */
export async function readStacks(names: readonly string[]): Promise<ReadInputs> {
  if (names.length === 0) {
    return { inputs: [], problems: [] };
  }
  const { LocalWorkspace } = await automation();
  const workDir = fileURLToPath(new URL("../../", import.meta.url));
  const workspace = await LocalWorkspace.create({ workDir });
  const read = names.map(async (name): Promise<ReadInputs> => {
    try {
      const { deployment } = await workspace.exportStack(name);
      return readOutput(name, readDeployed(deployment?.resources ?? []).results);
    } catch (error) {
      const there = await workspace.listStacks().catch(() => []);
      const problem = `stack ${name}: cannot be read: ${firstError(error as Error)}`;
      return { inputs: [], problems: [`${problem}${candidates(name, there)}`] };
    }
  });
  return merge(await Promise.all(read));
}

/** The stacks that a wrong name was probably meant to be, else all; "": the stack is there. */
function candidates(name: string, there: readonly { readonly name: string }[]): string {
  const names = there.map((stack) => stack.name);
  if (names.includes(name)) {
    return "";
  }
  if (names.length === 0) {
    return "; this backend has no stacks: see `pulumi whoami --verbose`, or measure with npm run compare";
  }
  return hintOf(name, names, `there are ${names.join(", ")}`);
}

function readOutput(stack: string, value: unknown): ReadInputs {
  return value === undefined
    ? {
        inputs: [],
        problems: [`stack ${stack}: output results: there is none; run: pulumi up --stack ${stack}`],
      }
    : checkInput(`stack ${stack}`, value);
}

/** The line of Pulumi's output that says what is wrong. */
function firstError({ message }: Error): string {
  return /error: (.*)/.exec(message)?.[1] ?? message.split("\n")[0] ?? message;
}

/** All inputs and problems of several readings. */
export function merge(all: readonly ReadInputs[]): ReadInputs {
  return { inputs: all.flatMap(({ inputs }) => inputs), problems: all.flatMap(({ problems }) => problems) };
}
