/**
 * What a zod schema says of its fields, read from its source: names, types, defaults and the comments above them. The
 * schema at run time has no comments, and its source has no results of calls: here the source is enough.
 *
 * @module
 */
import ts from "typescript";
import { commentOf, find, type Key, methodOf, numeral, objectOf, written } from "./schema-source.ts";

interface Field {
  /** Dotted from the section's object; `[]` is an entry of a list, `*` any key. */
  readonly path: string;
  readonly type: string;
  /** As the source writes it; undefined: required, or see `optional`. */
  readonly default: string | undefined;
  readonly optional: boolean;
  /** The comment above the field, on one line. */
  readonly text: string;
}

/** One object schema that has a name. */
export interface Section {
  /** Of the variable, such as `caseResultSchema`. */
  readonly name: string;
  readonly text: string;
  readonly fields: readonly Field[];
}

/** What remains of a schema when its modifiers are taken off. */
interface Core {
  readonly node: ts.Expression;
  readonly nullable: boolean;
  readonly optional: boolean;
  readonly default: string | undefined;
  readonly bounds: readonly string[];
}

/** The sections of a schema and of those it names, in the order in which a reader meets them. */
export function sectionsOf(file: string, name: string): Section[] {
  const sections: Section[] = [];
  const seen = new Set<string>();
  const waiting = [name];
  const places = new Map([[name, file]]);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const declared = find(places.get(next) ?? file, next);
    if (declared === undefined || seen.has(next)) continue;
    seen.add(next);
    const met = (one: string, where: string) => {
      places.set(one, where);
      waiting.push(one);
    };
    sections.push({
      name: next,
      text: declared.text,
      fields: fieldsOf(declared.node, declared.file, "", met),
    });
  }
  return sections.filter(({ fields }) => fields.length > 0);
}

type Met = (name: string, file: string) => void;

function fieldsOf(node: ts.Expression, file: string, prefix: string, met: Met): Field[] {
  const literal = objectOf(node, file);
  return literal === undefined ? [] : literal.flatMap((key) => fieldOf(key, prefix, met));
}

function fieldOf({ at, file }: Key, prefix: string, met: Met): Field[] {
  const value = ts.isPropertyAssignment(at) ? at.initializer : at.name;
  const core = coreOf(value, file);
  const path = prefix + at.name.getText().replaceAll('"', "");
  const { type, inner } = typeOf(core, file, path, met);
  const comment = commentOf(at);
  const [text = "", stated] = comment.split("@default");
  const field = {
    path,
    type: type + (core.nullable ? " or null" : ""),
    default: stated?.trim() ?? core.default,
    optional: core.optional,
    text: text.trim(),
  };
  return [field, ...inner];
}

/** Takes modifiers off, and names off that stand for simple schemas. */
function coreOf(node: ts.Expression, file: string): Core {
  const bounds: string[] = [];
  let [nullable, optional, fallback]: [boolean, boolean, string | undefined] = [false, false, undefined];
  let at = node;
  for (;;) {
    const simple = ts.isIdentifier(at) ? find(file, at.text) : undefined;
    if (simple && objectOf(simple.node, simple.file) === undefined && simple.file === file) {
      at = simple.node;
      continue;
    }
    if (ts.isAsExpression(at)) {
      at = at.expression;
      continue;
    }
    if (!ts.isCallExpression(at) || !ts.isPropertyAccessExpression(at.expression)) break;
    const { expression, name } = at.expression;
    if (name.text === "preprocess" && at.arguments[1]) {
      at = at.arguments[1];
      continue;
    }
    if (/^z(\.(iso|coerce))?$/.test(expression.getText())) break;
    const argument = at.arguments[0] && numeral(at.arguments[0], file);
    if (name.text === "nullable") nullable = true;
    else if (name.text === "nullish") [nullable, optional] = [true, true];
    else if (name.text === "optional") optional = true;
    else if (name.text === "default" || name.text === "prefault") [optional, fallback] = [true, argument];
    else if (name.text === "min") bounds.push(`at least ${argument}`);
    else if (name.text === "max") bounds.push(`at most ${argument}`);
    else if (name.text === "positive") bounds.push("above 0");
    else if (["extend", "omit", "pick"].includes(name.text)) break;
    at = expression;
  }
  return { node: at, nullable, optional, default: fallback, bounds: bounds.reverse() };
}

interface Typed {
  readonly type: string;
  /** Fields of an object that has no name of its own. */
  readonly inner: readonly Field[];
}

function typeOf(core: Core, file: string, path: string, met: Met): Typed {
  const { node, bounds } = core;
  const bounded = (type: string): Typed => ({ type: [type, ...bounds].join(", "), inner: [] });
  if (ts.isIdentifier(node)) {
    const declared = find(file, node.text);
    if (declared && objectOf(declared.node, declared.file) !== undefined) {
      met(node.text, declared.file);
      return { type: `[${titleOf(node.text)}](#${anchorOf(node.text)})`, inner: [] };
    }
    return declared
      ? typeOf(coreOf(declared.node, declared.file), declared.file, path, met)
      : bounded(node.text);
  }
  if (!ts.isCallExpression(node)) return bounded(node.getText());
  const [first, second] = node.arguments;
  const words = node.arguments.map((one) => one.getText());
  const range = () => [first, second].map((one) => (one ? numeral(one, file) : "")).join(" to ");
  switch (methodOf(node)) {
    case "object":
    case "strictObject":
    case "looseObject":
    case "extend":
    case "omit":
    case "pick":
      return { type: "object", inner: fieldsOf(node, file, `${path}.`, met) };
    case "array":
      return listOf(first, file, path, met, bounded);
    case "record":
      return listOf(second, file, `${path}.*`, met, bounded, "map of ", "");
    case "sweep":
    case "swept": {
      const one = first && typeOf(coreOf(first, file), file, path, met);
      return { type: `${one?.type ?? "value"}, or a list`, inner: one?.inner ?? [] };
    }
    case "enum":
      return bounded(choices(first, file));
    case "oneOf":
      return bounded(
        node.arguments
          .map((one) => (ts.isSpreadElement(one) ? choices(one.expression, file) : code(one.getText())))
          .join(", "),
      );
    case "quantity":
      return bounded(second ? written(second, file).replace(/^["']|["']$/g, "") : "any");
    case "literal":
      return bounded(code(first ? written(first, file) : ""));
    case "whole":
      return bounded(`whole number of ${words[2]?.replaceAll('"', "")}, ${range()}`);
    case "percent":
      return bounded(`percent, ${range()}`);
    case "int":
      return bounded("whole number");
    case "datetime":
      return bounded("time (ISO 8601)");
    case "stringbool":
      return bounded("boolean");
    case "discriminatedUnion":
      return bounded("object");
    case "union":
      return anyOf(node.arguments.at(-1), file, path, met, bounded);
    case "unknown":
      return bounded("any");
    default:
      return bounded(methodOf(node));
  }
}

function listOf(
  entry: ts.Expression | undefined,
  file: string,
  path: string,
  met: Met,
  bounded: (type: string) => Typed,
  before = "list of ",
  mark = "[]",
): Typed {
  if (entry === undefined) return bounded("list");
  const one = typeOf(coreOf(entry, file), file, `${path}${mark}`, met);
  return { type: bounded(before + one.type).type, inner: one.inner };
}

function anyOf(
  node: ts.Expression | undefined,
  file: string,
  path: string,
  met: Met,
  bounded: (type: string) => Typed,
): Typed {
  if (node === undefined || !ts.isArrayLiteralExpression(node)) return bounded("any");
  const types = node.elements.map((one) => typeOf(coreOf(one, file), file, path, met).type);
  return bounded([...new Set(types)].join(" or "));
}

function choices(node: ts.Expression | undefined, file: string): string {
  if (node && ts.isArrayLiteralExpression(node)) {
    return node.elements.map((one) => code(one.getText())).join(", ");
  }
  const declared = node && ts.isIdentifier(node) ? find(file, node.text) : undefined;
  if (node && (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)))
    return choices(node.expression, file);
  return declared ? choices(declared.node, declared.file) : (node?.getText() ?? "");
}

const code = (text: string) => `\`${text.replaceAll('"', "")}\``;

/** `caseResultSchema` is "case result". */
export function titleOf(name: string): string {
  return name
    .replace(/Schema$/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

function anchorOf(name: string): string {
  return titleOf(name).replaceAll(" ", "-");
}
