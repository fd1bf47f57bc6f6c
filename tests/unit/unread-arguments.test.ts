/**
 * An argument of a component, a field of its schema or an option of a command that is declared is also read somewhere. By names alone:
 * one that bears the name of another is not found.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const parsed = (path: string, text = readFileSync(root + path, "utf8")) =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

const nameOf = (name: ts.Node | undefined) =>
  name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined;

const isArguments = (node: ts.Node): boolean =>
  (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
  /(Args|Options|Arguments)$/.test(node.name.text);

/** Whether an object's members are those of a zod object or of a command's options. */
const declares = (node: ts.ObjectLiteralExpression) =>
  (ts.isCallExpression(node.parent) && /^z\.(strict)?[oO]bject$/.test(node.parent.expression.getText())) ||
  (ts.isPropertyAssignment(node.parent) &&
    nameOf(node.parent.name) === "options" &&
    /commands\.ts$/.test(node.getSourceFile().fileName));

function visit(node: ts.Node, each: (node: ts.Node) => void): void {
  each(node);
  ts.forEachChild(node, (child) => visit(child, each));
}

function unread(files: readonly ts.SourceFile[]): string[] {
  const declared = new Map<string, string>();
  const used = new Set<string>();
  const take = (name: string | undefined, node: ts.Node) => {
    if (name !== undefined) declared.set(name, `${node.getSourceFile().fileName}: ${name}`);
  };
  for (const file of files)
    visit(file, (node) => {
      if (isArguments(node)) visit(node, (one) => ts.isPropertySignature(one) && take(nameOf(one.name), one));
      else if (ts.isObjectLiteralExpression(node) && declares(node))
        for (const one of node.properties) take(nameOf(one.name), one);
      if (ts.isPropertyAccessExpression(node)) used.add(node.name.text);
      if (ts.isBindingElement(node)) used.add(nameOf(node.propertyName ?? node.name) ?? "");
      if (ts.isStringLiteralLike(node) && !ts.isPropertyAssignment(node.parent)) used.add(node.text);
      if (
        ts.isStringLiteralLike(node) &&
        ts.isPropertyAssignment(node.parent) &&
        node.parent.initializer === node
      )
        used.add(node.text);
    });
  return [...declared].filter(([name]) => !used.has(name)).map(([, where]) => where);
}

/** Fields that go to the provider as part of a whole. */
const passedOn = ["components/azure/image.ts: offer", "components/azure/standard-v2.ts: publicIpAddressesV6"];

it("every declared argument and option is read", () => {
  const paths = globSync("{components,stacks,cli,report,packages/*/{cli,src},tools}/**/*.ts", { cwd: root });
  expect(paths.length).toBeGreaterThan(300);
  expect(unread(paths.map((path) => parsed(path)))).toEqual(passedOn);
});

it("one that nothing reads is found", () => {
  const args =
    "interface NatArgs { readonly size: string; readonly idle?: number }\nexport const sizeOf = ({ size }: NatArgs) => size;";
  const command =
    'const local = { options: { plan: {}, "no-plan": {} } };\nexport const of = (values) => values["no-plan"];';
  expect(unread([parsed("a.ts", args), parsed("commands.ts", command)])).toEqual([
    "a.ts: idle",
    "commands.ts: plan",
  ]);
});
