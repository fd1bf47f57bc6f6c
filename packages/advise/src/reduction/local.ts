/**
 * SQL from `raw` to `egress_bench_record` in DuckDB, which stores addresses and interfaces as numbers with names (`enum`), so
 * that it compares numbers.
 */
import { isSwapped, pairClass } from "./pairs.ts";

/** All addresses, in order; a code of `egress_bench_address` is a row of this table. */
export const addressTable = `create table address as select (row_number() over (order by a) - 1)::integer as id, a from
  (select src as a from raw where reason = 0 union select dst from raw where reason = 0)`;

/** Kind of each address, filled by the program. */
export const kindTable = "create table kind (id integer, kind utinyint)";

export const nameTypes = [
  "create type egress_bench_address as enum (select a from address order by a)",
  "create type egress_bench_interface as enum (select distinct iface from raw where iface is not null order by iface)",
] as const;

const flow = "iface, a, b, sport, dport, proto";
const alike = `${flow}, packets, bytes, back_packets, back_bytes, s, e, accept`;
const columns = `reason, ${alike}, opener, inside, dir, path, az, subnet, vpc, account, region, src_service, dst_service, twin`;

/** The columns of a record; times in milliseconds. Lines without traffic keep their time. */
const typed = `select reason, iface::egress_bench_interface as iface, src::egress_bench_address as a, dst::egress_bench_address as b,
  sport, dport, proto, packets::bigint as packets, bytes::bigint as bytes, back_packets::bigint as back_packets,
  back_bytes::bigint as back_bytes, s, e, accept::utinyint as accept, opener, inside::utinyint as inside, dir, path, az, subnet, vpc,
  account, region, src_service, dst_service, twin, untimed from raw where reason = 0 or s is not null`;

/** Lower bound of the number of duplicates. Grouped, since the engine holds all of `count(distinct)`. */
export const alikeRows = `select coalesce(sum(n - 1), 0)::double as n from
  (select count(*) as n from (${typed}) where reason = 0 group by hash(${alike})) where n > 1`;

/** The longest time between two tuples of a flow that carries traffic. */
const AZURE_LONGEST_MS = 300_000;

/**
 * Start of an Azure tuple's figures: the flow's previous tuple. Without one the flow was open before the log begins, and its
 * first tuple may cover the longest interval.
 */
const timed = (from: string) => `select * exclude (s), case when untimed then greatest(coalesce(
    lag(e) over (partition by ${flow} order by e, untimed, bytes), 0), e - ${AZURE_LONGEST_MS}) else s end as s from ${from}`;

/**
 * Makes `egress_bench_record`, like the statement that reads an engine's table.
 *
 * @param distinct Whether equal rows become one
 * @param untimed Whether the log may lack the start of its records
 */
export function localRecordTable(distinct: boolean, untimed: boolean): string {
  const once = distinct
    ? // Of equal records perhaps only some files' names have the region.
      `select ${columns.replace(" region,", " min(region) as region,")}, untimed, count(*) as n from typed group by all`
    : "select *, 1 as n from typed";
  return `create table egress_bench_record as with typed as (${typed}), once as (${once}), timed as (${untimed ? timed("once") : "from once"}),
  sided as (select t.*, pa.kind as ka, pb.kind as kb, ${isSwapped("pa.kind", "pb.kind")} as swap
    from timed t left join kind pa on enum_code(t.a) = pa.id left join kind pb on enum_code(t.b) = pb.id)
  select ${columns.replace(" s, e,", " s // 1000 as s, e // 1000 as e,")}, n, case when swap then 1 else 0 end as swapped, ${pairClass} as pair from sided`;
}

/** Facts of the records that spare passes over them. */
export const shown = `select coalesce(max(path), 0)::double as path, coalesce(max(opener), 0)::double as opener,
  coalesce(sum(n - 1), 0)::double as repeated from egress_bench_record where reason = 0`;
