/** SQL that reads AWS VPC flow logs, as text, as columns and inside messages, into `raw`. */
import type { AwsField, TextFormat } from "../fields.ts";
import { bounds, code, columnsNamed, insertRaw, type LineReason, quoted, wholeNumber } from "./raw.ts";

/** The longest readable line, in bytes. Real ones have a few hundred. */
const MAX_LINE_BYTES = 65_536;
/** Bytes that each thread reads at a time. The engine's default is 32 MB. */
export const BUFFER_BYTES = 4_194_304;
/** Most unreadable lines that are counted per file. */
export const MAX_UNREADABLE = 1000;

/** Upper bound of a record's time in seconds since 1970: the year 2286. */
const MOST_SECONDS = 1e10;

/** Lines of a log. */
export interface Source {
  /** SQL of a field's text; null if the format lacks it. */
  readonly field: (name: AwsField) => string | null;
  /** SQL that reads a text as a whole number; null for anything else. */
  readonly whole: (text: string, type: string) => string;
  /** SQL of a reason in the line's shape; SQL null for a valid shape. */
  readonly shape: string;
  readonly from: string;
  /** SQL of the line as it was. Null: there are only columns. */
  readonly line: string | null;
  /** Whether the engine keeps a table of lines that it could not take. */
  readonly rejects: boolean;
}

/** Lines with a column for each field, in Parquet or CSV. @param columns The file's own names, by field */
export function columnsSource(from: string, columns: ReadonlyMap<AwsField, string>): Source {
  const fields = [...columns.keys()];
  const own = [...columns.values()].map(
    (name, at) => `cast("${name.replaceAll('"', '""')}" as varchar) as c${at}`,
  );
  return {
    field: (name) => (columns.has(name) ? `c${fields.indexOf(name)}` : null),
    // A column of floating-point numbers may hold whole ones.
    whole: (text, type) =>
      `case when try_cast(${text} as double) = try_cast(${text} as ${type}) then try_cast(${text} as ${type}) end`,
    shape: "null",
    ...{ from: `(select ${own.join(", ")} from ${from})`, line: null, rejects: false },
  };
}

/** Lines in a column `message`. */
export function messageSource(from: string, { fields }: TextFormat): Source {
  return {
    field: (name) => (fields.includes(name) ? `f[${fields.indexOf(name) + 1}]` : null),
    whole: wholeNumber,
    shape: `case when len(f) <> ${fields.length} then ${code("wrong number of fields")} end`,
    ...{
      from: `(select string_split(trim(message), ' ') as f from ${from})`,
      line: "array_to_string(f, ' ')",
    },
    rejects: false,
  };
}

/** The first lines with a reason. Null: the log has no lines. */
export function exampleLines(source: Source, reason: LineReason, limit: number): string | null {
  return source.line === null
    ? null
    : `${judged(source)} select left(${source.line}, 200) as line from judged where reason = ${code(reason)} limit ${limit}`;
}

/** One column per field, and one more that only lines with too many fields fill. Spaces separate; nothing is quoted. */
export function textSource(path: string, { fields, header, timestamped }: TextFormat, gzip: boolean): Source {
  const before = timestamped ? 1 : 0;
  const width = fields.length + before;
  const columns = Array.from({ length: width + 1 }, (_, index) => `'c${index}': 'VARCHAR'`);
  return {
    field: (name) => {
      const index = fields.indexOf(name);
      return index < 0 ? null : `c${index + before}`;
    },
    whole: wholeNumber,
    shape: `case when c${width - 1} is not null and c${width} is null then
        case when lower(replace(c${before}, '_', '-')) = ${quoted(fields[0] ?? "")} then ${code("header in the middle of the file")} end
      when c0 is null and c${width - 1} is null then ${code("empty line")}
      else ${code("wrong number of fields")} end`,
    rejects: true,
    line: "concat_ws(' ', *columns('c[0-9]+'))",
    from: reader(path, gzip, header, `delim=' ', null_padding=true, columns={${columns.join(", ")}}`),
  };
}

function reader(path: string, gzip: boolean, header: boolean, options: string): string {
  return `read_csv(${quoted(path)}, auto_detect=false, ${options}, quote='', escape='', strict_mode=false, header=false,
    skip=${header ? 1 : 0}, max_line_size=${MAX_LINE_BYTES}, buffer_size=${BUFFER_BYTES}, compression=${gzip ? "'gzip'" : "'none'"}, ignore_errors=true,
    store_rejects=true, rejects_limit=${MAX_UNREADABLE})`;
}

/** Fills `raw`. @param region Where the lines do not name it; null: not known */
export function insertAws(source: Source, region: string | null): string {
  const columns = {
    ...columnsNamed("iface src dst sport dport proto packets bytes s e inside dir src_service dst_service"),
    ...columnsNamed("path az subnet vpc account twin"),
    ...{ back_packets: "0", back_bytes: "0", accept: "action is distinct from 'REJECT'" },
    // SYN alone comes from the opening side, SYN with ACK from the other one.
    opener: "case when flags & 18 = 2 then 1 when flags & 18 = 18 then 2 else 0 end",
    region: region === null ? "region" : `coalesce(region, ${quoted(region)})`,
  };
  return insertRaw(judged(source), columns, covers);
}

/** Whether a line without traffic shows covered time. */
export const covers = `reason in (${code("NODATA: no traffic in the interval")}, ${code("SKIPDATA: the cloud skipped records")})
  and s >= ${bounds.earliestMs} and e < ${bounds.latestMs} and e between s and s + ${bounds.longestMs}`;

/** The typed fields of each record, and the reason why it counts no traffic. */
function judged({ field, shape, from, whole }: Source): string {
  const text = (name: AwsField) => {
    const found = field(name);
    return found === null ? "null" : `nullif(${found}, '-')`;
  };
  const number = (name: AwsField, type: string) => whole(text(name), type);
  return `with parsed as (select *, ${shape} as broken, ${field("log-status") ?? "'OK'"} as status,
    ${sameFields(text, number)}, ${text("srcaddr")} as src, ${text("dstaddr")} as dst,
    ${number("srcport", "usmallint")} as sport, ${number("dstport", "usmallint")} as dport, ${number("protocol", "utinyint")} as proto,
    ${misread(["srcport", "dstport"], "usmallint")} or ${misread(["protocol"], "utinyint")} as bad_port,
    ${number("packets", "ubigint")} as packets, ${misread(["packets"], "ubigint")} as bad_packets, ${number("bytes", "ubigint")} as bytes,
    ${text("action")} as action, ${number("tcp-flags", "utinyint")} as flags,
    coalesce(${text("pkt-dstaddr")} <> ${text("dstaddr")} or ${text("pkt-srcaddr")} <> ${text("srcaddr")}, false) as inside
    from ${from}),
  judged as (select *, coalesce(broken, ${reasonOfLine}) as reason from parsed)`;

  /** Whether a field holds a value of another type. */
  function misread(names: readonly AwsField[], type: string): string {
    return names.map((name) => `(${text(name)} is not null and ${number(name, type)} is null)`).join(" or ");
  }
}

/** SQL of the fields that a file's lines and an engine's table give alike. @param text SQL of a field's text. @param number The same as a number */
export function sameFields(
  text: (name: AwsField) => string,
  number: (name: AwsField, type: string) => string,
): string {
  // Numbers far outside the range of times stay unscaled, since they could overflow.
  const milliseconds = (name: AwsField) => {
    const seconds = number(name, "bigint");
    return `1000 * case when ${seconds} > ${MOST_SECONDS} then ${MOST_SECONDS} when ${seconds} < -1 then -1 else ${seconds} end`;
  };
  // A transit gateway's attachment sees the other side: what it takes in comes from a network. What it gives out, the flow's other
  // attachment took in: https://docs.aws.amazon.com/vpc/latest/tgw/tgw-flow-logs.html (tgw-pair-attachment-id)
  const direction = `case ${text("flow-direction")} when 'ingress' then 'I' when 'egress' then 'O' end`;
  return `coalesce(${text("interface-id")}, ${text("tgw-attachment-id")}, ${text("resource-id")}, '-') as iface,
    ${milliseconds("start")} as s, ${milliseconds("end")} as e,
    case when ${text("interface-id")} is not null then ${direction} end as dir,
    case when ${text("interface-id")} is null and ${direction} = 'O' then ${text("tgw-pair-attachment-id")} end as twin, ${number("traffic-path", "utinyint")} as path,
    ${text("az-id")} as az, ${text("subnet-id")} as subnet, ${text("vpc-id")} as vpc, ${text("account-id")} as account,
    ${text("region")} as region, ${text("pkt-src-aws-service")} as src_service, ${text("pkt-dst-aws-service")} as dst_service`;
}

/** Why a line counts no traffic, by its typed fields. */
export const reasonOfLine = `case when status = 'NODATA' then ${code("NODATA: no traffic in the interval")}
    when status = 'SKIPDATA' then ${code("SKIPDATA: the cloud skipped records")}
    when status is distinct from 'OK' then ${code("log-status is none of OK, NODATA, SKIPDATA")}
    when src is null or dst is null then ${code("no address")}
    when bytes is null or s is null or e is null or bad_packets then ${code("bytes, packets or times are not whole numbers")}
    when bad_port then ${code("port or protocol out of range")}
    when s < ${bounds.earliestMs} or e >= ${bounds.latestMs} then ${code("time outside 2000 to 2100")}
    when e < s then ${code("ends before it starts")}
    when e - s > ${bounds.longestMs} then ${code("longer than an hour")}
    when bytes > ${bounds.mostBytes} then ${code("more bytes than a record can hold")}
    else 0 end`;
