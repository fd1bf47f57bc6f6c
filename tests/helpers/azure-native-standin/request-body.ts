/**
 * Builds the body sent to ARM from a resource's inputs, with strict checks.
 *
 * The provider and the management clients are both generated from the same REST specifications and flatten what
 * those mark with `x-ms-client-flatten`. So an input's place in the body is that of the mapper with the same name. That the
 * provider really does so is not proved here.
 */
import type { ManagementClient, Mapper, MapperType } from "./mappers.ts";

/** The engine's marker of a value that is unknown in a preview. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export interface RequestBody {
  readonly body: Record<string, unknown>;
  /** Violations of ARM's schema; empty for a valid body. */
  readonly problems: readonly string[];
}

/** Enumerations that the API's own documentation calls incomplete. */
const openLists: readonly string[] = ["HardwareProfile.vmSize"];

/** @param className The mapper of the body, such as `Subnet`. */
export function requestBody(client: ManagementClient, className: string, inputs: object): RequestBody {
  const problems: string[] = [];
  const type = client.mappers[className]?.type;
  if (type === undefined) {
    throw new Error(`No mapper ${className}`);
  }
  const body = composite({ client, problems }, type, inputs as Record<string, unknown>, className);
  return { body, problems };
}

interface Walk {
  readonly client: ManagementClient;
  readonly problems: string[];
}

function composite(walk: Walk, declared: MapperType, value: Record<string, unknown>, path: string) {
  const type = concrete(walk, declared, value, path);
  const properties =
    type.modelProperties ?? walk.client.mappers[type.className ?? ""]?.type.modelProperties ?? {};
  const body: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const found = Object.entries(properties).find(([name, mapper]) => name === key || lastOf(mapper) === key);
    if (found === undefined) {
      walk.problems.push(`${path}.${key}: unknown to ARM`);
    } else if (found[1].readOnly) {
      walk.problems.push(`${path}.${key}: read-only`);
    } else if (item !== undefined && item !== null) {
      checkValues(walk, type.className ?? "", found[0], item, `${path}.${key}`);
      put(body, (found[1].serializedName ?? key).split("."), convert(walk, found[1], item, `${path}.${key}`));
    }
  }
  for (const [name, mapper] of Object.entries(properties)) {
    const given = value[name] ?? value[lastOf(mapper)];
    if (mapper.required && (given === undefined || given === null)) {
      walk.problems.push(`${path}.${name}: missing`);
    }
  }
  return body;
}

/** The class named by a polymorphic value. */
function concrete(
  { client, problems }: Walk,
  type: MapperType,
  value: Record<string, unknown>,
  path: string,
) {
  const base = client.mappers[type.className ?? ""]?.type ?? type;
  const discriminator = base.polymorphicDiscriminator?.serializedName;
  if (discriminator === undefined) {
    return base;
  }
  const name = `${base.uberParent}.${String(value[discriminator])}`;
  const found = client.discriminators[name];
  if (found === undefined) {
    problems.push(`${path}.${discriminator}: ARM knows no ${name}`);
  }
  return found?.type ?? base;
}

function convert(walk: Walk, mapper: Mapper, value: unknown, path: string): unknown {
  const { type } = mapper;
  if (value === UNKNOWN) {
    return value;
  }
  const expected = (ok: boolean, what: string) => {
    if (!ok) {
      walk.problems.push(`${path}: ${JSON.stringify(value)} is not ${what}`);
    }
    return value;
  };
  switch (type.name) {
    case "String":
      expected(typeof value === "string", "text");
      break;
    case "Number":
      expected(typeof value === "number", "a number");
      break;
    case "Boolean":
      return expected(typeof value === "boolean", "true or false");
    case "Enum":
      return expected(
        (type.allowedValues ?? []).includes(value as string),
        `one of ${type.allowedValues?.join(", ")}`,
      );
    case "Sequence":
      return Array.isArray(value)
        ? value.map((item, index) => convert(walk, type.element as Mapper, item, `${path}[${index}]`))
        : expected(false, "a list");
    case "Dictionary":
      return isRecord(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, item]) => [
              key,
              convert(walk, type.value as Mapper, item, `${path}.${key}`),
            ]),
          )
        : expected(false, "a map");
    case "Composite":
      return isRecord(value) ? composite(walk, type, value, path) : expected(false, "an object");
    default:
      walk.problems.push(`${path}: a ${type.name} was never needed before; teach this walk what it is`);
  }
  checkConstraints(walk, mapper, value, path);
  return value;
}

function checkConstraints(
  { problems }: Walk,
  { constraints = {} }: Mapper,
  value: unknown,
  path: string,
): void {
  const { InclusiveMinimum, InclusiveMaximum, MaxLength, MinLength, Pattern } = constraints;
  const length = String(value).length;
  const broken =
    (typeof value === "number" &&
      (value < Number(InclusiveMinimum ?? value) || value > Number(InclusiveMaximum ?? value))) ||
    (typeof value === "string" &&
      (length < Number(MinLength ?? 0) ||
        length > Number(MaxLength ?? length) ||
        (Pattern !== undefined && !new RegExp(String(Pattern)).test(value))));
  if (broken) {
    problems.push(`${path}: ${JSON.stringify(value)} breaks ${JSON.stringify(constraints)}`);
  }
}

function checkValues(walk: Walk, className: string, property: string, value: unknown, path: string): void {
  const name = `${className}.${property}`;
  const documented = openLists.includes(name) ? undefined : walk.client.values(className, property);
  const allowed = documented ?? [];
  for (const item of documented === undefined ? [] : [value].flat()) {
    if (typeof item === "string" && item !== UNKNOWN && !allowed.includes(item)) {
      walk.problems.push(`${path}: "${item}" is none of ${allowed.join(", ")}`);
    }
  }
}

function lastOf(mapper: Mapper): string {
  return mapper.serializedName?.split(".").at(-1) ?? "";
}

function put(body: Record<string, unknown>, [first, ...rest]: readonly string[], value: unknown): void {
  if (first === undefined) {
    return;
  }
  if (rest.length === 0) {
    body[first] = value;
    return;
  }
  body[first] ??= {};
  put(body[first] as Record<string, unknown>, rest, value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
