/** Checks a value against a schema. Problems are worded here alone, from zod's structured issues. */
import { z } from "zod";
import { hintOf } from "./nearest.ts";
import { plainText } from "./plain-text.ts";

/** A problem at one place of a value. */
export interface Problem {
  /** Such as `goals[1].lossPercent`; empty for the value itself. */
  readonly path: string;
  /** What was expected, what came and, where it is known, what to write. */
  readonly reason: string;
}

type Issue = z.core.$ZodIssue;

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};

/**
 * A value that its schema accepts.
 *
 * @param how Makes the error from a line for each problem.
 * @param where Path of the value in the whole. @default it is the whole
 * @throws what `how` makes
 */
export function validate<T extends z.ZodType>(
  schema: T,
  value: unknown,
  how: (problems: readonly [string, ...string[]]) => Error,
  where = "",
): z.output<T> {
  const { success, data } = schema.safeParse(value);
  if (success) {
    return data;
  }
  const lines = problemsOf(schema, value).map((one) => problemText(within(where, one)));
  const [first = "", ...others] = lines;
  throw how([first, ...others]);
}

/** What is wrong with a value. @param owner Who has the keys, such as `NatInstance`. @default not named */
export function problemsOf(schema: z.ZodType, value: unknown, owner?: string): Problem[] {
  const { issues = [] } = schema.safeParse(value, { error: expectation }).error ?? {};
  return issues.filter(isFirst).flatMap((issue) => problemsAt(deepest(issue), schema, value, owner));
}

/** A problem of a part, named from the whole. */
export function within(where: string, { path, reason }: Problem): Problem {
  const joint = where === "" || path === "" || path.startsWith("[") ? "" : ".";
  return { path: `${where}${joint}${path}`, reason };
}

/** A problem in a line: `goals[1]: expected an object; got 5`. */
export function problemText({ path, reason }: Problem): string {
  return path === "" ? reason : `${path}: ${reason}`;
}

/** Whether an issue says more than those before it: zod checks the bounds of a value of the wrong type too. */
function isFirst(issue: Issue, at: number, issues: readonly Issue[]): boolean {
  const earlier = issues.slice(0, at).filter(({ path }) => path.join() === issue.path.join());
  return !earlier.some(({ code, message }) => code === "invalid_type" || message === issue.message);
}

function problemsAt(issue: Issue, schema: z.ZodType, value: unknown, owner?: string): Problem[] {
  const path = pathText(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(schema, issue.path).join(", ");
    const those = known === "" ? "there are none" : `${path === "" ? "there are" : `${path} has`} ${known}`;
    const no = owner === undefined ? "is unknown" : `is not an argument of ${owner}`;
    return issue.keys.map((key) => ({
      path: pathText([...issue.path, key]),
      reason: no + hintOf(key, keysAt(schema, issue.path), `remove it: ${those}`),
    }));
  }
  const given = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], value);
  const { message } = issue;
  if (given === undefined && (owner !== undefined || issue.code !== "custom")) {
    return [
      { path, reason: owner === undefined ? `is missing; ${message}` : `is missing; ${owner} needs it` },
    ];
  }
  const isSize = issue.code.startsWith("too_") && Array.isArray(given);
  const got = isSize ? String(given.length) : shown(given);
  // A rule over the whole value names the parts itself.
  const isWhole = path === "" && issue.code === "custom" && typeof given === "object";
  const came = isWhole || message.startsWith(got) ? "" : `; got ${got}`;
  return [{ path, reason: message + came + fixOf(issue, given, schema) }];
}

/** What was expected, where the schema has no words of its own. */
function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.length === 1 ? "" : "one of "}${issue.values.join(", ")}`;
    case "too_small":
      return `expected ${issue.inclusive ? "at least" : "more than"} ${amountText(issue.origin, issue.minimum)}`;
    case "too_big":
      return `expected ${issue.inclusive ? "at most" : "less than"} ${amountText(issue.origin, issue.maximum)}`;
    case "invalid_union":
      return `expected ${alternativesOf(issue)}`;
    case "invalid_key":
      return `has a key that is not accepted: ${issue.issues[0]?.message}`;
    default:
      return undefined;
  }
}

function amountText(origin: string, amount: unknown): string {
  const [one, more] = { array: ["entry", "entries"], string: ["character", "characters"] }[origin] ?? [];
  return one === undefined ? String(amount) : `${amount} ${amount === 1 ? one : more}`;
}

/** Types of a union in words; names of a discriminated one. */
function alternativesOf({ errors, options }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const words = errors.flatMap(([first]) => (first === undefined || isCustom(first) ? [] : [first.message]));
  return Array.isArray(options)
    ? `one of ${options.join(", ")}`
    : words.map((text) => text.replace(/^expected /, "")).join(" or ");
}

/** The issue of a union's only alternative, or of the one whose type fits; the union's own where several may be meant. */
function deepest(issue: Issue): Issue {
  const errors = issue.code === "invalid_union" ? issue.errors : [];
  // Any value but an output breaks the rule of one that is known later.
  const meant = errors.flatMap(([first]) => (first === undefined || isCustom(first) ? [] : [first]));
  const fitting = meant.filter(({ code, path }) => path.length > 0 || !/^invalid_(type|value)$/.test(code));
  const inner = meant.length === 1 ? meant[0] : fitting[0];
  return inner === undefined ? issue : deepest({ ...inner, path: [...issue.path, ...inner.path] });
}

const isCustom = ({ code, path }: Issue) => code === "custom" && path.length === 0;

/** The fix for the most common mistakes in programs without types, or the names that were meant; "" for any other. */
function fixOf(issue: Issue, given: unknown, schema: z.ZodType): string {
  if (issue.code === "invalid_value" && typeof given === "string") {
    return hintOf(given, issue.values.map(String));
  }
  const expected = issue.code === "invalid_type" ? issue.expected : undefined;
  if (expected === "array" && typeof given === "string") {
    return `; write [${shown(given)}]`;
  }
  if (expected === "string" && Number.isFinite(given)) {
    return `; write "${given}"`;
  }
  const known = expected === "object" && given === true ? keysAt(schema, issue.path) : [];
  return known.length === 0 ? "" : `; ${pathText(issue.path)} has ${known.join(", ")}`;
}

/** Keys that an object at that path of a schema may have; empty for anything but an object. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const at = path.reduce<readonly z.ZodType[]>(
    (ones, key) => ones.flatMap((one) => plainOf(one).flatMap((plain) => memberOf(plain, key))),
    [schema],
  );
  const shapes = at.flatMap(plainOf).map((one) => (one as Partial<z.ZodObject>).shape ?? {});
  return [...new Set(shapes.flatMap(Object.keys))];
}

/** Alternatives of a schema, without its optional, read-only and output wrappers. */
function plainOf(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodUnion) {
    return (schema.options as readonly z.ZodType[]).flatMap(plainOf);
  }
  // zod's array has `unwrap` too, which gives its element.
  return "unwrap" in schema && !(schema instanceof z.ZodArray)
    ? plainOf((schema.unwrap as () => z.ZodType).call(schema))
    : [schema];
}

/** Schema of an object's property or of a list's entry; empty if there is none. */
function memberOf(schema: z.ZodType, key: PropertyKey): readonly z.ZodType[] {
  if (schema instanceof z.ZodArray) {
    return [schema.element as z.ZodType];
  }
  const member = schema instanceof z.ZodObject ? (schema.shape as z.ZodRawShape)[String(key)] : undefined;
  return member === undefined ? [] : [member as z.ZodType];
}

/** A path as text: `privateCidrs[1]`. */
export function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return steps.join("").replace(/^\./, "");
}

/** Longest value that a message shows. */
const LONGEST = 100;

function shown(value: unknown): string {
  if (value === undefined || typeof value === "number") {
    return value === undefined ? "nothing" : String(value);
  }
  const isObject = typeof value === "object" && value !== null;
  // Pulumi's own mark: rules of schemas know no Pulumi.
  if (value instanceof Promise || (isObject && "__pulumiOutput" in value)) {
    return "an output";
  }
  const isFlat = isObject && Object.values(value).every((one) => typeof one !== "object");
  if (isObject && (Array.isArray(value) || !isFlat)) {
    return Array.isArray(value) ? "a list" : "an object";
  }
  const text = plainText(JSON.stringify(value) ?? String(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
