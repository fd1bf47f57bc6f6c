/** The table `raw`, one row per line of any format, and the reasons why a line may count no traffic. */

/** Reasons why a line counts no traffic; the first means that it counts. The table stores the index. */
export const lineReasons = [
  "ok",
  "NODATA: no traffic in the interval",
  "SKIPDATA: the cloud skipped records",
  "header in the middle of the file",
  "empty line",
  "wrong number of fields",
  "log-status is none of OK, NODATA, SKIPDATA",
  "no address",
  "bytes, packets or times are not whole numbers",
  "port or protocol out of range",
  "ends before it starts",
  "longer than an hour",
  "more bytes than a record can hold",
  "flow state is none of B, C, E, D",
  "time outside 2000 to 2100",
] as const;
/** One of {@link lineReasons}: why a line is no record of traffic. */
export type LineReason = (typeof lineReasons)[number];

/** Documented statuses without traffic, which are no errors. */
export const harmlessReasons: ReadonlySet<string> = new Set(lineReasons.slice(0, 4));

export function code(reason: LineReason): number {
  return lineReasons.indexOf(reason);
}

export const bounds = {
  /** Aggregation intervals are at most 10 minutes. */
  longestMs: 3_600_000,
  earliestMs: Date.UTC(2000),
  latestMs: Date.UTC(2100),
  /** 100 TB: more than 1 Tbit/s through one interface for 10 minutes. */
  mostBytes: 1e14,
} as const;

/**
 * Columns: `s` and `e` are the milliseconds since 1970 of the first and last packet; `opener` is 1 where the source
 * opened the flow, 2 the destination, 0 not known; `inside`: the leg between a client and a NAT; `back_*`: traffic
 * from the destination to the source; `untimed`: `s` is not in the log;
 * `dir` is `I` where the interface receives packets, `O` where it sends them; `path` is AWS's `traffic-path`;
 * `az`, `subnet`, `vpc` and `account` are the interface's own; `twin`: where the same packets are logged too, if it is logged at all.
 */
export const rawTable = `create table raw (
  reason utinyint, iface varchar, src varchar, dst varchar, sport usmallint, dport usmallint, proto utinyint,
  packets ubigint, bytes ubigint, back_packets ubigint, back_bytes ubigint, s bigint, e bigint,
  accept boolean, opener utinyint, inside boolean, dir varchar, src_service varchar, dst_service varchar,
  region varchar, untimed boolean, path utinyint, az varchar, subnet varchar, vpc varchar, account varchar, twin varchar)`;

/** Columns of `raw` whose SQL is their own name. */
export const columnsNamed = (names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, name]));

/**
 * Fills `raw`; columns that are not given are null. A line that counts no traffic keeps at most its time.
 *
 * @param judged SQL of common tables, with `judged` among them
 * @param columns SQL by the column's name
 * @param covers SQL of whether a line without traffic has a time that counts as covered
 */
export function insertRaw(
  judged: string,
  columns: Readonly<Record<string, string>>,
  covers = "false",
): string {
  const kept = Object.entries(columns).map(([name, sql]) => {
    const isTime = name === "s" || name === "e";
    return `case when reason = 0${isTime ? ` or ${covers}` : ""} then ${sql} end as ${name}`;
  });
  return `insert into raw by name ${judged} select reason, ${kept.join(", ")} from judged`;
}

/**
 * Reads a text as a plain whole number; null for anything else. The engine itself also accepts `12.5`, `1e6` and `0x10`.
 *
 * @param text SQL of the text
 */
export function wholeNumber(text: string, type: string): string {
  const number = `try_cast(${text} as ${type})`;
  return `case when cast(${number} as varchar) = ${text} then ${number} end`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
