/** The command line of `npm run advise`. */

import { pricedClouds } from "../../../bench/topologies/clouds.ts";
import { type Candidate, candidates } from "../../../bench/topologies/limits.ts";
import type { commands } from "../../../cli/commands.ts";
import { oneOf } from "../../../cli/options.ts";
import type { Values } from "../../../cli/program.ts";
import type { LiveOptions } from "../../../cli/report/prices/load.ts";
import type { ProgressStream } from "../../../cli/terminal/progress-board.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { type AwsField, FormatError, parseFormat } from "../src/fields.ts";
import { partitionKinds } from "../src/reduction/partitions.ts";
import type { TypedFigures } from "../src/usage/typed.ts";

/** @throws {UsageError} */
export function adviseArguments(values: AdviseValues) {
  const { files: paths } = values;
  const sql = values.sql === undefined ? undefined : sqlOf(values.sql, values);
  if (sql !== undefined && paths.length > (sql.engine === "spark" ? 1 : 0)) {
    throw new UsageError(
      "--sql prints a reduction and reads no files: give a table and days, for Spark also the directory that it writes to",
    );
  }
  const typed = typedOf(values);
  if (typed !== undefined && (paths.length > 0 || sql !== undefined)) {
    throw new UsageError(
      "--gb-in, --gb-out and --gb are a month's figures without files: leave the files out, or the figures",
    );
  }
  if (sql === undefined && typed === undefined && paths.length === 0) {
    throw new UsageError(
      "expected files or directories, or a month's figures, such as --cloud aws --gb 10000; got none",
    );
  }
  return {
    json: values.json,
    /** Files of one kind, which their content tells. */
    paths,
    /** Undefined: files are read, and no query is printed. */
    sql,
    /** Undefined: files are read. */
    typed,
    /** The cloud that files must be of. Undefined: as they say. */
    cloud: values.cloud === undefined ? undefined : oneOf("--cloud", values.cloud, pricedClouds),
    /** Seconds that each point of a metric covers. Undefined: as the files say. */
    periodSeconds:
      values.period === undefined ? undefined : amount("--period", values.period, 1, 31 * 86_400),
    fields: values.format === undefined ? undefined : fields(values.format),
    nats: values.nat ?? [],
    now: oneOf<Candidate>("--now", values.now, [...new Set(Object.values(candidates).flat())]),
    region:
      values.region === undefined ? undefined : name("--region", values.region, /^[a-z][a-z0-9-]{1,39}$/),
    ranges: values.ranges,
    results: values.results ?? [],
    /** `snapshot`, `live`, or files of price lists. */
    prices: values.prices ?? [],
    /** Undefined: the measured size, else one that fits the traffic. */
    natSize: values["nat-size"],
    /** Undefined: on demand. */
    natTerm: values["nat-term"],
    writeStack:
      values["write-stack"] === undefined
        ? undefined
        : name("--write-stack", values["write-stack"], /^[a-z0-9][a-z0-9-]{0,30}$/),
    /** Undefined: only in Markdown. */
    mask: values.mask,
    out: values.out,
  };
}

export type SqlArguments = Readonly<ReturnType<typeof sqlOf>>;

export type AdviseArguments = Readonly<ReturnType<typeof adviseArguments>>;

type AdviseValues = Values<typeof commands.advise>;

function sqlOf(engine: string, { table, from, to, partition, listing, files }: AdviseValues) {
  const kinds = {
    engine: oneOf("--sql", engine, ["athena", "spark"]),
    partition: oneOf("--partition", partition, partitionKinds),
  };
  if (!/^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*){0,2}$/.test(table)) {
    throw new UsageError(`--table: expected a name such as logs.vpc_flow_logs; got "${table}"`);
  }
  const [first, last] = [day("--from", from), day("--to", to)];
  if (last < first) {
    throw new UsageError(`--to: expected a day not before --from, ${first}; got ${last}`);
  }
  const [directory = "aggregates"] = files;
  if (!/^[\w./:@+-]+$/.test(directory)) {
    throw new UsageError(`expected a directory such as s3://bucket/aggregates; got "${directory}"`);
  }
  return {
    table,
    /** First and last day, `2026-11-01`. */
    ...{ from: first, to: last },
    /** Output of `aws s3 ls --recursive`. Undefined: the bytes to scan are not estimated. */
    listing,
    /** Directory that Spark writes to. */
    directory,
    ...kinds,
  };
}

/** Undefined: no figure is typed. @throws {UsageError} */
function typedOf(values: AdviseValues): TypedFigures | undefined {
  const { "gb-in": gbIn, "gb-out": gbOut, gb } = values;
  if (gbIn === undefined && gbOut === undefined && gb === undefined) {
    return undefined;
  }
  if (gb !== undefined && (gbIn !== undefined || gbOut !== undefined)) {
    throw new UsageError("--gb is both directions together: leave it out, or --gb-in and --gb-out");
  }
  if (values.cloud === undefined) {
    throw new UsageError("--cloud: expected aws or azure beside a month's figures; got none");
  }
  const figure = (option: string, text: string | undefined) =>
    text === undefined ? undefined : amount(option, text, 0, 1e9);
  return {
    cloud: oneOf("--cloud", values.cloud, pricedClouds),
    gbIn: figure("--gb-in", gbIn),
    gbOut: figure("--gb-out", gbOut),
    gb: figure("--gb", gb),
    gateways: amount("--gateways", values.gateways, 1, 1000, "whole number"),
  };
}

function amount(
  option: string,
  text: string,
  least: number,
  most: number,
  what: "number" | "whole number" = "number",
): number {
  const value = (what === "number" ? /^\d+(\.\d+)?$/ : /^\d+$/).test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    const example = what === "number" ? ", such as 45000" : "";
    throw new UsageError(`${option}: expected a ${what} from ${least} to ${most}${example}; got "${text}"`);
  }
  return value;
}

/** A day as written. @throws {UsageError} */
function day(option: string, text: string | undefined): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text ?? "") ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new UsageError(
      `${option}: expected a day such as 2026-11-01; got ${text === undefined ? "none" : `"${text}"`}`,
    );
  }
  return text;
}

function fields(text: string): readonly AwsField[] {
  try {
    return parseFormat(text);
  } catch (error) {
    throw error instanceof FormatError ? new UsageError(`--format: ${error.message}`) : error;
  }
}

function name(option: string, text: string, pattern: RegExp): string {
  if (!pattern.test(text)) {
    throw new UsageError(`${option}: expected lower-case letters, digits and hyphens; got "${text}"`);
  }
  return text;
}

export interface AdviseIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressStream;
  /** Base directory of relative paths. */
  readonly directory: string;
  readonly stackFiles: string;
  readonly signal: AbortSignal;
  readonly now: Date;
  /** @default the clouds' own price services */
  readonly live?: LiveOptions;
}
