/**
 * Where a zod schema and what it names are declared, in TypeScript's syntax tree.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";

/** A declaration and the file it stands in. */
export interface Declared {
  readonly file: string;
  readonly node: ts.Expression;
  readonly text: string;
}

const sources = new Map<string, ts.SourceFile>();

function sourceOf(file: string): ts.SourceFile {
  const known = sources.get(file);
  const source =
    known ??
    ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  sources.set(file, source);
  return source;
}

/** A variable by its name, in the file or in the one it is imported from. */
export function find(file: string, name: string): Declared | undefined {
  const source = sourceOf(file);
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      const found = statement.declarationList.declarations.find((one) => one.name.getText(source) === name);
      if (found?.initializer) return { file, node: found.initializer, text: commentOf(statement) };
    }
  }
  for (const statement of source.statements) {
    if (
      (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) &&
      statement.moduleSpecifier
    ) {
      const from = (statement.moduleSpecifier as ts.StringLiteral).text;
      const named = new RegExp(`\\b${name}\\b`).test(statement.getText(source).split(" from ")[0] ?? "");
      const all = ts.isExportDeclaration(statement) && statement.exportClause === undefined;
      const target = resolve(dirname(file), from);
      const found =
        from.startsWith(".") && (named || all) && existsSync(target) ? find(target, name) : undefined;
      if (found) return found;
    }
  }
  return undefined;
}

/** A key of an object schema, and the file that it stands in. */
export interface Key {
  readonly at: ts.PropertyAssignment | ts.ShorthandPropertyAssignment;
  readonly file: string;
}

/** The keys of an object schema, those that it spreads or extends among them; undefined: it is none. */
export function objectOf(node: ts.Expression, file: string): Key[] | undefined {
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.flatMap((one) => {
      if (ts.isPropertyAssignment(one) || ts.isShorthandPropertyAssignment(one)) return [{ at: one, file }];
      if (!ts.isSpreadAssignment(one)) return [];
      const spread = ts.isIdentifier(one.expression) ? find(file, one.expression.text) : undefined;
      return spread ? (objectOf(spread.node, spread.file) ?? []) : (objectOf(one.expression, file) ?? []);
    });
  }
  if (ts.isIdentifier(node)) {
    const declared = find(file, node.text);
    return declared && objectOf(declared.node, declared.file);
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === "shape")
    return objectOf(node.expression, file);
  if (!ts.isCallExpression(node)) return undefined;
  const [first] = node.arguments;
  const method = methodOf(node);
  if (["object", "strictObject", "looseObject"].includes(method) && first) return objectOf(first, file);
  if (!ts.isPropertyAccessExpression(node.expression)) return undefined;
  const base = objectOf(node.expression.expression, file);
  if (base === undefined || first === undefined) return base;
  const given = objectOf(first, file) ?? [];
  const names = given.map(({ at }) => at.name.getText());
  if (method === "omit") return base.filter(({ at }) => !names.includes(at.name.getText()));
  if (method === "pick") return base.filter(({ at }) => names.includes(at.name.getText()));
  return method === "extend" ? [...base, ...given] : base;
}

/** The last name of what is called: `strictObject` of `z.strictObject()`. */
export function methodOf(node: ts.CallExpression): string {
  return ts.isPropertyAccessExpression(node.expression)
    ? node.expression.name.text
    : node.expression.getText();
}

/** A value as its source writes it, the name of a constant replaced by what it stands for. */
export function written(node: ts.Expression, file: string): string {
  const declared = ts.isIdentifier(node) ? find(file, node.text) : undefined;
  return declared ? written(declared.node, declared.file) : node.getText();
}

/** A number with commas, or a power or a constant as its number; any other value as its source writes it. */
export function numeral(node: ts.Expression, file: string): string {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const object = find(file, node.expression.text);
    const key =
      object &&
      objectOf(unconst(object.node), object.file)?.find(({ at }) => at.name.getText() === node.name.text);
    if (key && ts.isPropertyAssignment(key.at)) return numeral(key.at.initializer, key.file);
  }
  const text = written(node, file);
  const power = /^(\d+) \*\* (\d+) - (\d+)$/.exec(text)?.slice(1).map(Number);
  const value = power
    ? (power[0] ?? 0) ** (power[1] ?? 0) - (power[2] ?? 0)
    : Number(text.replaceAll("_", ""));
  return Number.isNaN(value) || text === ""
    ? text
    : value >= 10_000
      ? value.toLocaleString("en")
      : String(value);
}

/** `{...} as const` without its end. */
const unconst = (node: ts.Expression) => (ts.isAsExpression(node) ? node.expression : node);

/** The doc comment above a node, on one line, `{@link x}` as `x`. */
export function commentOf(node: ts.Node): string {
  const ranges = ts.getLeadingCommentRanges(node.getSourceFile().text, node.getFullStart()) ?? [];
  const last = ranges.at(-1);
  const raw = last ? node.getSourceFile().text.slice(last.pos, last.end) : "";
  if (!raw.startsWith("/**") || raw.includes("@module")) return "";
  return raw
    .replace(/^\/\*\*|\*\/$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .replace(/\{@link ([^}]*)\}/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim();
}
