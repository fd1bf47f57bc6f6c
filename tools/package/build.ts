/**
 * `build.ts [<directory>]`: builds the package's content, by default into `dist/`. CommonJS with declarations, one file per
 * module.
 *
 * CommonJS, because Pulumi's TypeScript template is, and ES modules can import it as well: one copy of each class and
 * schema for every importer, on any Node that Pulumi runs on. The sources are ES modules run by Node's type stripping.
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import ts from "typescript";
import type { z } from "zod";
import { pageTexts } from "../../report/page/texts/texts.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const [directory = `${root}dist`, ...more] = process.argv.slice(2);
if (directory.startsWith("-") || more.length > 0) {
  const given = process.argv.slice(2).join(" ");
  console.error(`npm run build: expected one directory; got ${given}; see: npm run build -- --help`);
  process.exit(2);
}
const output = resolve(directory);

/** Modules that run as programs; nothing imports them. */
const programs = ["components/shared/generate-key-pair.ts", "components/local/lab/main.ts", "cli/main.ts"];

/** The source of each entry in package.json: `./dist/bench/index.js` comes from `bench/index.ts`. */
function entries(): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    exports: Record<string, { default?: string }>;
  };
  return Object.values(exports).flatMap(
    ({ default: path }) => path?.replace("./dist/", "").replace(/\.js$/, ".ts") ?? [],
  );
}

const textsModule = `${root}report/page/texts/texts.ts`;
const madeTexts = `export const pageTexts = () => (${JSON.stringify(pageTexts())});\n`;

async function buildCode(): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: [...entries(), ...programs],
    platform: "node",
    // The user's dependencies stay outside, so that there is one copy of the SDK and the providers.
    external: /^[^./]/,
    plugins: [{ name: "page-texts", load: (id) => (id === textsModule ? madeTexts : null) }],
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
 * Builds declarations. TypeScript leaves `.ts` in their specifiers, where not every version looks for `.d.ts`; and users
 * need not compile zod's declarations.
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
      .replace(/^import (?:type )?\{ z \} from "zod";$/m, `import type * as z from "${zodTypes}";`)
      .replaceAll('import("zod")', `import("${zodTypes}")`)
      .replaceAll('import("zod/v4/core")', `import("${zodTypes}").core`);
    if (/["']zod\b/.test(text)) {
      throw new Error(
        `${file} imports zod otherwise than as { z }, whose types tools/package/zod-types.d.ts stands in for`,
      );
    }
    const source = `${root}${relative(output, file).replace(/\.d\.ts$/, ".ts")}`;
    writeFileSync(file, /\bz\.Zod/.test(text) ? withComments(text, source, await import(source)) : text);
  }
  cpSync(`${root}tools/package/zod-types.d.ts`, `${output}/zod-types.d.ts`);
}

/** The library's sources as a program without packages: only comments are read from it, not types. */
function sourceProgram(): ts.Program {
  const options = {
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    noLib: true,
  };
  const host = ts.createCompilerHost(options);
  const isOwn = (name: string) => !name.includes("/node_modules");
  return ts.createProgram(globSync(`${root}components/**/*.ts`), options, {
    ...host,
    fileExists: (name) => isOwn(name) && host.fileExists(name),
    directoryExists: (name) => isOwn(name) && (host.directoryExists?.(name) ?? true),
  });
}

const sources = sourceProgram();
const checker = sources.getTypeChecker();

/** Properties of the object literal that a node begins with, including spread ones. */
function propertiesIn(node: ts.Node | undefined): readonly ts.Symbol[] {
  const literalIn = (one: ts.Node): ts.ObjectLiteralExpression | undefined =>
    ts.isObjectLiteralExpression(one) ? one : ts.forEachChild(one, literalIn);
  const literal = node && literalIn(node);
  return literal === undefined ? [] : checker.getTypeAtLocation(literal).getProperties();
}

function declarationIn(source: string, name: string): ts.Node | undefined {
  const statements = sources.getSourceFile(source)?.statements.filter(ts.isVariableStatement) ?? [];
  return statements
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((one) => one.name.getText() === name);
}

/** The comment above a property, as one line. */
function commentOf(property: ts.Symbol | undefined): string | undefined {
  const [above] = property?.valueDeclaration ? ts.getJSDocCommentsAndTags(property.valueDeclaration) : [];
  return above?.getText().replaceAll(/\s*\n\s*(\*(?!\/) ?)?/g, " ");
}

/** Declarations in which each property of a schema has its description, or the source's comment, for editors. */
function withComments(text: string, source: string, module: Readonly<Record<string, z.ZodType>>): string {
  const schemas: (z.ZodType | undefined)[] = [];
  const declared: (ts.Node | undefined)[] = [];
  return text
    .split("\n")
    .flatMap((line) => {
      const constant = /^(?:export )?declare const (\w+): .*\{$/.exec(line)?.[1];
      if (constant !== undefined) {
        schemas[0] = module[constant];
        declared[0] = declarationIn(source, constant);
      }
      const [, indent = "", name = ""] = /^((?: {4})+)(\w+): /.exec(line) ?? [];
      const depth = indent.length / 4;
      if (depth === 0) return [line];
      const property = propertiesIn(declared[depth - 1]).find((one) => one.name === name);
      declared[depth] = property?.valueDeclaration;
      schemas[depth] = propertyOf(schemas[depth - 1], name);
      const comment = commentOf(property) ?? descriptionOf(schemas[depth]);
      return comment === undefined ? [line] : [`${indent}${comment}`, line];
    })
    .join("\n");
}

function descriptionOf(schema: z.ZodType | undefined): string | undefined {
  const { description, fallback, default: value = fallback } = schema?.meta() ?? {};
  const ending = value === undefined ? "" : ` @default ${String(value)}`;
  return description === undefined ? undefined : `/** ${description}${ending} */`;
}

/** A property of an object schema, without its optional and read-only wrappers. */
function propertyOf(schema: z.ZodType | undefined, name: string): z.ZodType | undefined {
  const { shape, unwrap } = (schema ?? {}) as Partial<z.ZodObject> & { unwrap?(): z.ZodType };
  return (
    (shape as Record<string, z.ZodType> | undefined)?.[name] ??
    (unwrap && propertyOf(unwrap.call(schema), name))
  );
}

/** Copies the Python and shell for hosts and functions, which the library reads from its own directory. */
function copyPrograms(): void {
  for (const file of globSync(["agent/**/*.py", "agent/contract.json", "components/**/*.{py,sh,nft}"], {
    cwd: root,
  })) {
    cpSync(`${root}${file}`, `${output}/${file}`);
  }
}

rmSync(output, { recursive: true, force: true });
await buildCode();
await buildDeclarations();
copyPrograms();
// The package itself has ES modules, since Node runs its sources.
writeFileSync(`${output}/package.json`, '{ "type": "commonjs" }\n');
