/**
 * The command line of `npm run report`.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { BIT_RATE_ALLOWED, parseBitRate } from "../../bench/plan/quantities.ts";
import { UsageError } from "../usage-error.ts";

export interface ReportArguments {
  readonly help: boolean;
  readonly json: boolean;
  readonly files: readonly string[];
  readonly stacks: readonly string[];
  readonly out: string;
  readonly gbIn: number;
  readonly gbOut: number;
  readonly region: string | undefined;
  readonly natSize: string | undefined;
  readonly priceLocalAs: "azure" | "aws";
  readonly prices: "snapshot" | "live";
  readonly limit: number | undefined;
  readonly baseline: string | undefined;
  readonly tolerancePercent: number;
}

const options = {
  stack: { type: "string", multiple: true },
  out: { type: "string", default: "out" },
  "gb-in": { type: "string", default: "1000" },
  "gb-out": { type: "string", default: "200" },
  region: { type: "string" },
  "nat-size": { type: "string" },
  "price-local-as": { type: "string", default: "azure" },
  prices: { type: "string", default: "snapshot" },
  limit: { type: "string" },
  baseline: { type: "string" },
  tolerance: { type: "string", default: "5%" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @throws {UsageError} */
export function parseReportArguments(args: readonly string[]): ReportArguments {
  const { values, positionals } = parse(args);
  return {
    help: values.help,
    json: values.json,
    files: positionals,
    stacks: values.stack ?? [],
    out: values.out,
    gbIn: amount("--gb-in", values["gb-in"]),
    gbOut: amount("--gb-out", values["gb-out"]),
    region: values.region,
    natSize: values["nat-size"],
    priceLocalAs: oneOf("--price-local-as", values["price-local-as"], ["azure", "aws"]),
    prices: oneOf("--prices", values.prices, ["snapshot", "live"]),
    limit: values.limit === undefined ? undefined : rate("--limit", values.limit),
    baseline: values.baseline,
    tolerancePercent: percent("--tolerance", values.tolerance),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function amount(option: string, text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value) || value > 1e9) {
    throw new UsageError(`${option}: expected GB a month from 0 to 1000000000; got "${text}"`);
  }
  return value;
}

function percent(option: string, text: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)%?$/.exec(text) ?? [];
  const value = Number(digits);
  if (digits === undefined || value > 100) {
    throw new UsageError(`${option}: expected a percentage from 0% to 100%; got "${text}"`);
  }
  return value;
}

function rate(option: string, text: string): number {
  const value = parseBitRate(text);
  if (value === undefined || value === 0) {
    throw new UsageError(
      `${option}: expected ${BIT_RATE_ALLOWED.replace(' or "unlimited"', "")}; got "${text}"`,
    );
  }
  return value;
}

function oneOf<const T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found === undefined) {
    throw new UsageError(`${option}: expected ${allowed.join(" or ")}; got "${text}"`);
  }
  return found;
}
