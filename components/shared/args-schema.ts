/**
 * Schemas of components' arguments, plain values or outputs.
 *
 * A schema is the only list of a component's arguments: types are inferred from it, a stack's options are picked from it,
 * and the constructor checks with it. Rules between several arguments are the component's. The comment above a property is
 * what an editor shows: `tools/package/build.ts` carries it into the declarations.
 */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { problemsOf, problemText } from "../../bench/validate.ts";

const isLater = (value: unknown) => pulumi.Output.isInstance(value) || value instanceof Promise;
const later = z.custom(isLater, "must be an output");

/** A value that may be known later. Plain values are checked at once, outputs by whatever uses them. */
export function input<S extends z.ZodType>(schema: S): z.ZodType<pulumi.Input<z.output<S>>> {
  return z.union([later, schema]) as z.ZodType<pulumi.Input<z.output<S>>>;
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

/** An optional whole number within bounds, which the reference and the JSON schema show. */
export function countWithin(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message).optional();
}

/** An optional list with at least one entry and at most `most`, if given. */
export function listWithin<S extends z.ZodType>(entry: S, most: number) {
  const message = most === 1 ? "must have one entry" : `must have from 1 to ${most} entries`;
  return z.array(entry).min(1, message).max(most, message).readonly().optional();
}

export const optionalFlag = z.boolean().optional();

/** A function that TypeScript checks. */
export function functionOf<T>(): z.ZodType<T> {
  return z.custom<T>((value) => typeof value === "function", "must be a function");
}

export const resources = z.array(objectOf<pulumi.Resource>("a resource")).readonly();

export const tags = input(z.record(z.string(), text));

/** Arguments that several schemas share, by their schemas. */
export type ArgsOf<Shape extends z.ZodRawShape> = Readonly<z.infer<z.ZodObject<Shape, z.core.$strict>>>;

/**
 * Refuses arguments that break the component's schema.
 * @param component Name in the program, such as `NatInstance`.
 * @throws {pulumi.InputPropertyError} naming the argument, what came and what to write; a line for each problem.
 */
export function checkArgs(component: string, schema: z.ZodType, args: unknown): void {
  const problems = problemsOf(schema, args ?? {}, component).map((one) => ({
    ...one,
    path: one.path || "args",
  }));
  const [first] = problems;
  if (first !== undefined) {
    const reason = problems.map(problemText).join("\n");
    throw new pulumi.InputPropertyError({ propertyPath: first.path, reason });
  }
}
