/**
 * Types of the package's schemas in its declarations: their output and how to parse.
 *
 * The schemas are zod's. Zod's own declarations do not compile in Pulumi's TypeScript template, which checks libraries and
 * has no `esModuleInterop`, so the package's must not need them. A kind of schema that is missing here fails the test that
 * compiles the package in such a project.
 */

/** A schema, which reads any value. */
export interface ZodType<Output = unknown, _Input = unknown, _Internals = unknown> {
  /** @throws {ZodError} when `value` breaks the schema. */
  parse(value: unknown): Output;
  /** The same without throwing. */
  safeParse(
    value: unknown,
  ):
    | { success: true; data: Output; error?: undefined }
    | { success: false; data?: undefined; error: ZodError };
}

/** How a value breaks a schema. */
export interface ZodError extends Error {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** Type that a schema returns. */
export type output<Schema> = Schema extends ZodType<infer Output> ? Output : never;
export type { output as infer };

/** Treatment of unknown keys in an object schema, and zod's names used inside declarations. */
export declare namespace core {
  type $strip = "strip";
  type $strict = "strict";
  type $loose = "loose";
  type $ZodTypeInternals<_Output = unknown, _Input = unknown> = unknown;
}

export interface ZodUnknown extends ZodType<unknown> {}
export interface ZodBoolean extends ZodType<boolean> {}
export interface ZodString extends ZodType<string> {}
export interface ZodISODate extends ZodType<string> {}
export interface ZodISODateTime extends ZodType<string> {}
export interface ZodIPv4 extends ZodType<string> {}
export interface ZodCIDRv6 extends ZodType<string> {}
export interface ZodCIDRv4 extends ZodType<string> {}
export interface ZodIPv6 extends ZodType<string> {}
export interface ZodNumber extends ZodType<number> {}
export interface ZodInt extends ZodType<number> {}
export interface ZodLiteral<Value> extends ZodType<Value> {}
export interface ZodEnum<Values> extends ZodType<Values[keyof Values]> {}

export interface ZodNullable<Inner> extends ZodType<output<Inner> | null> {}
export interface ZodOptional<Inner> extends ZodType<output<Inner> | undefined> {
  readonly _optional: true;
}
export interface ZodDefault<Inner> extends ZodType<Exclude<output<Inner>, undefined>> {}
/** Schema with a fallback value for input that breaks the inner schema. */
export type ZodCatch<Inner> = ZodType<output<Inner>> &
  (Inner extends { _optional: true } ? { readonly _optional: true } : unknown);
export interface ZodArray<Inner> extends ZodType<output<Inner>[]> {}
export interface ZodReadonly<Inner> extends ZodType<Readonly<output<Inner>>> {}
export interface ZodTuple<Inner, _Rest = null> extends ZodType<Tuple<Inner>> {}
export interface ZodRecord<Key, Value> extends ZodType<Record<output<Key> & string, output<Value>>> {}
export interface ZodUnion<Options extends readonly unknown[]> extends ZodType<output<Options[number]>> {}
export interface ZodDiscriminatedUnion<Options extends readonly unknown[], _Key = string>
  extends ZodType<output<Options[number]>> {}
/** The schemas of an object's properties. */
export type ZodRawShape = Readonly<Record<string, ZodType>>;
export interface ZodObject<Shape = object, Config = unknown> extends ZodType<Properties<Shape, Config>> {
  /** The schema of each property. */
  readonly shape: Shape;
}

export interface ZodCustom<Output, _Input = unknown> extends ZodType<Output> {}
export interface ZodTransform<Output, _Input = unknown> extends ZodType<Output> {}
export interface ZodPipe<_From, To> extends ZodType<output<To>> {}
export interface ZodPreprocess<Inner, _Input = unknown> extends ZodType<output<Inner>> {}

type Tuple<Inner> = { -readonly [At in keyof Inner]: output<Inner[At]> };
type OptionalKeys<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends { _optional: true } ? Key : never;
}[keyof Shape];
/** Mapped from `keyof Shape`, so that an editor shows each property's comment. */
type Properties<Shape, Config> = Flat<
  { [Key in keyof Shape as Exclude<Key, OptionalKeys<Shape>>]: output<Shape[Key]> } & {
    [Key in keyof Shape as Extract<Key, OptionalKeys<Shape>>]?: output<Shape[Key]>;
  } & (Config extends core.$loose ? { [key: string]: unknown } : unknown)
>;
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
