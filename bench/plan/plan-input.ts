/**
 * What a person may write as a plan, and what the errors say about anything else.
 *
 * @module
 */
import { z } from "zod";
import { type Order, orders, PlanError, type Repeat } from "./plan.ts";
import { ntttcpPorts } from "./ports.ts";
import { BIT_RATE_ALLOWED, DURATION_ALLOWED, parseBitRate, parseDuration } from "./quantities.ts";

/** What a search may offer, for error messages. */
export const OFFERED_RATE_ALLOWED = "a bit rate from 1K to 1T, such as 500K, 10M or 2.5G (decimal)";
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

/** A share in percent; more decimals would be written with an exponent, which no tool reads. */
function percent(min: number, max: number) {
  const error = `a percentage from ${min} to ${max}, of 6 decimals at most`;
  return z
    .number({ error })
    .min(min, { error })
    .max(max, { error })
    .refine((value) => !String(value).includes("e"), { error });
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

const offeredRate = quantity((input) => parseBitRate(input) || undefined, OFFERED_RATE_ALLOWED);
const duration = quantity(parseDuration, DURATION_ALLOWED);
const idError = "1 to 60 letters, digits, dots and hyphens, a letter or digit first";
const id = z.string({ error: idError }).regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,59}$/, { error: idError });

const common = {
  /** Replaces the derived id; swept values are still appended. */
  id: id.optional(),
  durationSeconds: duration,
};

const congestionError = "a TCP congestion control of the sender's kernel, such as cubic or bbr";
const congestion = z.string({ error: congestionError }).regex(/^[a-z][a-z0-9_]{0,14}$/, {
  error: congestionError,
});
const streams = whole(1, 128, "streams");
const bitrate = quantity(parseBitRate, BIT_RATE_ALLOWED);

/** Traffic under a latency measurement. */
const load = z.strictObject(
  {
    /** @default "tcp" */
    protocol: oneOf("tcp", "udp").optional(),
    /** @default "egress" */
    direction: oneOf("egress", "ingress").optional(),
    /** @default 1 */
    streams: streams.optional(),
    /** Per stream; UDP must have one. @default TCP's own pace */
    bitrate: bitrate.optional(),
  },
  { error: "an object with keys protocol, direction, streams, bitrate" },
);

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
    streams: sweep(streams).optional(),
    /**
     * Client-server pairs that start together and are summed, each with its own `streams` and `bitrate`: one client
     * cannot fill a large gateway. The stack must have as many. @default 1
     */
    pairs: sweep(whole(1, MAX_PAIRS, "pairs")).optional(),
    /** Per stream. UDP must have one: iperf3 would send 1 Mbit/s. @default TCP's own pace */
    bitrate: sweep(bitrate).optional(),
    /** TCP congestion control. @default the sender's kernel's */
    congestion: sweep(congestion).optional(),
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
    /** Traffic of iperf3 underneath. @default none: latency at rest */
    load: load.optional(),
  }),
  connect: z.strictObject({
    ...common,
    tool: z.literal("connect"),
    /** Pause between two connections. @default 10 */
    intervalMs: whole(1, 10_000, "milliseconds").optional(),
    load: load.optional(),
  }),
  /** Which keys go with which probe is for `expand/nat.ts` to say. */
  nat: z.strictObject({
    id: id.optional(),
    tool: z.literal("nat"),
    probe: oneOf("connection-rate", "concurrent-flows", "idle-timeout", "behaviour"),
    /** @default "tcp" */
    protocol: sweep(oneOf("tcp", "udp")).optional(),
    /** Connecting for so long (`connection-rate`), or opening for so long at most. @default 60 for the latter */
    durationSeconds: duration.optional(),
    /** More than 64,512 need a second client: an address has no more ports. @default 70000 */
    maxFlows: whole(1, 1_000_000, "flows").optional(),
    /** The longest silence tried. @default 300 */
    maxSeconds: duration.optional(),
    /** Between two silences. @default 1 */
    stepSeconds: whole(1, 3600, "seconds").optional(),
    /** Flows being opened at a time. @default 128 */
    concurrency: whole(1, 4096, "flows").optional(),
  }),
  search: z.strictObject({
    /** `durationSeconds` is that of each trial. */
    ...common,
    tool: z.literal("search"),
    /** `ndr`, `pdr`: the highest UDP rate without loss, with little loss; `peak`: the best number of TCP streams. */
    goal: oneOf("ndr", "pdr", "peak"),
    /** @default "egress" */
    direction: sweep(oneOf("egress", "ingress")).optional(),
    /** Of `ndr`, `pdr`: UDP payload. @default iperf3's choice, which fits the path's MTU */
    datagramBytes: sweep(whole(16, 65_507, "bytes")).optional(),
    /** Of `ndr`, `pdr`. @default 1 */
    streams: whole(1, 128, "streams").optional(),
    /** Of `ndr`, `pdr`: all streams together. @default a thousandth of `maxBitrate` */
    minBitrate: offeredRate.optional(),
    /** Required for `ndr`, `pdr`: all streams together; the first trial's rate. */
    maxBitrate: offeredRate.optional(),
    /** Of `ndr`, `pdr`. @default 0 for `ndr`, 0.5 for `pdr` */
    lossPercent: percent(0, 50).optional(),
    /** `ndr`, `pdr`: how close to a rate that failed; `peak`: what counts as noise. @default 1 */
    precisionPercent: percent(0.1, 50).optional(),
    /** Trials that repeat the figure. @default 1 */
    confirmations: whole(0, 10, "trials").optional(),
    /** @default 24 */
    maxTrials: whole(1, 60, "trials").optional(),
    /** Of `peak`. @default 128, iperf3's own limit */
    maxStreams: whole(1, 128, "streams").optional(),
    /** Warm-up before each trial's `durationSeconds`. @default 0 */
    omitSeconds: whole(0, 60, "seconds").optional(),
  }),
  ntttcp: z.strictObject({
    ...common,
    tool: z.literal("ntttcp"),
    /** @default "tcp" */
    protocol: sweep(oneOf("tcp", "udp")).optional(),
    /** `ingress`: the server connects to the client, which no server can through a NAT. @default "egress" */
    direction: sweep(oneOf("egress", "ingress")).optional(),
    /** UDP payload. ntttcp's own default goes out in fragments. @default 1400 */
    datagramBytes: sweep(whole(16, 65_507, "bytes")).optional(),
    /** Threads of the receiver, a port each. @default 1 */
    streams: sweep(whole(1, ntttcpPorts.streams, "streams")).optional(),
    /** Connections to each of them: 512 in all, so that usual limits of open files do. @default 1 */
    connectionsPerStream: whole(1, 8, "connections").optional(),
    /** Warm-up before `durationSeconds`. @default 0 */
    omitSeconds: whole(0, 60, "seconds").optional(),
  }),
} as const;
export type CaseInputs = { [T in keyof typeof caseInputs]: z.output<(typeof caseInputs)[T]> };

const REPEAT_ALLOWED =
  "a whole number from 1 to 100, or an object with keys least (2 to 100), most (least to 100) and withinPercent (above 0)";

/** `5`: five times. `{least, most, withinPercent}`: until the figures are that sure. */
const repeat = z.unknown().transform((input, context): Repeat => {
  const times = z.int().min(1).max(100);
  const adaptive = z
    .strictObject({
      least: times.min(2).default(3),
      most: times,
      withinPercent: z.number().positive().max(100),
    })
    .refine(({ least, most }) => least <= most);
  const fixed = times.safeParse(input);
  if (fixed.success) {
    return { least: fixed.data, most: fixed.data, withinPercent: null };
  }
  const parsed = adaptive.safeParse(input);
  if (parsed.success) {
    return parsed.data;
  }
  context.addIssue({ code: "custom", message: REPEAT_ALLOWED });
  return z.NEVER;
});

const scaleError = "a number above 0, at most 1000";

export const planInput = z.strictObject({
  name: id.optional(),
  /** @default "interleaved" */
  order: oneOf(...orders).optional(),
  /** Of the order `shuffled`. @default one made of the run's id */
  seed: whole(0, 2 ** 32 - 1, "the seed's range").optional(),
  /** Before every measurement but the first. @default 0 */
  pauseSeconds: whole(0, 3600, "seconds").optional(),
  /** @default 1 */
  repeat: repeat.optional(),
  /** Multiplies every rate: a suite for 10 Gbit/s machines tried on small ones. */
  rateScale: z
    .number({ error: scaleError })
    .positive({ error: scaleError })
    .max(1000, { error: scaleError })
    .optional(),
  cases: z.array(z.unknown(), { error: "a list of cases" }).min(1, { error: "at least one case" }).optional(),
  /** Name of the preset to take the cases from. */
  preset: z.string({ error: "the name of a preset" }).optional(),
  /** Replaces the duration of every case: a 300 s suite tried in minutes. */
  durationSeconds: duration.optional(),
});

/** A plan in full, as a preset has it. */
export interface PlanInput {
  readonly name: string;
  readonly order?: Order;
  readonly pauseSeconds?: number;
  readonly repeat?: Repeat;
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
