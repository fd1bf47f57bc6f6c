/**
 * Every TypeScript block of the documents and every `@example` of an exported component class compiles against the
 * library as it is packed. That an example does what it says is not proved here.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeConsumer, packLibrary, ROOT } from "../helpers/consumers.ts";
import { allBlocks } from "../helpers/doc-blocks.ts";
import { ambientNames, cloudOf } from "../helpers/example-names.ts";
import { typeErrors } from "../helpers/type-errors.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-examples-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeAll(async () => {
  await packLibrary(directory);
});

const entries = ["", "azure/", "aws/", "local/"].map((room) => `${ROOT}components/${room}index.ts`);

interface ExportedClass {
  readonly name: string;
  readonly words: string;
  readonly examples: readonly string[];
}

/** The classes that the library exports, from the sources, which have the comments. */
function exportedClasses(): ExportedClass[] {
  const options = { module: ts.ModuleKind.NodeNext, allowImportingTsExtensions: true, noEmit: true };
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  return entries.flatMap((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol;
    return checker
      .getExportsOfModule(module)
      .map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one))
      .filter(({ declarations = [] }) => declarations.some(ts.isClassDeclaration))
      .map((symbol) => ({
        name: `${entry.slice(`${ROOT}components/`.length).replace("index.ts", "")}${symbol.name}`,
        words: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        examples: symbol
          .getJsDocTags(checker)
          .filter(({ name }) => name === "example")
          .map(({ text }) => ts.displayPartsToString(text).replace(/^```ts\n|\n```$/g, "")),
      }));
  });
}

const classes = exportedClasses();

test("every exported class has an example and says what it costs", () => {
  expect(classes.length).toBeGreaterThan(30);
  expect(classes.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
  expect(classes.filter(({ words }) => !/\bcosts?\b/i.test(words)).map(({ name }) => name)).toEqual([]);
});

const blocks = allBlocks.filter(({ language }) => language === "ts");
const programs = [
  ...classes.flatMap(({ name, examples }) => examples.map((text) => [name, text] as const)),
  ...blocks.map(({ place, text }) => [place, text] as const),
];

test("their count", () => {
  console.log(`examples: ${programs.length - blocks.length} of classes, ${blocks.length} of documents`);
  expect(programs.length).toBeGreaterThan(35);
});

// The library's own declarations are compiled in package.test.ts.
const compilerOptions = {
  ...{ skipLibCheck: true, strict: true, target: "es2022", module: "nodenext", moduleResolution: "nodenext" },
  ...{ moduleDetection: "force", noEmit: true },
};

test.each(["azure", "aws", "local"] as const)("examples of %s compile", (cloud) => {
  const own = programs.filter(([, text]) => cloudOf(text) === cloud);
  expect(own.length).toBeGreaterThan(3);
  const project = makeConsumer(directory, {
    name: `examples-${cloud}`,
    files: {
      "package.json": '{ "type": "module" }',
      "tsconfig.json": JSON.stringify({ compilerOptions }),
      "names.d.ts": ambientNames[cloud],
      ...Object.fromEntries(own.map(([name, text]) => [`${name.replaceAll(/[^\w]/g, "-")}.ts`, text])),
    },
  });
  expect(typeErrors(project, (file) => file.startsWith(project))).toEqual([]);
});
