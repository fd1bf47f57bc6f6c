import {
  asSecret,
  isObject,
  isSecret,
  type Properties,
  UNKNOWN,
  unwrap,
  type Value,
} from "./shared/envelopes.ts";

/** Type of a property, under its name in the real plugin's messages. */
type FieldType =
  | { readonly kind: "string" | "float64" | "int" | "bool" | "any" }
  | { readonly kind: "list" | "map"; readonly element: FieldType }
  | { readonly kind: "object"; readonly shape: Shape };

export interface Field {
  readonly type: FieldType;
  readonly required?: true;
  /** Whether it is always kept as a secret. */
  readonly secret?: true;
  readonly default?: string | number;
}

/** Properties that an object may have; `name` is its name in messages. */
export interface Shape {
  readonly name: string;
  readonly fields: Readonly<Record<string, Field>>;
}

/** A problem of an input. */
export interface Failure {
  readonly property: string;
  readonly reason: string;
}

/** The checked inputs, with defaults filled in and secrets marked, and all their problems. */
export interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly Failure[];
}

/** Checks inputs against a shape, as the real plugin's Check does. */
export function check(shape: Shape, inputs: Properties): Checked {
  const failures = objectFailures(shape, inputs);
  return { inputs: complete(shape, inputs, failures.length === 0), failures };
}

function objectFailures(shape: Shape, object: Properties): Failure[] {
  const unrecognized = Object.keys(object)
    .filter((property) => !(property in shape.fields))
    .map((property) => ({ property, reason: `Unrecognized field '${property}' on '${shape.name}'` }));
  const wrong = Object.entries(shape.fields).flatMap(([property, field]) => {
    const value = unwrap(object[property] ?? null);
    if (value !== null) return valueFailures(shape, property, field.type, value);
    if (!field.required) return [];
    return [{ property, reason: `Missing required field '${property}' on '${shape.name}'` }];
  });
  return [...unrecognized, ...wrong];
}

function valueFailures(shape: Shape, property: string, type: FieldType, wrapped: Value): Failure[] {
  const value = unwrap(wrapped);
  if (value === UNKNOWN || type.kind === "any") return [];
  const expected = goTypeOf(type);
  if (!hasType(type, value)) {
    const reason = `Field '${property}' on '${shape.name}' must be a '${expected}'; got '${goTypeOfValue(value)}' instead`;
    return [{ property, reason }];
  }
  if (type.kind === "object") {
    const inner = objectFailures(type.shape, value as Properties);
    if (inner.length === 0) return [];
    const field = `${shape.name.split(".").at(-1)}.${property}`;
    const list = inner.map((failure) => `\n\t${failure.property}: ${failure.reason}`).join("");
    return [
      {
        property,
        reason: `An error occurred decoding '${field}': ${inner.length} failures decoding:${list}`,
      },
    ];
  }
  if (type.kind === "list" || type.kind === "map") {
    return Object.entries(value as Properties).flatMap(([key, item]) =>
      valueFailures(shape, `${property}[${key}] value`, type.element, item),
    );
  }
  return [];
}

function hasType(type: FieldType, value: Value): boolean {
  switch (type.kind) {
    case "list":
      return Array.isArray(value);
    case "map":
    case "object":
      return isObject(value);
    default:
      return goTypeOfValue(value) === (type.kind === "int" ? "float64" : type.kind);
  }
}

function goTypeOf(type: FieldType): string {
  switch (type.kind) {
    case "list":
      return `[]${goTypeOf(type.element)}`;
    case "map":
      return `map[string]${goTypeOf(type.element)}`;
    case "object":
      return type.shape.name;
    default:
      return type.kind;
  }
}

function goTypeOfValue(value: Value): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (value === null) return "nil";
  return { string: "string", number: "float64", boolean: "bool" }[typeof value as "string"];
}

function complete(shape: Shape, object: Properties, withDefaults: boolean): Properties {
  const completed: Properties = { ...object };
  for (const [property, field] of Object.entries(shape.fields)) {
    const value = object[property] ?? (withDefaults ? field.default : undefined);
    if (value === undefined) continue;
    const inner = completeValue(field.type, value, withDefaults);
    completed[property] = field.secret ? asSecret(inner) : inner;
  }
  return completed;
}

function completeValue(type: FieldType, value: Value, withDefaults: boolean): Value {
  if (isSecret(value)) return asSecret(completeValue(type, unwrap(value), withDefaults));
  if (type.kind === "object" && isObject(value)) return complete(type.shape, value, withDefaults);
  if (type.kind === "int" && typeof value === "number") return Math.trunc(value);
  return value;
}
