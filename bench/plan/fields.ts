/** Value types of a plan with their error messages, from which tools build their schemas. */
import { z } from "zod";
import { PlanError } from "./plan-error.ts";
import { BIT_RATE_ALLOWED, DURATION_ALLOWED, parseBitRate, parseDuration } from "./quantities.ts";

/** Rates that a search may offer, for error messages. */
export const OFFERED_RATE_ALLOWED = "a bit rate from 1K to 1T, such as 500K, 10M or 2.5G (decimal)";

/** @param error Message where the checker does not word it. @default `allowed` */
export function quantity(
  parse: (input: unknown) => number | undefined,
  allowed: string,
  error: string = allowed,
) {
  return z
    .unknown()
    .transform((input, context): number => {
      const value = parse(input);
      if (value === undefined) {
        context.addIssue({ code: "custom", message: error });
        return z.NEVER;
      }
      return value;
    })
    .meta({ allowed });
}

/** A whole number of `unit`, both bounds included. */
export function whole(min: number, max: number, unit: string) {
  const error = `a whole number of ${unit} from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).meta({ unit });
}

/**
 * Default and bounds of an option of the agent's programs. The agent's contract carries them, so that the plan and the
 * program agree.
 */
export interface ProgramOption {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/** A key that may be left out, of a program's option in `unit`: described, with the option's default. */
export function optionalWhole(
  { default: without, min, max }: ProgramOption,
  unit: string,
  description: string,
) {
  return optional(whole(min, max, unit), description, without);
}

/** A share in percent. Smaller values would be written with an exponent, which no tool reads. */
export function percent(min: number, max: number) {
  const error = `a percentage from ${min} to ${max}, of 6 decimals at most`;
  return z
    .number({ error })
    .min(min, { error })
    .max(max, { error })
    .refine((value) => !String(value).includes("e"), { error })
    .meta({ unit: "percent" });
}

export function oneOf<const T extends readonly [string, ...string[]]>(...names: T) {
  return z.enum(names, { error: `one of ${names.join(", ")}` });
}

/** One value or a list of them, which makes a sweep; `swept` decides whether the case's id includes the value. */
export function sweep<T extends z.ZodType>(value: T) {
  const asList = (input: unknown) => ({
    swept: Array.isArray(input),
    values: Array.isArray(input) ? input : [input],
  });
  const values = z.array(value).min(1, { error: "a value or a list of at least one" });
  return z.preprocess(asList, z.object({ swept: z.boolean(), values }));
}

/** A key that may be left out; `without` is its default, or describes the behaviour without it. */
export function optional<T extends z.ZodType>(value: T, description: string, without?: string | number) {
  const said = typeof without === "number" ? { default: without } : { fallback: without };
  return value.optional().meta({ description, ...said });
}

const idError = "1 to 60 letters, digits, dots and hyphens, a letter or digit first";

/** The name of a case or a plan. */
export const id = z.string({ error: idError }).regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,59}$/, { error: idError });
/** Whole seconds, from a number, `30s`, `5m` or `1h`. */
export const duration = quantity(parseDuration, DURATION_ALLOWED);
/** Bits per second; 0 for `unlimited`. */
export const bitrate = quantity(parseBitRate, BIT_RATE_ALLOWED);
/** Bits per second, never unlimited. */
export const offeredRate = quantity((input) => parseBitRate(input) || undefined, OFFERED_RATE_ALLOWED);
export const protocol = oneOf("tcp", "udp");
/** `egress`: the client sends. `ingress`: it receives. */
export const direction = oneOf("egress", "ingress");
/** iperf3's own limit. */
export const MOST_STREAMS = 128;
export const streams = whole(1, MOST_STREAMS, "streams");
/** UDP payload; iperf3's own limits. */
export const datagramBytes = whole(16, 65_507, "bytes");
export const omitSeconds = whole(0, 60, "seconds");

/** How long a case measures, for most tools. */
export const measuredSeconds = duration.describe("How long to measure, after `omitSeconds`.");

/** @throws {PlanError} where a payload's length is given for a protocol that has no datagrams. */
export function checkDatagrams(
  values: { readonly protocol: "tcp" | "udp"; readonly datagramBytes: number | null },
  where: string,
): void {
  if (values.protocol === "tcp" && values.datagramBytes !== null) {
    throw new PlanError(
      `${where}: datagramBytes: got ${values.datagramBytes} with protocol tcp; expected with protocol udp only`,
    );
  }
}
