/** SQL from `leg` to volumes and rates. */
import { classCode } from "./legs.ts";

/** Bytes and packets that a NAT carried, for flows opened by the private side and for others. */
export const totals = `select outbound, count(*)::double as records, sum(out_bytes)::double as out_bytes, sum(in_bytes)::double as in_bytes,
  sum(out_packets)::double as out_packets, sum(in_packets)::double as in_packets
  from leg group by outbound`;

/** Number of records by length: there are few lengths, while the engine's own quantile holds every record. */
export const lengthTable = `create table length as select e - s as ms, count(*) as n from record
    where class <> ${classCode("invalid")} group by ms`;

/** Lengths of records: the longest, and the 99th percentile. */
export const lengths = `with counted as (select *, sum(n) over (order by ms) as upto, sum(n) over () as total from length)
  select max(ms)::double as longest_ms, min(ms) filter (upto >= 0.99 * total)::double as usual_ms from counted`;

/** Covered time by minute of its start: records, and intervals without any. */
export const coveredTable = `create table covered as
  select min(s) as s, max(e) as e, bool_or(empty) as empty from (
    select s, e, false as empty from record where class <> ${classCode("invalid")}
    union all select s, e, true from raw where reason <> 0 and s is not null)
  group by s // 60000`;

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

/**
 * Bytes by minute. A record's bytes are spread evenly from its first to its last packet, as nothing finer is known;
 * `least` counts records entirely within the minute, `most` all records that touch it.
 */
export const minuteTable = `create table minute as
  with touched as (select unnest(range(s // ${WINDOW_MS}, e // ${WINDOW_MS} + 1)) as w, s, e, out_bytes, in_bytes from leg where outbound),
  shared as (select w, out_bytes, in_bytes, s // ${WINDOW_MS} = e // ${WINDOW_MS} as whole,
    case when e = s then 1.0 else (least(e, (w + 1) * ${WINDOW_MS}) - greatest(s, w * ${WINDOW_MS}))::double / (e - s) end as share from touched)
  select w * ${WINDOW_MS} as t, sum(out_bytes * share) as out_bytes, sum(in_bytes * share) as in_bytes,
    coalesce(sum(out_bytes) filter (whole), 0)::double as out_least, coalesce(sum(in_bytes) filter (whole), 0)::double as in_least,
    sum(out_bytes)::double as out_most, sum(in_bytes)::double as in_most
  from shared group by w`;

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
