/**
 * Arguments from other languages, in the library's form.
 *
 * A language host may send a whole object as one output where a value in it is known later. The library wants the object
 * plain and the value an output, so outputs are taken apart down to the values that may be known later.
 */
import * as pulumi from "@pulumi/pulumi";
import { bare, type Zod } from "./schema";

/** What the SDK's own server reads from an output. */
interface Known {
  promise(withUnknowns: boolean): Promise<unknown>;
  readonly isSecret: Promise<boolean>;
}

/**
 * A value as its schema wants it. Secrets stay secret.
 *
 * @throws {pulumi.InputPropertyError} if a value that decides which resources there are is not known at preview.
 */
export async function settle(schema: Zod, given: unknown, path = "args", isSecret = false): Promise<unknown> {
  const { type, isInput } = bare(schema);
  const { shape, element, valueType } = type.def;
  if (pulumi.Output.isInstance(given)) {
    if (isInput) return given;
    const known = given as unknown as Known;
    return settle(schema, await known.promise(true), path, isSecret || (await known.isSecret));
  }
  if (pulumi.isUnknown(given)) {
    if (isInput) return pulumi.output(given);
    throw new pulumi.InputPropertyError({
      propertyPath: path,
      reason: "must be known at preview, since it decides which resources there are; give a plain value",
    });
  }
  const within = async (of: Zod | undefined, name: string, one: unknown) =>
    of === undefined ? one : settle(of, one, path === "args" ? name : `${path}.${name}`, isSecret);
  if (Array.isArray(given)) {
    return Promise.all(
      given.map((one, index) => within(element ?? type.def.items?.[index], `${index}`, one)),
    );
  }
  if (typeof given === "object" && given !== null && (shape || valueType)) {
    const entries = Object.entries(given).map(async ([name, one]) => [
      name,
      await within(shape?.[name] ?? valueType, name, one),
    ]);
    return Object.fromEntries(await Promise.all(entries));
  }
  return isSecret && isInput ? pulumi.secret(given) : given;
}
