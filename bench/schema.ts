/**
 * Schema building blocks with descriptions, for plans and results; JSON Schema and reference pages derive from them.
 */
import { z } from "zod";

export const finite = z.number();
/** A figure that may not have been measured. */
export const orNull = finite.nullable();
/** A figure that not every measurement has. */
export const orAbsent = finite.optional();
export const flag = z.boolean();
export const texts = z.array(z.string());
/** A whole number that may not apply. */
export const wholeOrNull = z.int().nullable();
/** A text that may not be known. */
export const textOrNull = z.string().nullable();
/** A time by a host's clock. */
export const timestamp = z.iso.datetime();

/** A field that is null unless it is given. */
export function nullable<T extends z.ZodType>(field: T) {
  return field.nullable().default(null);
}

/** An object with a name of its own in the JSON Schema, and a section in the reference. */
export function object<T extends z.ZodRawShape>(id: string, description: string, shape: T) {
  return z.object(shape).meta({ id, description });
}

/** {@link object} that refuses unknown keys. @param error Error for a value that is no object. */
export function strictObject<T extends z.ZodRawShape>(
  id: string,
  description: string,
  shape: T,
  error?: string,
) {
  return z.strictObject(shape, error).meta({ id, description });
}
