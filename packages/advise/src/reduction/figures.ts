/** SQL from the aggregates to figures; times in milliseconds. */
import { aggregateColumns } from "./aggregates.ts";
import { quoted } from "./raw.ts";

/** Reads a CSV file into `aggregate`, which the first file creates; `file` is the number of the file. */
export function readAggregates(path: string, file: number, isFirst: boolean): string {
  const { texts, numbers, places } = aggregateColumns;
  const types = [
    ...texts.map((name) => `'${name}': 'VARCHAR'`),
    ...[...numbers, ...places].map((name) => `'${name}': 'BIGINT'`),
  ];
  return `${isFirst ? "create table aggregate as" : "insert into aggregate"} select *, ${file} as file from
    read_csv(${quoted(path)}, auto_detect=false, header=true, delim=',', quote='"', escape='"', nullstr='', columns={${types.join(", ")}})`;
}

/** An empty `aggregate`, for the parts of this machine's own reduction. */
export const emptyAggregates = `create table aggregate (${[
  ...aggregateColumns.texts.map((name) => `${name} varchar`),
  ...aggregateColumns.numbers.map((name) => `${name} bigint`),
].join(", ")})`;

/** Adds a part to `aggregate`. */
export function fillAggregates(part: string): string {
  return `insert into aggregate ${part}`;
}

/** Each stated number of rows of a reduction, with the first file that states it. */
export const statedRows = "select total, min(file) as file from aggregate group by total order by file";

/** The first duplicate row. */
export const firstTwice = `select nth, min(file) as one, max(file) as other from aggregate
  group by nth having count(*) > 1 order by nth limit 1`;

/** Ranges of missing rows, each with the files that have the rows before and after it. */
export const missingRows = `select earlier + 1 as low, nth - 1 as high, before, after from (
  select nth, lag(nth, 1, 0) over (order by nth) as earlier, lag(file) over (order by nth) as before, file as after from aggregate
  union all select max(total) + 1, max(nth), arg_max(file, nth), null from aggregate
) where nth > earlier + 1 order by nth`;

/** The rows of a part. */
export function partOf(part: string): string {
  return `select * from aggregate where part = ${quoted(part)} order by all`;
}

/** Tables `address`, `leg` (one row per destination), `minute`, `covered` and `length`. */
export const aggregateTables = [
  `create table address as select (row_number() over (order by a))::integer as id, a
    from (select distinct a from aggregate where part = 'destination')`,
  `create table leg as select id as remote, i = 1 as outbound, v1 as out_bytes, v2 as in_bytes, v3 as out_packets, v4 as in_packets
    from aggregate join address using (a) where part = 'destination'`,
  `create table minute as select i * 60000 as t, v1 as out_bytes, v2 as in_bytes, v3 as out_least, v4 as in_least, v5 as out_most, v6 as in_most
    from aggregate where part = 'minute'`,
  "create table covered as select v1 * 1000 as s, v2 * 1000 as e, v3 = 1 as empty from aggregate where part = 'covered'",
  "create table length as select i * 1000 as ms, v1 as n from aggregate where part = 'length'",
] as const;

/** Service and block of each address, filled by the program. */
export const placeTable = "create table place (id integer, service varchar, region varchar, prefix varchar)";

/** Services that the log names, which is more reliable than published ranges, once `place` exists. */
export const servicesOfLog = `update place set service = found.service from (
  select address.id, min(b) as service from aggregate join address using (a) where part = 'destination' and b is not null
  group by address.id) as found where place.id = found.id`;

/** Bytes and packets that a NAT carried, for flows opened by the private side and for others. */
export const totals = `select outbound, count(*)::double as records, sum(out_bytes)::double as out_bytes, sum(in_bytes)::double as in_bytes,
  sum(out_packets)::double as out_packets, sum(in_packets)::double as in_packets
  from leg group by outbound`;

/** Lengths of records: the longest, and the 99th percentile. */
export const lengths = `with counted as (select *, sum(n) over (order by ms) as upto, sum(n) over () as total from length)
  select max(ms)::double as longest_ms, min(ms) filter (upto >= 0.99 * total)::double as usual_ms from counted`;

/** Interfaces log NODATA each interval, so an hour without any is a gap in the log. */
const GAP_BESIDE_NODATA_MS = 3_600_000;
/** Longer than a quiet night, shorter than a day: without NODATA a gap may be either quiet or missing. */
const GAP_MS = 72_000_000;

/** The first and the last time. */
export const period = `select min(s)::double as first, max(e)::double as last from covered`;

/** Periods without a record, in order. */
export const gaps = `with followed as (select s, max(e) over (order by s rows between unbounded preceding and 1 preceding) as before from covered)
  select before::double as first, s::double as last from followed
  where s - before > (select case when bool_or(empty) then ${GAP_BESIDE_NODATA_MS} else ${GAP_MS} end from covered) order by s`;

const volumes = `volume as (select remote, sum(out_bytes)::double as out_bytes, sum(in_bytes)::double as in_bytes
  from leg where outbound group by remote)`;

/** Volume by destination, the largest first. */
export function destinations(limit: number): string {
  return `with ${volumes} select address.a as address, place.service, place.region, out_bytes, in_bytes
  from volume join address on remote = address.id join place on remote = place.id
  order by out_bytes + in_bytes desc, address.a limit ${limit}`;
}

/** Volume by service of a cloud; traffic without a service has its own row. */
export const services = `with ${volumes} select service, region, sum(out_bytes)::double as out_bytes,
  sum(in_bytes)::double as in_bytes, count(*)::double as addresses
  from volume join place on remote = place.id group by service, region
  order by sum(volume.out_bytes + volume.in_bytes) desc, service, region`;

/** Volume by block of addresses. */
export function prefixes(limit: number): string {
  return `with ${volumes} select prefix, sum(out_bytes)::double as out_bytes, sum(in_bytes)::double as in_bytes, count(*)::double as addresses
  from volume join place on remote = place.id group by prefix
  order by sum(volume.out_bytes + volume.in_bytes) desc, prefix limit ${limit}`;
}

/** Window of rates. Flow logs aggregate over at least a minute. */
export const WINDOW_MS = 60_000;

const both = (suffix: string) => `max(out_${suffix} + in_${suffix})`;

/**
 * The busiest minute by each direction, and by both together. `at` is the first of equal minutes, independent of the order in
 * which records were read; sums differ in their last digits.
 */
export const peaks = `select max(out_bytes) as out_bytes, max(in_bytes) as in_bytes, ${both("bytes")} as bytes,
  max(out_least) as out_least, max(in_least) as in_least, ${both("least")} as least,
  max(out_most) as out_most, max(in_most) as in_most, ${both("most")} as most,
  (select t from minute order by round(out_bytes + in_bytes, 3) desc, t limit 1)::double as at from minute`;

/** Bytes by hour, in order. */
export const hours = `select (t // 3600000 * 3600000)::double as t, sum(out_bytes)::double as out_bytes, sum(in_bytes)::double as in_bytes
  from minute group by t // 3600000 order by t // 3600000`;
