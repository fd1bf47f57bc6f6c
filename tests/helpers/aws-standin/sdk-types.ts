/**
 * Reads the AWS SDK's declarations of a resource type: arguments and outputs. The TypeScript compiler parses the package's
 * declaration files, one interface at a time.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const PACKAGE = fileURLToPath(new URL("../../../node_modules/@pulumi/aws/", import.meta.url));

/** Type of an argument, as far as a message to the provider shows it. */
export type ArgumentType =
  | { readonly kind: "string" | "number" | "boolean" | "anything" }
  | { readonly kind: "array" | "record"; readonly element: ArgumentType }
  | { readonly kind: "object"; readonly name: string; readonly members: Members }
  | { readonly kind: "either"; readonly options: readonly ArgumentType[] };

export type Members = ReadonlyMap<
  string,
  { readonly required: boolean; readonly deprecated: boolean; readonly type: ArgumentType }
>;

export interface ResourceDeclaration {
  readonly arguments: Members;
  readonly outputs: readonly string[];
}

const declarations = new Map<string, ResourceDeclaration>();

/**
 * @param token Such as `aws:ec2/instance:Instance`.
 * @throws {Error} for a type that the SDK does not have.
 */
export function resourceDeclaration(token: string): ResourceDeclaration {
  const known = declarations.get(token) ?? readResource(token);
  declarations.set(token, known);
  return known;
}

/**
 * The arguments of a function, such as `aws:ec2/getAmi:getAmi`.
 *
 * @throws {Error} for a function that the SDK does not have.
 */
export function functionArguments(token: string): Members {
  const known = functionMembers.get(token) ?? readFunction(token);
  functionMembers.set(token, known);
  return known;
}

const functionMembers = new Map<string, Members>();

function readFunction(token: string): Members {
  const [path, name] = split(token);
  const text = declarationFile(path, token);
  const wanted = `${(name[0] ?? "").toUpperCase()}${name.slice(1)}OutputArgs`;
  return membersOf(found(interfaces(text).get(wanted), token).members);
}

function readResource(token: string): ResourceDeclaration {
  const [path, className] = split(token);
  const source = parse(declarationFile(path, token));
  const byName = new Map(
    source.statements.filter(ts.isInterfaceDeclaration).map((one) => [one.name.text, one]),
  );
  const resource = source.statements
    .filter(ts.isClassDeclaration)
    .find((one) => one.name?.text === className);
  const outputs = found(resource, token).members.flatMap((member) =>
    ts.isPropertyDeclaration(member) &&
    !member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword)
      ? [member.name.getText(source)]
      : [],
  );
  return { arguments: membersOf(found(byName.get(`${className}Args`), token).members), outputs };
}

function split(token: string): [path: string, name: string] {
  const [, path = "", name = ""] = token.split(":");
  return [path.replace(/^index\//, ""), name];
}

function declarationFile(path: string, token: string): string {
  const file = `${PACKAGE}${path}.d.ts`;
  if (!existsSync(file)) {
    throw new Error(`${token}: the AWS SDK has no such type`);
  }
  return readFileSync(file, "utf8");
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile("declarations.d.ts", text, ts.ScriptTarget.Latest, true);
}

function interfaces(text: string): Map<string, ts.InterfaceDeclaration> {
  return new Map(
    parse(text)
      .statements.filter(ts.isInterfaceDeclaration)
      .map((one) => [one.name.text, one]),
  );
}

function found<T>(value: T | undefined, token: string): T {
  if (value === undefined) {
    throw new Error(`${token}: its declaration is written in another way than it was`);
  }
  return value;
}

function membersOf(members: ts.NodeArray<ts.TypeElement>): Members {
  return new Map(
    members.filter(ts.isPropertySignature).map((member) => [
      member.name.getText(),
      {
        required: member.questionToken === undefined,
        deprecated: ts.getJSDocDeprecatedTag(member) !== undefined,
        type: typeOf(member.type as ts.TypeNode),
      },
    ]),
  );
}

function typeOf(node: ts.TypeNode): ArgumentType {
  switch (node.kind) {
    case ts.SyntaxKind.StringKeyword:
      return { kind: "string" };
    case ts.SyntaxKind.NumberKeyword:
      return { kind: "number" };
    case ts.SyntaxKind.BooleanKeyword:
      return { kind: "boolean" };
  }
  if (ts.isArrayTypeNode(node)) {
    return { kind: "array", element: typeOf(node.elementType) };
  }
  if (ts.isUnionTypeNode(node)) {
    const options = node.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword).map(typeOf);
    return options.length === 1 ? (options[0] as ArgumentType) : { kind: "either", options };
  }
  if (ts.isTypeLiteralNode(node)) {
    const index = node.members.find(ts.isIndexSignatureDeclaration);
    return { kind: "record", element: index === undefined ? { kind: "anything" } : typeOf(index.type) };
  }
  return ts.isTypeReferenceNode(node) ? typeOfReference(node) : { kind: "anything" };
}

function typeOfReference(node: ts.TypeReferenceNode): ArgumentType {
  const name = node.typeName.getText();
  if (name === "pulumi.Input") {
    return typeOf(node.typeArguments?.[0] as ts.TypeNode);
  }
  if (name.startsWith("pulumi.asset.")) {
    return { kind: "anything" };
  }
  // Other types are enumerations or resources, which the provider gets as text.
  return name.startsWith("inputs.") ? inputType(name) : { kind: "string" };
}

let inputTypes: string | undefined;
const inputs = new Map<string, ArgumentType>();

/** @param name Such as `inputs.ec2.InstanceRootBlockDevice`. */
function inputType(name: string): ArgumentType {
  const known = inputs.get(name);
  if (known !== undefined) {
    return known;
  }
  inputTypes ??= readFileSync(`${PACKAGE}types/input.d.ts`, "utf8");
  const path = name.split(".").slice(1);
  const type = path.at(-1) as string;
  const text = path.length > 1 ? inNamespace(inputTypes, path[0] as string, type) : atTop(inputTypes, type);
  const declaration = found(interfaces(text).get(type), name);
  const object: ArgumentType = { kind: "object", name, members: membersOf(declaration.members) };
  inputs.set(name, object);
  return object;
}

function inNamespace(text: string, namespace: string, type: string): string {
  const start = text.indexOf(`\nexport declare namespace ${namespace} {`);
  const from = text.indexOf(`\n    interface ${type} {`, start);
  return text.slice(from, text.indexOf("\n    }\n", from) + 6);
}

function atTop(text: string, type: string): string {
  const from = text.indexOf(`\nexport interface ${type} {`);
  return text.slice(from, text.indexOf("\n}\n", from) + 2);
}
