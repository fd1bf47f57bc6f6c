/** Reads results from files and from outputs of stacks, which stay unchanged. */
import { type Dirent, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { oneLine, parsePlainJson } from "../../bench/index.ts";
import { hintOf } from "../../bench/nearest.ts";
import { validate } from "../../bench/validate.ts";
import { readNamedFile, reasonOf } from "../../components/shared/files.ts";
import {
  type Contribution,
  checkInput,
  contributionSchema,
  parseInput,
  type ReadInputs,
} from "../../report/index.ts";
import { pulumiCommand } from "../pulumi/automation.ts";
import { readDeployed } from "../pulumi/deployed.ts";
import { engineWords } from "../pulumi/engine-words.ts";
import { PARTIAL } from "../terminal/result-files.ts";
import { UsageError } from "../usage-error.ts";

/** File of `npm run advise` that may lie next to results in `out/`. */
const ADVICE = "advice.json";

/** Files with whole results in a directory within `base`, sorted by name; none if the directory is missing. */
export function resultsFilesIn(directory: string, base: string): string[] {
  return entriesOf(directory, base)
    .map(({ name }) => name)
    .filter((name) => name.endsWith(".json") && !name.endsWith(PARTIAL) && name !== ADVICE)
    .sort()
    .map((name) => join(directory, name));
}

/** @throws {UsageError} for an existing directory that cannot be read */
function entriesOf(directory: string, base: string): Dirent[] {
  try {
    return readdirSync(resolve(base, directory), { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw new UsageError(`${directory} cannot be read: ${reasonOf(error)}`);
  }
}

/** Directory of files for other services, beside results. */
const EXPORTS = "exports";

function isDirectory(name: string, base: string): boolean {
  try {
    return statSync(resolve(base, name)).isDirectory();
  } catch {
    return false; // whoever reads it says why it cannot be read
  }
}

/** Files of a list, with every directory replaced by the files with whole results in it and below it; one without stays. */
export function resultsFilesOf(names: readonly string[], base: string): string[] {
  return names.flatMap((name) => {
    const files = isDirectory(name, base) ? resultsFilesBelow(name, base) : [];
    return files.length > 0 ? files : [name];
  });
}

function resultsFilesBelow(directory: string, base: string): string[] {
  const directories = entriesOf(directory, base)
    .filter((one) => one.isDirectory() && one.name !== EXPORTS)
    .map((one) => join(directory, one.name))
    .sort();
  return [...resultsFilesIn(directory, base), ...directories.flatMap((one) => resultsFilesBelow(one, base))];
}

/** Reads results files, relative to `base`; each unreadable one becomes a problem. */
export function readFiles(files: readonly string[], base: string): ReadInputs {
  let bytes = 0;
  const all = files.map((file) => {
    try {
      if (isDirectory(file, base)) {
        return { inputs: [], problems: [`${file}: it is a directory without results; expected *.json`] };
      }
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

/** Size of results from which garbage collection is worth its time. */
const LARGE_BYTES = 20e6;

/** Frees the memory that reading has left. Does nothing without `--expose-gc`, which `npm run report` has. */
function collectGarbage(bytes: number): void {
  if (bytes >= LARGE_BYTES) {
    // Without this Node would double its heap first.
    (globalThis as { gc?: () => void }).gc?.();
  }
}

/** Reads the output `results` of stacks through the Automation API, without selecting or changing them. */
export async function readStacks(names: readonly string[]): Promise<ReadInputs> {
  if (names.length === 0) {
    return { inputs: [], problems: [] };
  }
  const { LocalWorkspace } = await import("@pulumi/pulumi/automation/index.js");
  const workDir = fileURLToPath(new URL("../../", import.meta.url));
  const opened = pulumiCommand().then((command) =>
    LocalWorkspace.create({ workDir, pulumiCommand: command }),
  );
  const read = names.map(async (name): Promise<ReadInputs> => {
    try {
      const { deployment } = await (await opened).exportStack(name);
      return readOutput(name, readDeployed(deployment?.resources ?? []).results);
    } catch (error) {
      const there = await opened.then((workspace) => workspace.listStacks()).catch(() => null);
      const problem = `stack ${name}: cannot be read: ${oneLine(engineWords(error as Error))}`;
      return { inputs: [], problems: [`${problem}${there === null ? "" : candidates(name, there)}`] };
    }
  });
  return merge(await Promise.all(read));
}

/** Similar stack names for a wrong one, else all; "": the stack exists. */
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

export function merge(all: readonly ReadInputs[]): ReadInputs {
  return { inputs: all.flatMap(({ inputs }) => inputs), problems: all.flatMap(({ problems }) => problems) };
}

const own = fileURLToPath(new URL("../../results/", import.meta.url));

/**
 * Every run of the library, by file name.
 *
 * @param directory Ends in a slash. @default the repository's
 * @throws {Error} naming a file that is no contribution
 */
export function readLibrary(directory = own): Contribution[] {
  return globSync("{azure,aws,lab}/*.json", { cwd: directory })
    .sort()
    .map((name) =>
      validate(
        contributionSchema,
        jsonOf(name, directory),
        ([problem]) => new Error(`results/${name}: ${problem}; make it with npm run contribute`),
      ),
    );
}

function jsonOf(name: string, directory: string): unknown {
  try {
    return parsePlainJson(readFileSync(`${directory}${name}`, "utf8"));
  } catch (error) {
    throw new Error(`results/${name}: ${reasonOf(error)}; make it with npm run contribute`);
  }
}
