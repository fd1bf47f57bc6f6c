/**
 * What a person may write as a plan, and what the errors say about anything else.
 *
 * @module
 */
import { z } from "zod";
import { PlanError } from "./plan.ts";
import { BIT_RATE_ALLOWED, DURATION_ALLOWED, parseBitRate, parseDuration } from "./quantities.ts";

/** The most client-server pairs of a case, and of a stack. */
export const MAX_PAIRS = 16;

/** A value as a person writes it, checked by a parser of `quantities.ts`. */
function quantity(parse: (input: unknown) => number | undefined, allowed: string) {
  return z.unknown().transform((input, context): number => {
    const value = parse(input);
    if (value === undefined) {
      context.addIssue({ code: "custom", message: allowed });
      return z.NEVER;
    }
    return value;
  });
}

function whole(min: number, max: number, unit: string) {
  const error = `a whole number of ${unit} from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function oneOf<const T extends readonly [string, ...string[]]>(...names: T) {
  return z.enum(names, { error: `one of ${names.join(", ")}` });
}

/** One value or a list of them, which makes a sweep; `swept` decides whether the case's id tells the value. */
function sweep<T extends z.ZodType>(value: T) {
  const asList = (input: unknown) => ({
    swept: Array.isArray(input),
    values: Array.isArray(input) ? input : [input],
  });
  const values = z.array(value).min(1, { error: "a value or a list of at least one" });
  return z.preprocess(asList, z.object({ swept: z.boolean(), values }));
}

const duration = quantity(parseDuration, DURATION_ALLOWED);
const idError = "1 to 60 letters, digits, dots and hyphens, a letter or digit first";
const id = z.string({ error: idError }).regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,59}$/, { error: idError });

const common = {
  /** Replaces the derived id; swept values are still appended. */
  id: id.optional(),
  durationSeconds: duration,
};

export const caseInputs = {
  iperf3: z.strictObject({
    ...common,
    tool: z.literal("iperf3"),
    /** @default "tcp" */
    protocol: sweep(oneOf("tcp", "udp")).optional(),
    /** @default "egress" */
    direction: sweep(oneOf("egress", "ingress")).optional(),
    /** UDP payload; iperf3's own limits. @default iperf3's choice, which fits the path's MTU */
    datagramBytes: sweep(whole(16, 65_507, "bytes")).optional(),
    /** Parallel streams; iperf3's own limit. @default 1 */
    streams: sweep(whole(1, 128, "streams")).optional(),
    /**
     * Client-server pairs that start together and are summed, each with its own `streams` and `bitrate`: one client
     * cannot fill a large gateway. The stack must have as many. @default 1
     */
    pairs: sweep(whole(1, MAX_PAIRS, "pairs")).optional(),
    /** Per stream. UDP must have one: iperf3 would send 1 Mbit/s. @default TCP's own pace */
    bitrate: sweep(quantity(parseBitRate, BIT_RATE_ALLOWED)).optional(),
    /** Warm-up before `durationSeconds`. @default 0 */
    omitSeconds: whole(0, 60, "seconds").optional(),
  }),
  sockperf: z.strictObject({
    ...common,
    tool: z.literal("sockperf"),
    /** @default "tcp" */
    protocol: sweep(oneOf("tcp", "udp")).optional(),
    /** Limits of sockperf 3.7. @default 64 */
    messageBytes: sweep(whole(14, 65_506, "bytes")).optional(),
  }),
  connect: z.strictObject({
    ...common,
    tool: z.literal("connect"),
    /** Pause between two connections. @default 10 */
    intervalMs: whole(1, 10_000, "milliseconds").optional(),
  }),
} as const;
export type CaseInputs = { [T in keyof typeof caseInputs]: z.output<(typeof caseInputs)[T]> };

export const planInput = z.strictObject({
  name: id.optional(),
  /** @default "interleaved" */
  order: oneOf("interleaved", "sequential").optional(),
  cases: z.array(z.unknown(), { error: "a list of cases" }).min(1, { error: "at least one case" }).optional(),
  /** Name of the preset to take the cases from. */
  preset: z.string({ error: "the name of a preset" }).optional(),
  /** Replaces the duration of every case: a 300 s suite tried in minutes. */
  durationSeconds: duration.optional(),
});

/** A plan in full, as a preset has it. */
export interface PlanInput {
  readonly name: string;
  readonly order?: "interleaved" | "sequential";
  readonly cases: readonly Readonly<Record<string, unknown>>[];
}

/** Checks `input`; `where` names it in errors when it is a part of a plan. @throws {PlanError} with a line for each thing that is wrong. */
export function read<T extends z.ZodObject>(schema: T, input: unknown, where?: string): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) {
    return result.data;
  }
  const keys = Object.keys(schema.shape).join(", ");
  const prefix = where === undefined ? "" : `${where}: `;
  throw new PlanError(result.error.issues.map((issue) => prefix + explain(issue, input, keys)).join("\n"));
}

function explain(issue: z.core.$ZodIssue, input: unknown, keys: string): string {
  if (issue.code === "unrecognized_keys") {
    const unknown = issue.keys.map((key) => `"${key}"`).join(", ");
    return `unknown key ${unknown}; allowed are ${keys}`;
  }
  const [key, ...rest] = issue.path;
  if (key === undefined) {
    return `got ${show(input)}; expected an object with keys ${keys}`;
  }
  const given = (input as Record<PropertyKey, unknown>)[key];
  const index = rest.findLast((step) => typeof step === "number");
  const value = Array.isArray(given) && index !== undefined ? given[index] : given;
  return `${String(key)}: got ${show(value)}; expected ${issue.message}`;
}

/** A value as errors show it. */
export function show(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value)).slice(0, 80);
}
