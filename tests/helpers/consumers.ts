/**
 * Projects that use the packed library: made from Pulumi's templates, previewed by the real engine with stand-ins for the
 * clouds' providers. All share one package directory with exactly the packages of package.json.
 */
import { execFile, execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import { type AttachedProcess, startAttached } from "./attached/start.ts";
import { FakeEc2 } from "./aws-standin/fake-ec2.ts";
import { withExisting } from "./aws-standin/mocks.ts";
import { nodeBinary } from "./fetched-packages.ts";
import { madeOnce } from "./made-once.ts";
import { createEngine } from "./pulumi.ts";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The package's entry points. */
export const ENTRIES = ["", "/azure", "/aws", "/local", "/bench", "/report", "/testing"].map(
  (path) => `egress-bench${path}`,
);

/** Runs a program to its end. @throws with what it printed, when it fails */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd, encoding: "utf8" })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`, { cause: error });
  }
}

/** The published form of the library. */
export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  /** Directory `node_modules` with the library and its dependencies. */
  readonly packages: string;
}

/** The templates' own packages, by this project's name for them. */
const templatePackages: Readonly<Record<string, string>> = {
  "@types/node": "@types/node",
  typescript: "typescript-5",
  tsx: "tsx",
};

/** Packs the library and installs it with this project's versions of its dependencies: `directory` gets a link to that. */
export async function packLibrary(directory: string): Promise<Packed> {
  const shared = await madeOnce("library", pack);
  symlinkSync(join(shared, "node_modules"), join(directory, "node_modules"));
  return JSON.parse(readFileSync(join(shared, PACKED), "utf8"));
}

/** File with the result of {@link pack}. */
const PACKED = "packed.json";

async function pack(directory: string): Promise<void> {
  const source = join(directory, "source");
  mkdirSync(source);
  for (const file of ["package.json", "README.md", "LICENSE", "CHANGELOG.md"]) {
    copyFileSync(join(ROOT, file), join(source, file));
  }
  // Not into this project's own dist/, which another test may be building.
  await run(process.execPath, [join(ROOT, "tools/package/build.ts"), join(source, "dist")], ROOT);
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", directory];
  const [packed] = JSON.parse(await run("npm", args, source)) as [
    { filename: string; files: { path: string }[] },
  ];
  const packages = join(directory, "node_modules");
  const own = join(packages, "egress-bench");
  mkdirSync(own, { recursive: true });
  const tarball = join(directory, packed.filename);
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", own]);
  const manifest = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  installPackages(packages, [
    ...Object.entries(templatePackages),
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).map(sameName),
  ]);
  const made: Packed = { tarball, files: packed.files.map(({ path }) => path), packages };
  writeFileSync(join(directory, PACKED), JSON.stringify(made));
}

const sameName = (name: string) => [name, name] as const;

/**
 * Installs packages by name, from this project's under another. The SDK and its providers are copied, since they look for
 * TypeScript and each other relative to themselves; the others are links.
 */
function installPackages(
  packages: string,
  names: readonly (readonly [name: string, source: string])[],
): void {
  for (const [name, source] of names) {
    const from = join(ROOT, "node_modules", source);
    const to = join(packages, name);
    if (existsSync(to)) {
      continue;
    }
    mkdirSync(dirname(to), { recursive: true });
    if (name.startsWith("@pulumi/")) {
      copyPackage(from, to);
      const { dependencies = {} } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
      installPackages(packages, Object.keys(dependencies).map(sameName));
    } else {
      symlinkSync(from, to);
    }
  }
}

/** Copies 28,000 files, as hard links if possible. */
function copyPackage(from: string, to: string): void {
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "pipe" });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync("cp", ["-a", from, to]);
  }
}

export interface ConsumerArgs {
  readonly name: string;
  /** Node version that runs the program, such as `22.12.0`. @default this one */
  readonly node?: string | undefined;
  /** Options in Pulumi.yaml. @default the template's, which has none */
  readonly options?: Readonly<Record<string, boolean | string>> | undefined;
  /** Texts by path, including package.json. */
  readonly files: Readonly<Record<string, string>>;
}

/** A project that `pulumi new` makes from a directory of templates/. */
export interface TemplateArgs {
  readonly name: string;
  readonly template: string;
  /** The stack's configuration, by key without the project's name. */
  readonly config: Readonly<Record<string, string>>;
}

/** A project in `directory` that uses the library. @returns its own directory */
export function makeConsumer(directory: string, args: ConsumerArgs | TemplateArgs): string {
  const own = join(directory, args.name);
  mkdirSync(own);
  symlinkSync(join(directory, "node_modules"), join(own, "node_modules"));
  if ("template" in args) {
    const from = ["new", join(ROOT, "templates", args.template), "--force", "--generate-only", "--yes"];
    execFileSync("pulumi", [...from, "--name", args.name, "--dir", own], { stdio: "pipe" });
    const { name: project } = parse(readFileSync(join(own, "Pulumi.yaml"), "utf8"));
    const config = Object.entries(args.config).map(([key, value]) => [
      key.includes(":") ? key : `${project}:${key}`,
      value,
    ]);
    writeFileSync(join(own, "Pulumi.dev.yaml"), stringify({ config: Object.fromEntries(config) }));
    return own;
  }
  const runtime = args.options === undefined ? "nodejs" : { name: "nodejs", options: args.options };
  writeFileSync(join(own, "Pulumi.yaml"), stringify({ name: args.name, runtime }));
  for (const [path, text] of Object.entries(args.files)) {
    writeFileSync(join(own, path), text);
  }
  return own;
}

/** Options for running a project's program. */
interface PreviewOptions {
  readonly standIns: AttachedProcess;
  /** Whether ts-node checks the program's types, which takes twice as long as everything else. @default false */
  readonly checksTypes?: boolean;
}

/** Types of resources that a preview would create. */
export function previewConsumer(
  directory: string,
  args: ConsumerArgs | TemplateArgs,
  options: PreviewOptions,
): Promise<string[]> {
  return withConsumer(directory, args, options, async (stack) => {
    const types: string[] = [];
    await stack.preview({
      onEvent: ({ resourcePreEvent }) => {
        if (resourcePreEvent?.metadata.op === "create") types.push(resourcePreEvent.metadata.type);
      },
    });
    return types;
  });
}

/** Makes a project that uses the library, with a stack while `use` runs. @param use Also gets the project's directory. */
export async function withConsumer<T>(
  directory: string,
  args: ConsumerArgs | TemplateArgs,
  { standIns, checksTypes = false }: PreviewOptions,
  use: (stack: Stack, project: string) => Promise<T>,
): Promise<T> {
  const own = makeConsumer(directory, args);
  const node = "node" in args ? args.node : undefined;
  const engine = createEngine({
    ...environmentOf(own, nodeBinary(node)),
    ...standIns.providers,
    PULUMI_NODEJS_TRANSPILE_ONLY: String(!checksTypes),
  });
  try {
    return await use(await engine.projectStack("dev", own), own);
  } finally {
    engine.dispose();
  }
}

/** Starts stand-ins of the clouds' providers, and a command plugin that runs nothing, for any engine. @param directory For their clouds. */
export function startStandIns(directory: string): Promise<AttachedProcess> {
  const file = (name: string) => join(directory, name);
  writeFileSync(file("ec2.json"), JSON.stringify(withExisting(new FakeEc2()).state));
  return startAttached(
    {
      providers: { aws: file("ec2.json"), "azure-native": file("arm.json"), command: null },
      faults: file("faults.json"),
    },
    directory,
  );
}

/**
 * PATH for a project's Pulumi: its Node, and a language host that follows its Pulumi.yaml. The language host built here is
 * older than the CLI, and takes the runtime's options as arguments.
 */
function environmentOf(project: string, node: string): Record<string, string> {
  const bin = join(project, "bin");
  mkdirSync(bin);
  symlinkSync(node, join(bin, "node"));
  const pulumi = realpathSync(execFileSync("which", ["pulumi"], { encoding: "utf8" }).trim());
  const old = join(dirname(pulumi), "language-nodejs");
  if (existsSync(old)) {
    const { runtime } = parse(readFileSync(join(project, "Pulumi.yaml"), "utf8"));
    const { typescript = true, nodeargs = "" } = runtime.options ?? {};
    const script = `#!/bin/sh\nexec '${old}' -typescript=${typescript} -nodeargs='${nodeargs}' "$@"\n`;
    writeFileSync(join(bin, "pulumi-language-nodejs"), script, { mode: 0o755 });
  } else {
    symlinkSync(join(dirname(pulumi), "pulumi-language-nodejs"), join(bin, "pulumi-language-nodejs"));
  }
  return { PATH: `${bin}:${process.env.PATH}`, PULUMI_IGNORE_AMBIENT_PLUGINS: "false" };
}

/** A program of the README, by the word after its language. */
export function readmeProgram(word: string): string {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const program = readme.match(new RegExp(`^\`\`\`ts ${word}\n(.*?)^\`\`\``, "ms"))?.[1];
  if (program === undefined) {
    throw new Error(`README.md has no block that starts with \`\`\`ts ${word}`);
  }
  return program;
}
