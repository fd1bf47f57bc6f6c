/**
 * Extracts a schema's fields for the tables of `docs/reference/`: names, types, defaults and descriptions, from zod's JSON
 * schema.
 */
import { z } from "zod";

interface Field {
  /** Dotted from the section's object; `[]` is an entry of a list, `*` any key. */
  readonly path: string;
  readonly type: string;
  /** Value as JSON, or words; undefined: required, or see `optional`. */
  readonly default: string | undefined;
  readonly optional: boolean;
  readonly text: string;
}

/** A named object schema: the requested one comes first, then those that it refers to by id. */
export interface Section {
  readonly name: string;
  readonly text: string;
  readonly fields: readonly Field[];
}

/** JSON Schema as zod writes it, with the additions of `.meta()`. */
interface Json {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly $ref?: string;
  readonly items?: Json;
  readonly prefixItems?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly additionalProperties?: Json | boolean;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly description?: string;
  /** Description of the behaviour without the field. */
  readonly fallback?: string;
  /** Description of the allowed values, where a parser decides. */
  readonly allowed?: string;
  readonly unit?: string;
  readonly $defs?: Readonly<Record<string, Json>>;
}

/** The schema's section and those of the named schemas within it, in reading order. */
export function sectionsOf(schema: z.ZodType, io: "input" | "output"): Section[] {
  const json = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  const sections: Section[] = [];
  const waiting = [json.$ref === undefined ? { name: "", json } : named(json, json.$ref)];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, json: own } = next;
    if (sections.some((one) => one.name === name)) continue;
    const met: string[] = [];
    sections.push({ name, text: own.description ?? "", fields: fieldsOf(own, "", met) });
    waiting.push(...met.map((ref) => named(json, ref)));
  }
  return sections.filter(({ fields }) => fields.length > 0);
}

function named({ $defs }: Json, ref: string) {
  const name = ref.replace("#/$defs/", "");
  return { name, json: $defs?.[name] ?? {} };
}

function fieldsOf(json: Json, prefix: string, met: string[]): Field[] {
  return Object.entries(json.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix + name;
    const { type, inner } = typeOf(property, path, met);
    const { default: value, fallback, description: text = "" } = property;
    const optional = !json.required?.includes(name) || value !== undefined;
    const shown = value === undefined ? fallback : JSON.stringify(value);
    return [{ path, type, default: shown, optional, text }, ...inner];
  });
}

interface Typed {
  readonly type: string;
  /** Fields of an object without a name of its own. */
  readonly inner: readonly Field[];
}

function typeOf(json: Json, path: string, met: string[]): Typed {
  const plain = (type: string): Typed => ({ type, inner: [] });
  if (json.allowed !== undefined) return plain(json.allowed);
  if (json.$ref !== undefined) {
    met.push(json.$ref);
    const title = titleOf(json.$ref.replace("#/$defs/", ""));
    return plain(`[${title}](#${title.replaceAll(" ", "-")})`);
  }
  const either = json.anyOf ?? json.oneOf;
  if (either !== undefined) return eitherOf(either, path, met);
  if (json.const !== undefined) return plain(code(json.const));
  if (json.enum !== undefined) return plain(json.enum.map(code).join(", "));
  if (json.type === "array") return listOf(json, path, met);
  if (json.type !== "object") return plain([scalar(json), ...bounds(json)].join(", "));
  const { swept, values } = json.properties ?? {};
  if (swept !== undefined && values?.items !== undefined) {
    const { type, inner } = typeOf(values.items, path, met);
    return { type: `${type}, or a list`, inner };
  }
  if (json.properties !== undefined) return { type: "object", inner: fieldsOf(json, `${path}.`, met) };
  const { additionalProperties: entry } = json;
  if (typeof entry !== "object") return plain("object");
  const { type, inner } = typeOf(entry, `${path}.*`, met);
  return { type: `map of ${type}`, inner };
}

/** `caseResult` is "case result". */
export function titleOf(id: string): string {
  return id.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}

function listOf(json: Json, path: string, met: string[]): Typed {
  if (json.prefixItems !== undefined) {
    return { type: `[${json.prefixItems.map((one) => typeOf(one, path, met).type).join(", ")}]`, inner: [] };
  }
  const { type, inner } = typeOf(json.items ?? {}, `${path}[]`, met);
  const most = json.maxItems === undefined ? [] : [`at most ${number(json.maxItems)}`];
  return { type: [`list of ${type}`, ...atLeast(json.minItems), ...most].join(", "), inner };
}

/** An alternative without a shape is a program's output, which no file has. */
function eitherOf(all: readonly Json[], path: string, met: string[]): Typed {
  const known = all.filter((one) => Object.keys(one).length > 0);
  const typed = known.map((one) => typeOf(one, path, met));
  const inner = typed.flatMap((one) => one.inner);
  return {
    type: [...new Set(typed.map(({ type }) => type))].join(" or "),
    inner: inner.filter(({ path }, index) => inner.findIndex((one) => one.path === path) === index),
  };
}

function scalar({ type, format, unit }: Json): string {
  if (unit === "percent") return "percent";
  if (type === "integer") return unit === undefined ? "whole number" : `whole number of ${unit}`;
  return format === "date-time" ? "time (ISO 8601)" : [type ?? "any"].flat().join(" or ");
}

function bounds({ minimum, maximum, exclusiveMinimum, minLength }: Json): string[] {
  const least = safe(minimum);
  const most = safe(maximum);
  if (least !== undefined && most !== undefined) return [`${number(least)} to ${number(most)}`];
  return [
    ...atLeast(least ?? minLength),
    ...(exclusiveMinimum === undefined ? [] : [`above ${number(exclusiveMinimum)}`]),
    ...(most === undefined ? [] : [`at most ${number(most)}`]),
  ];
}

const atLeast = (least: number | undefined) => (least === undefined ? [] : [`at least ${number(least)}`]);

/** Omits the bounds that every whole number has. */
const safe = (bound: number | undefined) =>
  bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound;

const number = (value: number) => (value >= 10_000 ? value.toLocaleString("en") : String(value));

const code = (value: unknown) => `\`${String(value)}\``;
