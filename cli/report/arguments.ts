/** The command line of `npm run report`. */
import { BIT_RATE_ALLOWED, parseBitRate } from "../../bench/plan/quantities.ts";
import { pricedClouds } from "../../bench/topologies/clouds.ts";
import {
  defaultNeeds,
  expectedOf,
  type Needs,
  type NumberField,
  numberFields,
  parseNumber,
  showNumber,
} from "../../report/index.ts";
import { oneOf, parseOptions, percent } from "../options.ts";
import { UsageError } from "../usage-error.ts";

/** Services with an export format. */
export const exportNames = ["benchmark-action", "bencher"] as const;
/** A service whose files are written next to the report. */
export type ExportName = (typeof exportNames)[number];

const options = {
  stack: { type: "string", multiple: true },
  out: { type: "string", default: "out" },
  "gb-in": { type: "string" },
  "gb-out": { type: "string" },
  "peak-gbit": { type: "string" },
  "new-connections": { type: "string" },
  connections: { type: "string" },
  machines: { type: "string" },
  zones: { type: "string" },
  "idle-seconds": { type: "string" },
  "no-fixed-address": { type: "boolean", default: false },
  "no-single-point": { type: "boolean", default: false },
  region: { type: "string" },
  regions: { type: "string" },
  "nat-size": { type: "string" },
  "nat-term": { type: "string" },
  "price-local-as": { type: "string", default: "azure" },
  prices: { type: "string", multiple: true },
  limit: { type: "string" },
  baseline: { type: "string" },
  tolerance: { type: "string" },
  "allow-not-judged": { type: "boolean", default: false },
  annotate: { type: "boolean", default: false },
  export: { type: "string", multiple: true },
  store: { type: "string" },
  commit: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @throws {UsageError} */
export function parseReportArguments(args: readonly string[]) {
  const { values, positionals } = parse(args);
  const tolerancePercent = percent("--tolerance", values.tolerance ?? "5%");
  const idle = (["tolerance", "allow-not-judged", "annotate"] as const).find((name) => values[name]);
  if (idle !== undefined && values.baseline === undefined && !values.help) {
    throw new UsageError(`--${idle}: also expected --baseline FILE; without a baseline nothing is judged`);
  }
  return {
    help: values.help,
    json: values.json,
    files: positionals,
    stacks: values.stack ?? [],
    out: values.out,
    needs: needsOfOptions(values),
    /** Regions whose prices are compared. */
    regions: (values.regions ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])),
    natSize: values["nat-size"],
    /** Undefined: on demand. */
    natTerm: values["nat-term"],
    priceLocalAs: oneOf("--price-local-as", values["price-local-as"], pricedClouds),
    /** `snapshot`, `live`, or files of price lists. */
    prices: values.prices ?? [],
    limit: values.limit === undefined ? undefined : rate("--limit", values.limit),
    baseline: values.baseline,
    tolerancePercent,
    allowNotJudged: values["allow-not-judged"],
    /** Prints the verdict as GitHub annotations. */
    annotate: values.annotate,
    /** Directory in which the runs are stored. Undefined: not stored. */
    store: values.store,
    /** The measured commit. */
    commit: values.commit,
    exports: (values.export ?? []).map((name) => oneOf("--export", name, exportNames)),
  };
}

/** The parsed command line. */
export type ReportArguments = Readonly<ReturnType<typeof parseReportArguments>>;

function parse(args: readonly string[]) {
  return parseOptions(args, options, { allowPositionals: true });
}

function needsOfOptions(values: ReturnType<typeof parse>["values"]): Needs {
  const numbers = numberFields.map((field) => {
    const text = values[field.name as keyof typeof values];
    return [field.key, amount(field, typeof text === "string" ? text : undefined)];
  });
  return {
    ...defaultNeeds,
    ...Object.fromEntries(numbers),
    fixedAddress: !values["no-fixed-address"],
    noSinglePoint: values["no-single-point"],
    region: values.region ?? null,
  };
}

function amount(field: NumberField, text = showNumber(field, defaultNeeds)): number | null {
  const value = parseNumber(field, text);
  if (value === undefined) {
    throw new UsageError(`--${field.name}: ${expectedOf(field)}; got "${text}"`);
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
