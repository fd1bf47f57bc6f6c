/** SQL from the aggregates of `advise/reduction/` to the tables behind the figures; times in milliseconds. */
import { aggregateColumns } from "../reduction/aggregates.ts";
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

/** Each stated number of rows of a reduction, with the first file that states it. */
export const totals = "select total, min(file) as file from aggregate group by total order by file";

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

/** Tables `address`, `leg` (one row per destination), `minute`, `covered` and `length`, like those made from records. */
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

/** Services that the log names, once `place` exists. */
export const servicesOfAggregates = `update place set service = found.service from (
  select address.id, min(b) as service from aggregate join address using (a) where part = 'destination' and b is not null
  group by address.id) as found where place.id = found.id`;
