/**
 * SDKs of the component plugin as Pulumi's own generator writes them from the committed schema, and the documents' programs
 * with them: Go compiles, Node compiles, Python runs with mocks. Opt-in, as `yaml.test.ts`. Not proved: C# and Java.
 */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { VERSION } from "../helpers/component-plugin.ts";
import { ROOT, run } from "../helpers/consumers.ts";
import { blocksOf } from "../helpers/doc-blocks.ts";
import { languageTools } from "./tools.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-sdk-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const tools = languageTools();
const own = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The SDK, and where it is. */
function generate(language: "go" | "nodejs" | "python"): string {
  const output = join(directory, language);
  execFileSync(join(tools, "generate-sdk"), [language, `${ROOT}plugins/components/schema.json`, output]);
  return output;
}

/** The documents' program in a language. */
function documented(language: string): string {
  const block = blocksOf("plugins/components/README.md").find(
    (one) => one.language === language && one.words[0] === "program",
  );
  expect(block, language).toBeDefined();
  return block?.text ?? "";
}

test("Go compiles, with the documented program", async () => {
  const sdk = join(generate("go"), "egressbench");
  const module = "example.com/pulumi-egress-bench/sdk/go/egress-bench";
  const program = join(directory, "go-program");
  mkdirSync(program);
  // The versions that the generator is built with.
  const manifest = readFileSync(own("go/go.mod"), "utf8").replace(/^tool .*$/m, "");
  writeFileSync(join(sdk, "go.mod"), manifest.replace(/^module .*$/m, `module ${module}`));
  const uses = `require ${module} v0.0.0\nreplace ${module} => ${sdk}\n`;
  writeFileSync(join(program, "go.mod"), `${manifest.replace(/^module .*$/m, "module program")}\n${uses}`);
  writeFileSync(join(program, "main.go"), documented("go"));
  for (const place of [sdk, program]) {
    copyFileSync(own("go/go.sum"), join(place, "go.sum"));
    await run(
      "env",
      [
        "GOWORK=off",
        "CGO_ENABLED=0",
        "go",
        "build",
        "-trimpath",
        "-buildvcs=false",
        "-mod=mod",
        "-o",
        "/dev/null",
        "./...",
      ],
      place,
    );
  }
});

test("Node compiles", async () => {
  const sdk = generate("nodejs");
  symlinkSync(`${ROOT}node_modules`, join(sdk, "node_modules"));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "commonjs", "--target", "es2020"];
  const compiler = `${ROOT}node_modules/typescript-5/bin/tsc`;
  await run(process.execPath, [compiler, ...options, "--types", "node", "index.ts"], sdk);
});

test("Python runs the documented program, with mocks", async () => {
  const sdk = generate("python");
  writeFileSync(join(directory, "program.py"), documented("python"));
  // What an installation adds: the SDK asks for its own version.
  const installed = join(sdk, `pulumi_egress_bench-${VERSION}.dist-info`);
  mkdirSync(installed);
  const metadata = `Metadata-Version: 2.1\nName: pulumi_egress_bench\nVersion: ${VERSION}\n`;
  writeFileSync(join(installed, "METADATA"), metadata);
  const path = `PYTHONPATH=${sdk}:${join(tools, "python")}`;
  const said = await run("env", [path, "python3", own("mocked.py"), "program.py"], directory);
  expect(JSON.parse(said)).toEqual({
    "egress-bench:index:AwsBenchPair": ["egress", "instanceType", "sshAllowedCidrs", "zone"],
    "egress-bench:index:BenchmarkRun": [
      ...["client", "cloud", "expectedSourceIps", "natInstance", "server", "topology"],
    ],
  });
});
