/** The package schema of the plugin's components, from the zod schemas of their arguments and outputs. Pure. */

/** The part of a zod schema that is read here. */
export interface Zod {
  readonly def: {
    readonly type: string;
    readonly innerType?: Zod;
    readonly options?: readonly Zod[];
    readonly element?: Zod;
    readonly valueType?: Zod;
    readonly items?: readonly Zod[];
    readonly shape?: Readonly<Record<string, Zod>>;
    readonly entries?: Readonly<Record<string, string>>;
    readonly values?: readonly unknown[];
  };
  readonly isInt?: boolean;
  meta():
    | { title?: string; description?: string; default?: unknown; fallback?: string; secret?: boolean }
    | undefined;
}

export interface ComponentTypes {
  readonly description: string;
  readonly args: Zod;
  readonly outputs: Zod;
}

/** A type of Pulumi's package schema. */
type TypeSpec = Record<string, unknown>;

/**
 * Arguments that only a TypeScript program can give, with the reason.
 *
 * @public
 */
export const leftOut: Readonly<Record<string, string>> = {
  internetReady: "resources to wait for; the component's own option dependsOn does it",
};

/** What wraps a type: whether it may be left out, and whether it may be known later. */
export interface Bare {
  readonly type: Zod;
  readonly isOptional: boolean;
  readonly isInput: boolean;
  readonly meta: NonNullable<ReturnType<Zod["meta"]>>;
}

/** A type without what wraps it: optional, read-only, or a union with "an output". */
export function bare(schema: Zod): Bare {
  const { type, innerType, options = [] } = schema.def;
  const isInput = type === "union" && options[0]?.def.type === "custom";
  const inner = innerType ?? (isInput ? options[options.length - 1] : undefined);
  const within = inner && bare(inner);
  return {
    type: within?.type ?? schema,
    isOptional: type === "optional" || type === "default" || (within?.isOptional ?? false),
    isInput: isInput || (within?.isInput ?? false),
    meta: { ...within?.meta, ...schema.meta() },
  };
}

/** The package schema of components by their type token, such as `egress-bench:aws:NatInstance`. */
export function packageSchema(version: string, components: Readonly<Record<string, ComponentTypes>>): object {
  const types: Record<string, unknown> = {};
  const known = new Map<string, string>();
  const ids = new Map<Zod["def"], number>();

  /**
   * A type within a module, the same with another description. Not of two modules: Go's package of one cannot name the other
   * because of the hyphen in egress-bench.
   */
  function keyOf({ def }: Zod, parent: string): string {
    const id = ids.get(def) ?? ids.size;
    ids.set(def, id);
    return `${parent.split(":")[1]}:${id}`;
  }

  /** A token for an object or an enum: its title's or property's name, behind its parent's where that is taken. */
  function tokenOf(parent: string, name: string): string {
    const word = name.charAt(0).toUpperCase() + name.slice(1);
    const [module, parentWord] = parent.split(":").slice(1);
    const own = `egress-bench:${module}:${word}`;
    return own in types || own in components ? `egress-bench:${module}:${parentWord}${word}` : own;
  }

  function typeOf(schema: Zod, parent: string, name: string): TypeSpec {
    const { type, meta } = bare(schema);
    const { def } = type;
    const key = keyOf(type, parent);
    const member = (one: Zod | undefined) => typeOf(one as Zod, parent, name);
    switch (def.type) {
      case "string":
      case "boolean":
        return { type: def.type };
      case "number":
        return { type: type.isInt ? "integer" : "number" };
      case "literal":
        return { type: typeof def.values?.[0] };
      case "any":
        return { $ref: "pulumi.json#/Any" };
      case "array":
        return { type: "array", items: member(def.element) };
      case "tuple":
        return { type: "array", items: member(def.items?.[0]) };
      case "record":
        return { type: "object", additionalProperties: member(def.valueType) };
      case "union":
        return { oneOf: def.options?.map(member) };
      case "enum":
      case "object":
        return {
          $ref: `#/types/${known.get(key) ?? defined(type, key, tokenOf(parent, meta.title ?? name))}`,
        };
      default:
        throw new Error(
          `${parent}.${name}: a ${def.type} has no type in other languages; expected a text, a number, ...`,
        );
    }
  }

  function defined(schema: Zod, key: string, token: string): string {
    known.set(key, token);
    types[token] = {};
    const values = Object.values(schema.def.entries ?? {});
    types[token] =
      values.length > 0
        ? { type: "string", enum: values.map((value) => ({ value })) }
        : { type: "object", ...propertiesOf(schema, token) };
    return token;
  }

  function propertiesOf(schema: Zod, parent: string) {
    const fields = Object.entries(bare(schema).type.def.shape ?? {}).filter(([name]) => !(name in leftOut));
    const properties = fields.map(([name, field]) => {
      const { isInput, type, meta } = bare(field);
      const isPlain = !isInput && ["string", "boolean", "number", "enum"].includes(type.def.type);
      const marks = { ...(isPlain && { plain: true }), ...(meta.secret && { secret: true }) };
      return [name, { ...typeOf(field, parent, name), ...marks, description: descriptionOf(meta) }];
    });
    const required = fields.filter(([, field]) => !bare(field).isOptional).map(([name]) => name);
    return { properties: Object.fromEntries(properties), required };
  }

  const resources = Object.entries(components).map(([token, { description, args, outputs }]) => {
    const { properties: inputProperties, required: requiredInputs } = propertiesOf(args, token);
    const { properties, required } = propertiesOf(outputs, token);
    return [token, { isComponent: true, description, inputProperties, requiredInputs, properties, required }];
  });
  const language = Object.fromEntries(
    ["csharp", "go", "java", "nodejs", "python"].map((one) => [one, { respectSchemaVersion: true }]),
  );
  return { name: "egress-bench", version, language, types, resources: Object.fromEntries(resources) };
}

/** An option's description with its default, without links, which lead nowhere in an SDK. */
function descriptionOf({ description = "", default: value, fallback }: Bare["meta"]): string {
  const text = description.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  const otherwise = value === undefined ? fallback : String(value);
  return otherwise === undefined ? text : `${text} Default: ${otherwise}.`;
}
