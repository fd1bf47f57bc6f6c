/** The command line of `npm run advise`. */
import { type AwsField, FormatError, parseFormat } from "../../advise/fields.ts";
import { type Candidate, candidates } from "../../bench/topologies/limits.ts";
import { parseOptions } from "../options.ts";
import { UsageError } from "../usage-error.ts";

/** The parsed command line. */
export interface AdviseArguments {
  readonly help: boolean;
  readonly json: boolean;
  /** Files of flow logs or, with `metrics`, of metrics and bills. */
  readonly paths: readonly string[];
  readonly metrics: boolean;
  readonly fields: readonly AwsField[] | undefined;
  readonly nats: readonly string[];
  readonly now: Candidate;
  readonly region: string | undefined;
  readonly ranges: string | undefined;
  readonly results: readonly string[];
  /** `snapshot`, `live`, or files of price lists. */
  readonly prices: readonly string[];
  /** Undefined: as measured, else by the traffic. */
  readonly natSize: string | undefined;
  /** Undefined: on demand. */
  readonly natTerm: string | undefined;
  readonly writeStack: string | undefined;
  /** Undefined: in Markdown only. */
  readonly mask: boolean | undefined;
  readonly out: string;
}

const options = {
  "flow-logs": { type: "string", multiple: true },
  metrics: { type: "string", multiple: true },
  format: { type: "string" },
  nat: { type: "string", multiple: true },
  now: { type: "string", default: "nat-gateway" },
  region: { type: "string" },
  ranges: { type: "string" },
  results: { type: "string", multiple: true },
  prices: { type: "string", multiple: true },
  "nat-size": { type: "string" },
  "nat-term": { type: "string" },
  "write-stack": { type: "string" },
  mask: { type: "boolean" },
  out: { type: "string", default: "out" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @throws {UsageError} */
export function parseAdviseArguments(args: readonly string[]): AdviseArguments {
  const { values, positionals } = parse(args);
  // `--flow-logs a b c` is how a shell writes `--flow-logs *.gz`.
  const { "flow-logs": logs = [], metrics = [] } = values;
  const paths = [...logs, ...metrics, ...positionals];
  if (!values.help && logs.length > 0 === metrics.length > 0) {
    const got = logs.length > 0 ? "both" : positionals.length === 0 ? "none" : positionals.join(" ");
    throw new UsageError(`expected --flow-logs or --metrics with files or directories; got ${got}`);
  }
  if (args.includes("--mask") && args.includes("--no-mask")) {
    throw new UsageError("--mask and --no-mask exclude each other; leave one out");
  }
  return {
    help: values.help,
    json: values.json,
    paths,
    metrics: metrics.length > 0,
    fields: values.format === undefined ? undefined : fields(values.format),
    nats: values.nat ?? [],
    now: candidate(values.now),
    region:
      values.region === undefined ? undefined : name("--region", values.region, /^[a-z][a-z0-9-]{1,39}$/),
    ranges: values.ranges,
    results: values.results ?? [],
    prices: values.prices ?? [],
    natSize: values["nat-size"],
    natTerm: values["nat-term"],
    writeStack:
      values["write-stack"] === undefined
        ? undefined
        : name("--write-stack", values["write-stack"], /^[a-z0-9][a-z0-9-]{0,30}$/),
    mask: values.mask,
    out: values.out,
  };
}

function parse(args: readonly string[]) {
  return parseOptions(args, options, { allowPositionals: true, allowNegative: true });
}

function fields(text: string): readonly AwsField[] {
  try {
    return parseFormat(text);
  } catch (error) {
    throw error instanceof FormatError ? new UsageError(`--format: ${error.message}`) : error;
  }
}

function candidate(text: string): Candidate {
  const all: readonly Candidate[] = [...new Set(Object.values(candidates).flat())];
  const found = all.find((one) => one === text);
  if (found === undefined) {
    throw new UsageError(`--now: expected ${all.join(", ")}; got "${text}"`);
  }
  return found;
}

function name(option: string, text: string, pattern: RegExp): string {
  if (!pattern.test(text)) {
    throw new UsageError(`${option}: expected lower-case letters, digits and hyphens; got "${text}"`);
  }
  return text;
}
