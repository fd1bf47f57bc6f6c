/**
 * `build.ts [<directory>]`: builds what the package holds, by default into `dist/`. CommonJS with declarations, one file
 * a module.
 *
 * CommonJS, because Pulumi's TypeScript template is, and ES modules can import it as well: one copy of each class and
 * schema whoever asks, on any Node that Pulumi runs on. The sources are ES modules run by Node's type stripping.
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import type { z } from "zod";

const root = fileURLToPath(new URL("../", import.meta.url));
const output = resolve(process.argv[2] ?? `${root}dist`);

/** Modules that are run as programs by {@link siblingProgram}, and nobody imports. */
const programs = ["components/shared/generate-key-pair.ts", "components/local/lab/main.ts"];

/** The source of each entry in package.json: `./dist/bench/index.js` is made of `bench/index.ts`. */
function entries(): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    exports: Record<string, { default?: string }>;
  };
  return Object.values(exports).flatMap(
    ({ default: path }) => path?.replace("./dist/", "").replace(/\.js$/, ".ts") ?? [],
  );
}

async function buildCode(): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: [...entries(), ...programs],
    platform: "node",
    // Dependencies of the user stay outside, so that there is one copy of the SDK and the providers.
    external: /^[^./]/,
  });
  await bundle.write({
    dir: output,
    format: "cjs",
    esModule: true,
    exports: "named",
    preserveModules: true,
    preserveModulesRoot: root,
  });
  await bundle.close();
}

/**
 * TypeScript leaves `.ts` in the specifiers of declarations, where not every version of it looks for `.d.ts`; and
 * zod's declarations are not asked of everybody.
 */
async function buildDeclarations(): Promise<void> {
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", `${root}tsconfig.build.json`, "--outDir", output], {
    stdio: "inherit",
  });
  for (const file of globSync(`${output}/**/*.d.ts`)) {
    const zodTypes = relative(dirname(file), `${output}/zod-types.js`);
    const text = readFileSync(file, "utf8")
      .replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"')
      .replace(/^import (?:type )?\{ z \} from "zod";$/m, `import type * as z from "${zodTypes}";`);
    if (/from "zod"/.test(text)) {
      throw new Error(
        `${file} imports zod otherwise than as { z }, whose types package/zod-types.d.ts stands in for`,
      );
    }
    const source = `${root}${relative(output, file).replace(/\.d\.ts$/, ".ts")}`;
    writeFileSync(file, text.includes(OBJECT_SCHEMA) ? withDescriptions(text, await import(source)) : text);
  }
  cpSync(`${root}package/zod-types.d.ts`, `${output}/zod-types.d.ts`);
}

const OBJECT_SCHEMA = "ZodObject<{";

/** Declarations in which each property of a schema has its description as its comment, for editors to show. */
function withDescriptions(text: string, module: Readonly<Record<string, z.ZodType>>): string {
  const schemas: (z.ZodType | undefined)[] = [];
  return text
    .split("\n")
    .flatMap((line) => {
      const declared = /^export declare const (\w+): .*\{$/.exec(line)?.[1];
      if (declared !== undefined) schemas[0] = module[declared];
      const [, indent = "", name = ""] = /^((?: {4})+)(\w+): /.exec(line) ?? [];
      const depth = indent.length / 4;
      if (depth === 0) return [line];
      const property = propertyOf(schemas[depth - 1], name);
      schemas[depth] = property;
      const { description, fallback, default: value = fallback } = property?.meta() ?? {};
      const ending = value === undefined ? "" : ` @default ${String(value)}`;
      return description === undefined ? [line] : [`${indent}/** ${description}${ending} */`, line];
    })
    .join("\n");
}

/** A property of an object schema, beneath what makes it optional or read-only. */
function propertyOf(schema: z.ZodType | undefined, name: string): z.ZodType | undefined {
  const { shape, unwrap } = (schema ?? {}) as Partial<z.ZodObject> & { unwrap?(): z.ZodType };
  return (
    (shape as Record<string, z.ZodType> | undefined)?.[name] ??
    (unwrap && propertyOf(unwrap.call(schema), name))
  );
}

/** Copies the Python and shell that hosts and functions are given, which the library reads where it lies. */
function copyPrograms(): void {
  for (const file of globSync(["agent/**/*.py", "agent/contract.json", "components/**/*.{py,sh}"], {
    cwd: root,
  })) {
    cpSync(`${root}${file}`, `${output}/${file}`);
  }
}

rmSync(output, { recursive: true, force: true });
await buildCode();
await buildDeclarations();
copyPrograms();
// The package itself is of ES modules, for Node runs its sources.
writeFileSync(`${output}/package.json`, '{ "type": "commonjs" }\n');
