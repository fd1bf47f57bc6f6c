/** The file of a matrix: its schema, and refusals that name the key. */
import { parse } from "yaml";
import { z } from "zod";
import { type CloudName, cloudNames, MAX_PAIRS, plainText } from "../../bench/index.ts";
import { hintOf } from "../../bench/nearest.ts";
import { pathText, validate } from "../../bench/validate.ts";
import { tuningNames } from "../../components/tuning/profiles.ts";
import { UsageError } from "../usage-error.ts";

const topologySchema = z.union([z.string(), z.looseObject({ topology: z.string() })], {
  error: "expected the name of a topology, or {topology: NAME, ...options}",
});

/** The choices of one cell. All clouds use the same keys for sizes. */
const cellSchema = z
  .strictObject({
    cloud: z.enum(cloudNames),
    region: z.string().min(1),
    zone: z.coerce.string().min(1),
    serverRegion: z.string().min(1),
    topologies: z.union([z.string().transform((one) => [one]), z.array(topologySchema).min(1)], {
      error: "expected a topology or a list of them",
    }),
    clientSize: z.string().min(1),
    serverSize: z.string().min(1),
    natSize: z.string().min(1),
    plan: z.union([z.string(), z.looseObject({})], { error: "expected a preset, a file or a plan" }),
    duration: z.int().min(1),
    rateScale: z.number().positive(),
    pairs: z.int().min(1).max(MAX_PAIRS, `expected at most ${MAX_PAIRS}`),
    tuning: z.enum(tuningNames),
    settings: z.record(z.string(), z.unknown()),
  })
  .partial();

export type CellKeys = z.infer<typeof cellSchema>;

const cellKeyNames: readonly string[] = Object.keys(cellSchema.shape);

/** A cloud's names for the choices of a cell. */
interface CloudKeys {
  /** Keys of the cloud's section of a stack's configuration, by the cell's keys. */
  readonly section: Readonly<Partial<Record<keyof CellKeys, string>>>;
  /** Keys in a namespace of their own, by the cell's keys. */
  readonly config: Readonly<Partial<Record<keyof CellKeys, string>>>;
  /** Option of topologies for the size of their NAT instances; null: the cloud has no sizes. */
  readonly natSize: string | null;
}

const none: CloudKeys = { section: {}, config: {}, natSize: null };

export const cloudKeys: Readonly<Record<CloudName, CloudKeys>> = {
  azure: {
    section: {
      region: "location",
      zone: "zone",
      serverRegion: "serverLocation",
      clientSize: "clientSize",
      serverSize: "serverSize",
    },
    config: {},
    natSize: "size",
  },
  aws: {
    section: { zone: "zone", clientSize: "clientInstanceType", serverSize: "serverInstanceType" },
    config: { region: "aws:region" },
    natSize: "instanceType",
  },
  local: none,
  hosts: none,
};

/** Choices that only some clouds have. */
export const placeKeys = ["region", "zone", "serverRegion", "clientSize", "serverSize"] as const;

export const MOST_CELLS = 2000;

const fileSchema = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,19}$/,
      "expected 1 to 20 lower-case letters, digits and hyphens, a letter first",
    ),
  defaults: cellSchema.default({}),
  axes: z.record(z.string(), z.array(z.unknown()).min(1)).default({}),
  include: z.array(cellSchema).default([]),
  exclude: z.array(cellSchema).default([]),
  config: z
    .record(z.string().regex(/:/, "expected a key with its namespace, such as ssh:allowedCidrs"), z.unknown())
    .default({}),
  maxParallel: z.int().min(1).max(64).default(4),
  budget: z.number().positive().optional(),
  cellMinutes: z.number().positive().optional(),
  quotas: z
    .array(
      z.strictObject({
        cloud: z.enum(cloudNames),
        region: z.string().min(1),
        quota: z.string().min(1),
        limit: z.int().min(0),
      }),
    )
    .default([]),
  backend: z
    .string()
    .regex(/^(file|s3|azblob|gs|https?):\/\//, "expected the URL of a Pulumi backend, such as s3://BUCKET")
    .optional(),
});

const MOST_LABEL = 100;

/** Whether a text fits into a line of a list and a table cell. */
const isLine = (text: string) =>
  text !== "" && text.length <= MOST_LABEL && plainText(text) === text && !/[\t\n]/.test(text);

const labelSchema = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine(isLine, {
    error: `expected 1 to ${MOST_LABEL} characters in one line`,
  });

interface Axis {
  readonly name: string;
  readonly values: readonly { readonly label: string; readonly keys: CellKeys }[];
}

export interface MatrixFile extends Omit<z.infer<typeof fileSchema>, "axes"> {
  readonly axes: readonly Axis[];
}

/** Reads the text of a matrix. @throws {UsageError} naming the key, what was expected, and the nearest name */
export function readMatrix(text: string): MatrixFile {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n")[0] ?? "");
  }
  if (holdsItself(content)) {
    throw new UsageError(`expected plain values; got one that contains itself through an alias (*)`);
  }
  const names = Object.keys((content as { readonly axes?: object } | null)?.axes ?? {});
  // Records drop `__proto__`.
  const unfit = names.find((name) => name === "__proto__" || !isLine(name));
  if (unfit !== undefined) {
    const name = /^\w+$/.test(unfit) ? unfit : JSON.stringify(unfit);
    throw new UsageError(`axes: ${name} cannot be the name of an axis; give it another`);
  }
  const { axes, ...file } = checked(fileSchema, content, []);
  const read = Object.entries(axes).map(([name, values]) => readAxis(name, values));
  const all = read.flatMap(({ name, values }) =>
    [...new Set(values.flatMap(({ keys }) => Object.keys(keys)))].map((key) => ({ name, key })),
  );
  const twice = all.find(({ name, key }) => all.some((other) => other.key === key && other.name !== name));
  if (twice !== undefined) {
    const other = all.find(({ name, key }) => key === twice.key && name !== twice.name);
    throw new UsageError(
      `axes.${other?.name}: sets ${twice.key}, which axes.${twice.name} sets too; leave it to one of them`,
    );
  }
  return { ...file, axes: read };
}

function holdsItself(content: unknown): boolean {
  try {
    JSON.stringify(content);
    return false;
  } catch {
    return true;
  }
}

/** An axis is one of a cell's keys, or a custom name whose values set several keys. */
function readAxis(name: string, values: readonly unknown[]): Axis {
  const isKey = cellKeyNames.includes(name);
  const read = values.map((value, at) => {
    const path = ["axes", name, at];
    if (isKey) {
      const own: z.ZodType = cellSchema.shape[name as keyof typeof cellSchema.shape];
      const keys = { [name]: checked(own, value, path) } as CellKeys;
      return { label: labelOf(keys[name as keyof CellKeys]), keys };
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const hint = hintOf(name, cellKeyNames, `a cell has ${cellKeyNames.join(", ")}`);
      throw new UsageError(
        `axes.${name}: is not a key of a cell${hint}; an axis of another name has values such as {label: NAME, cloud: aws}`,
      );
    }
    const { label, ...own } = value as { readonly label?: unknown };
    const keys = checked(cellSchema, own, path);
    return {
      label: label === undefined ? labelOf(keys) : checked(labelSchema, label, [...path, "label"]),
      keys,
    };
  });
  const labels = read.map(({ label }) => label);
  const twice = labels.find((label, at) => labels.indexOf(label) !== at);
  if (twice !== undefined) {
    throw new UsageError(
      `axes.${name}: two values are called "${twice}"; ${isKey ? "leave one out" : "give each a label of its own"}`,
    );
  }
  return { name, values: read };
}

/** Short label of a value, for tables and stack names. */
export function labelOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(labelOf).join("+");
  }
  if (typeof value !== "object" || value === null) {
    return plainText(String(value)).replaceAll(/\s+/g, " ");
  }
  const { name, topology, preset, ...others } = value as Readonly<Record<string, unknown>>;
  const first = name ?? topology ?? preset;
  const rest = name === undefined ? Object.values(others).map(labelOf) : [];
  return [...(first === undefined ? [] : [String(first)]), ...rest].join(" ") || "none";
}

function checked<T>(schema: z.ZodType<T>, value: unknown, path: readonly PropertyKey[]): T {
  return validate(schema, value, (problems) => new UsageError(problems.join("; ")), pathText(path));
}
