/** Small faults that can be put into a program: one operator, condition, constant or call at a time. */
import { createHash } from "node:crypto";
import ts from "typescript";

export interface Mutation {
  readonly file: string;
  /** Number of its line, from 1. */
  readonly line: number;
  /** What stood there, and what stands there now. */
  readonly change: string;
  /** The whole file with the fault. */
  readonly text: string;
  /** Sorts mutations as by chance, alike in every run with one seed: a change elsewhere in the file keeps the order. */
  readonly rank: string;
}

const { SyntaxKind: Kind } = ts;

const operators = new Map<ts.SyntaxKind, string>([
  [Kind.LessThanToken, "<="],
  [Kind.LessThanEqualsToken, "<"],
  [Kind.GreaterThanToken, ">="],
  [Kind.GreaterThanEqualsToken, ">"],
  [Kind.EqualsEqualsEqualsToken, "!=="],
  [Kind.ExclamationEqualsEqualsToken, "==="],
  [Kind.PlusToken, "-"],
  [Kind.MinusToken, "+"],
  [Kind.AsteriskToken, "/"],
  [Kind.SlashToken, "*"],
  [Kind.AmpersandAmpersandToken, "||"],
  [Kind.BarBarToken, "&&"],
]);

/** Text that takes a node's place; undefined for a node that is not changed. Text is not added with a minus. */
function replacement(node: ts.Node, source: ts.SourceFile): [place: ts.Node, text: string] | undefined {
  if (ts.isBinaryExpression(node)) {
    const operator = operators.get(node.operatorToken.kind);
    const text = [node.left, node.right].some(
      (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
    );
    const adds = node.operatorToken.kind === Kind.PlusToken;
    return operator === undefined || (adds && text) ? undefined : [node.operatorToken, operator];
  }
  if (ts.isIfStatement(node)) return [node.expression, `!(${node.expression.getText(source)})`];
  if (ts.isConditionalExpression(node)) return [node.condition, `!(${node.condition.getText(source)})`];
  if (node.kind === Kind.TrueKeyword || node.kind === Kind.FalseKeyword)
    return [node, String(node.kind === Kind.FalseKeyword)];
  if (ts.isNumericLiteral(node) && !ts.isPropertyName(node.parent)) return [node, `(${node.text} + 1)`];
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) return [node, ";"];
  return undefined;
}

/** All faults of a file, by their rank. @param seed Another one gives another order. */
export function mutationsOf(file: string, text: string, seed: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    const put = replacement(node, source);
    if (put) {
      const [place, by] = put;
      const [start, end] = [place.getStart(source), place.getEnd()];
      const change = `${text.slice(start, end)} -> ${by}`.replaceAll(/\s+/g, " ");
      const { line } = source.getLineAndCharacterOfPosition(start);
      const around = text.split("\n", line + 1)[line];
      const rank = createHash("sha256").update([seed, file, around, change].join("\n")).digest("hex");
      found.push({ file, line: line + 1, change, text: text.slice(0, start) + by + text.slice(end), rank });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.sort((a, b) => (a.rank < b.rank ? -1 : 1));
}
