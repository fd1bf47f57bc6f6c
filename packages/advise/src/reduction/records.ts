/** SQL from a table of AWS flow logs to distinct records with their addresses' class: the only statement that reads the log. */

import { idleTimeoutSeconds } from "../../../../bench/topologies/limits.ts";
import { addressKinds } from "../addresses.ts";
import type { AwsField } from "../fields.ts";
import type { RangeEntry } from "../ranges.ts";
import { aggregates } from "./aggregates.ts";
import { covers, reasonOfLine, sameFields } from "./aws.ts";
import { type Dialect, dialects, type Engine } from "./dialects.ts";
import { markTable, natTable, outsideTable, placeTable } from "./flows.ts";
import { freeTable } from "./free.ts";
import { isSwapped, pairClass } from "./pairs.ts";

interface LogTable {
  /** Name of the table in the engine's syntax. */
  readonly table: string;
  /** Fields that the table has, each a column with `_` for `-`. */
  readonly fields: readonly AwsField[];
  /** SQL that selects the partitions to read. */
  readonly where: string;
}

const kind = (name: (typeof addressKinds)[number]) => addressKinds.indexOf(name);
const OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const PRIVATE =
  "^(10[.]|192[.]168[.]|172[.](1[6-9]|2[0-9]|3[01])[.]|100[.](6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])[.])";
const LOCAL = "^(0[.]|127[.]|169[.]254[.]|22[4-9][.]|23[0-9][.]|255[.]255[.]255[.]255$)";

/** Kind of an address, as in `packages/advise/src/addresses.ts`. IPv6 addresses are in AWS's notation: short, lower case. */
function kindOf({ matches }: Dialect, address: string): string {
  const like = (pattern: string) => matches(address, pattern);
  return `case when ${like(`^${OCTET}([.]${OCTET}){3}$`)} then
      case when ${like(PRIVATE)} then ${kind("private")} when ${like(LOCAL)} then ${kind("local")} else ${kind("public")} end
    when ${like("^[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7}$")} then
      case when ${like("^f[cd][0-9a-f]{2}:")} then ${kind("private")}
        when ${like("^(fe[89ab][0-9a-f]:|ff[0-9a-f]{2}:|::1?$)")} then ${kind("local")}
        when ${like("^64:ff9b:(0:){0,4}(:|[0-9a-f]{1,4}:[0-9a-f]{1,4}$)")} then ${kind("nat64")}
        else ${kind("public6")} end
    else ${kind("invalid")} end`;
}

/** Columns that identify a record. */
const identity =
  "iface, a, b, sport, dport, proto, packets, bytes, s, e, accept, opener, inside, dir, path, az, subnet, vpc, account, region, src_service, dst_service, twin";

/** Makes `egress_bench_record`: one row per record, `n` counts its occurrences. Times are seconds since 1970. */
function recordTable(dialect: Dialect, log: LogTable): string {
  const kept = identity
    .split(", ")
    .map((name) =>
      name === "s" || name === "e"
        ? `case when reason = 0 or ${covers} then ${dialect.divided(name, 1000)} end as ${name}`
        : `case when reason = 0 then ${name} end as ${name}`,
    );
  return dialect.makeTable(
    "egress_bench_record",
    `with line as (${lines(dialect, log)}),
judged as (select line.*, ${reasonOfLine} as reason from line),
kept as (select reason, ${kept.join(", ")} from judged),
once as (select reason, ${identity}, count(*) as n from kept group by reason, ${identity}),
known as (select once.*, ${kindOf(dialect, "a")} as ka, ${kindOf(dialect, "b")} as kb from once),
sided as (select known.*, ${isSwapped("ka", "kb")} as swap from known)
select reason, ${identity}, cast(0 as bigint) as back_packets, cast(0 as bigint) as back_bytes, n, case when swap then 1 else 0 end as swapped, ${pairClass} as pair from sided`,
  );
}

/** The fields of each line, typed; missing fields are null. */
function lines(dialect: Dialect, { table, fields, where }: LogTable): string {
  const column = (name: AwsField) => dialect.name(name.replaceAll("-", "_"));
  const text = (name: AwsField) =>
    fields.includes(name)
      ? `nullif(cast(${column(name)} as ${dialect.text}), '-')`
      : `cast(null as ${dialect.text})`;
  const number = (name: AwsField) =>
    fields.includes(name) ? `try_cast(${column(name)} as bigint)` : "cast(null as bigint)";
  const most: Partial<Record<AwsField, number>> = { srcport: 65_535, dstport: 65_535, protocol: 255 };
  const misread = (...names: AwsField[]) =>
    names
      .map((name) => {
        const above = most[name] === undefined ? "" : ` or ${number(name)} > ${most[name]}`;
        return `${text(name)} is not null and coalesce(${number(name)} < 0${above}, true)`;
      })
      .join(" or ");
  const flag = (bit: number) => `${dialect.divided(number("tcp-flags"), bit)} % 2`;
  return `select ${fields.includes("log-status") ? text("log-status") : "'OK'"} as status,
  ${sameFields(text, number)},
  ${text("srcaddr")} as a, ${text("dstaddr")} as b, ${text("srcaddr")} as src, ${text("dstaddr")} as dst,
  ${number("srcport")} as sport, ${number("dstport")} as dport, ${number("protocol")} as proto,
  ${number("packets")} as packets, case when ${number("bytes")} >= 0 then ${number("bytes")} end as bytes,
  ${misread("packets")} as bad_packets, ${misread("srcport", "dstport", "protocol")} as bad_port,
  case when ${text("action")} = 'REJECT' then 0 else 1 end as accept,
  case when ${flag(2)} = 1 then case when ${flag(16)} = 1 then 2 else 1 end else 0 end as opener,
  case when ${text("pkt-dstaddr")} <> ${text("dstaddr")} or ${text("pkt-srcaddr")} <> ${text("srcaddr")} then 1 else 0 end as inside
  from ${table} where ${where}`;
}

export const reductionTables = [
  "egress_bench_record",
  "egress_bench_place",
  "egress_bench_nat",
  "egress_bench_outside",
  "egress_bench_free",
  "egress_bench_mark",
] as const;

interface Reduction extends LogTable {
  readonly engine: Engine;
  /** Interfaces that a person named as NATs, or `none`. Empty: they are detected. */
  readonly nats: readonly string[];
  readonly ranges: readonly RangeEntry[];
  /** Directory for the aggregates; Athena stores them with its query results. */
  readonly directory: string;
}

/** The statements in order: six tables, of which only the first reads the log, and the aggregates. */
export function statementsOf({ engine, nats, ranges, directory, ...log }: Reduction): string[] {
  const dialect: Dialect = dialects[engine];
  return [
    recordTable(dialect, log),
    placeTable(dialect),
    natTable(dialect, nats),
    outsideTable(dialect, nats, {
      paths: log.fields.includes("traffic-path"),
      openers: log.fields.includes("tcp-flags"),
    }),
    freeTable(dialect, "aws", ranges),
    markTable(dialect, idleTimeoutSeconds.aws),
    dialect.writeCsv(aggregates(dialect, nats), directory),
  ];
}
