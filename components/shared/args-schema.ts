/**
 * Schemas of components' arguments, plain values or outputs.
 *
 * A schema is the only list of a component's arguments: types are inferred from it, a stack's options are picked from it,
 * and the constructor checks with it. Rules between several arguments are the component's. The comment above a property is
 * what an editor shows: `tools/package/build.ts` carries it into the declarations.
 */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { hintOf } from "../../bench/nearest.ts";
import { typeWords, withoutRepeats } from "../../bench/type-words.ts";

const isLater = (value: unknown) => pulumi.Output.isInstance(value) || value instanceof Promise;
const later = z.custom(isLater, "must be an output");

/** A value that may be known later. Plain values are checked at once, outputs by whatever uses them. */
export function input<S extends z.ZodType>(schema: S): z.ZodType<pulumi.Input<z.output<S>>> {
  const either = z.union([later, schema], { error: (issue) => plainIssue(issue)?.message });
  return either as z.ZodType<pulumi.Input<z.output<S>>>;
}

/** A text that may be an output. */
export const text = input(z.string());

/** A list of texts; the list and each of its entries may be outputs. */
export const texts = input(z.array(text));

/**
 * An object that TypeScript checks, such as a resource: only its presence is checked here.
 * @param members Required members.
 */
export function objectOf<T>(example: string, ...members: readonly string[]): z.ZodType<T> {
  const has = (value: unknown) =>
    typeof value === "object" && value !== null && members.every((member) => member in value);
  return z.custom<T>(has, `must be ${example}`);
}

/** An optional whole number. */
export const optionalCount = z.int().optional();

/** An optional whole number within bounds, which the reference and the JSON schema show. */
export function countWithin(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message).optional();
}

/** An optional list with at least one entry and at most `most`, if given. */
export function listWithin<S extends z.ZodType>(entry: S, most: number) {
  const message = `must have from 1 to ${most} entries`;
  return z.array(entry).min(1, message).max(most, message).readonly().optional();
}

/** An optional boolean. */
export const optionalFlag = z.boolean().optional();

/** A function that TypeScript checks. */
export function functionOf<T>(): z.ZodType<T> {
  return z.custom<T>((value) => typeof value === "function", "must be a function");
}

/** Resources to wait for. */
export const resources = z.array(objectOf<pulumi.Resource>("a resource")).readonly();

/** Tags of a cloud. */
export const tags = input(z.record(z.string(), text));

/** Arguments that several schemas share, by their schemas. */
export type ArgsOf<Shape extends z.ZodRawShape> = Readonly<z.infer<z.ZodObject<Shape, z.core.$strict>>>;

/**
 * Refuses arguments that break the component's schema.
 * @param component Name in the program, such as `NatInstance`.
 * @throws {pulumi.InputPropertyError} naming the argument, what came and what to write; a line for each problem.
 */
export function checkArgs(component: string, schema: z.ZodType, args: unknown): void {
  const error = schema.safeParse(args ?? {}).error;
  if (error === undefined) {
    return;
  }
  const issues = withoutRepeats(error.issues);
  const problems = issues.flatMap((issue) => problemsOf(issue, component, schema, args ?? {}));
  const [first] = problems;
  const reason = problems.map(({ path, reason }) => `${path}: ${reason}`).join("\n");
  throw new pulumi.InputPropertyError({ propertyPath: first?.path ?? "args", reason });
}

interface Problem {
  readonly path: string;
  readonly reason: string;
}

function problemsOf(issue: z.core.$ZodIssue, component: string, schema: z.ZodType, args: unknown): Problem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const known = keysAt(schema, issue.path);
      const those = issue.path.length === 0 ? "" : `: ${pathText(issue.path)} has ${known.join(", ")}`;
      const fix = hintOf(key, known, `remove it${those}`);
      return { path: pathText([...issue.path, key]), reason: `is not an argument of ${component}${fix}` };
    });
  }
  const { path, message } = deepest(issue);
  const given = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], args);
  const value = Array.isArray(given) && issue.code.startsWith("too_") ? String(given.length) : shown(given);
  const words = typeWords(message, value);
  const got = words === message ? `${message}; got ${value}` : words;
  const reason = given === undefined ? `is missing; ${component} needs it` : got;
  return [{ path: pathText(path) || "args", reason: reason + fixOf(path, message, given, schema) }];
}

/** Keys that an object at that path of a schema may have; empty for anything but an object. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const at = path.reduce<readonly z.ZodType[]>(
    (ones, key) => ones.flatMap((one) => plainOf(one).flatMap((plain) => memberOf(plain, key))),
    [schema],
  );
  return at.flatMap(plainOf).flatMap((one) => Object.keys((one as Partial<z.ZodObject>).shape ?? {}));
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

/** The fix for the most common mistakes in programs without types; "" for any other. */
function fixOf(path: readonly PropertyKey[], message: string, given: unknown, schema: z.ZodType): string {
  if (message.includes("expected array") && typeof given === "string") {
    return `; write [${shown(given)}]`;
  }
  if (message.includes("expected string") && Number.isFinite(given)) {
    return `; write "${given}"`;
  }
  const known = message.includes("expected object") && given === true ? keysAt(schema, path) : [];
  return known.length === 0 ? "" : `; ${pathText(path)} has ${known.join(", ")}`;
}

/** The rule that a plain value breaks; undefined for an output. */
function plainIssue(issue: { readonly errors?: readonly (readonly z.core.$ZodIssue[])[] }) {
  return issue.errors?.at(-1)?.[0];
}

/** The issue inside nested lists of possible outputs, with its whole path. */
function deepest(issue: z.core.$ZodIssue): { readonly path: PropertyKey[]; readonly message: string } {
  const inner = issue.code === "invalid_union" ? plainIssue(issue) : undefined;
  if (inner === undefined) {
    return issue;
  }
  const { path, message } = deepest(inner);
  return { path: [...issue.path, ...path], message };
}

/** A path as text: `privateCidrs[1]`. */
function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return steps.join("").replace(/^\./, "");
}

function shown(value: unknown): string {
  if (isLater(value)) {
    return "an output";
  }
  if (Array.isArray(value)) {
    return "a list";
  }
  return typeof value === "object" && value !== null ? "an object" : (JSON.stringify(value) ?? String(value));
}
