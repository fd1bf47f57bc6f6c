/** Docstrings: users see in the editor what each exported interface, class and field of a component is. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { withoutPackages } from "../helpers/type-errors.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const entries = ["", "azure/", "aws/", "local/"].map((room) => `${root}components/${room}index.ts`);
const options = {
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  noLib: true,
};
const host = withoutPackages(ts.createCompilerHost(options), /\/node_modules\//);
const program = ts.createProgram(entries, options, host);
const checker = program.getTypeChecker();

function isDocumented(symbol: ts.Symbol): boolean {
  return symbol.getDocumentationComment(checker).length > 0 || symbol.getJsDocTags(checker).length > 0;
}

/** Interfaces and classes that an entry exports. */
function exported(entry: string): (ts.InterfaceDeclaration | ts.ClassDeclaration)[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol;
  return checker
    .getExportsOfModule(module)
    .map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one))
    .flatMap((one) => one.declarations ?? [])
    .filter((one) => ts.isInterfaceDeclaration(one) || ts.isClassDeclaration(one));
}

/** Undocumented names: of the declaration and of its public fields, including the contracts'. */
function bare(one: ts.InterfaceDeclaration | ts.ClassDeclaration): string[] {
  const own = one.name?.text ?? "";
  const names = [...one.members].flatMap((member) =>
    member.name === undefined || ts.isPrivateIdentifier(member.name) ? [] : [member.name],
  );
  const symbolOf = (name: ts.Node) => checker.getSymbolAtLocation(name) as ts.Symbol;
  return [
    ...(isDocumented(symbolOf(one.name as ts.Identifier)) ? [] : [own]),
    ...names.filter((name) => !isDocumented(symbolOf(name))).map((name) => `${own}.${name.getText()}`),
  ];
}

test.each(entries.map((entry) => entry.slice(root.length)))("%s exports nothing undocumented", (entry) => {
  const declarations = exported(`${root}${entry}`);
  expect(declarations.length).toBeGreaterThan(3);
  expect(declarations.flatMap(bare)).toEqual([]);
});

/** Optional fields of an interface without a stated default. */
function withoutDefault(one: ts.InterfaceDeclaration | ts.ClassDeclaration): string[] {
  return [...one.members].flatMap((member) => {
    if (!ts.isPropertySignature(member) || member.questionToken === undefined) return [];
    const tags = (checker.getSymbolAtLocation(member.name) as ts.Symbol).getJsDocTags(checker);
    return tags.some(({ name }) => name === "default") ? [] : [`${one.name?.text}.${member.name.getText()}`];
  });
}

test("every optional argument says its default", () => {
  const declarations = entries.flatMap((entry) => exported(entry));
  expect(declarations.flatMap(withoutDefault)).toEqual([]);
});

/** Arguments in a file's schemas without a description, or optional without a default. */
function bareArguments(path: string, text = readFileSync(root + path, "utf8")): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const declarations = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  return declarations.flatMap(({ name, initializer }) => {
    const shape = initializer && ts.isCallExpression(initializer) ? initializer.arguments[0] : initializer;
    // The types of arguments are inferred from it.
    if (
      !new RegExp(`extends [\\w.<]*<typeof ${name.getText()}>`).test(text) ||
      !shape ||
      !ts.isObjectLiteralExpression(shape)
    )
      return [];
    const own = shape.properties.filter((one) => !ts.isSpreadAssignment(one));
    const isBare = (one: ts.ObjectLiteralElementLike) => {
      const words = ts
        .getJSDocCommentsAndTags(one)
        .map((each) => each.getText())
        .join("");
      if (/\.(meta|describe)\(|: natGroupSchema/.test(one.getText())) return false;
      return (
        words === "" || (/\.optional\(\)$|: optional\w+$/.test(one.getText()) && !words.includes("@default"))
      );
    };
    return own.filter(isBare).map((one) => `${path}: ${name.getText()}.${one.name?.getText()}`);
  });
}

test("every argument of a component has a description and a default", () => {
  const files = readdirSync(`${root}components`, { recursive: true, encoding: "utf8" });
  const code = files.filter((name) => name.endsWith(".ts") && !name.startsWith("nat-instance/"));
  expect(code.flatMap((name) => bareArguments(`components/${name}`))).toEqual([]);
  const text =
    "const aSchema = z.strictObject({ a: text, /** B. */ b: text.optional() });\n" +
    "interface A extends Readonly<z.infer<typeof aSchema>> {}";
  expect(bareArguments("x.ts", text)).toEqual(["x.ts: aSchema.a", "x.ts: aSchema.b"]);
});
