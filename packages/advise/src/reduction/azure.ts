/**
 * SQL that reads the tuples of Azure's VNet flow logs into `raw`.
 *
 * Tuples: https://learn.microsoft.com/azure/network-watcher/vnet-flow-logs-overview#log-format
 */
import { bounds, code, type LineReason, wholeNumber } from "./raw.ts";

/** Table of unparsed tuples, as they come from the JSON. */
export const tupleTable = "create table tuple (mac varchar, tuple varchar)";

const count = (index: number) => wholeNumber(`coalesce(nullif(f[${index}], ''), '0')`, "ubigint");

/** The fields of a tuple, and the reason why it counts no traffic. */
const judged = `with parsed as (select mac, tuple, string_split(tuple, ',') as f from tuple),
  typed as (select *, ${wholeNumber("f[1]", "bigint")} as e, nullif(f[2], '') as src, nullif(f[3], '') as dst,
    ${wholeNumber("f[4]", "usmallint")} as sport, ${wholeNumber("f[5]", "usmallint")} as dport, ${wholeNumber("f[6]", "utinyint")} as proto,
    f[7] as dir, f[8] as state, ${count(10)} as packets, ${count(11)} as bytes, ${count(12)} as back_packets, ${count(13)} as back_bytes
    from parsed),
  judged as (select *, case
    when len(f) <> 13 then ${code("wrong number of fields")}
    when src is null or dst is null then ${code("no address")}
    when e is null or packets is null or bytes is null or back_packets is null or back_bytes is null then ${code("bytes, packets or times are not whole numbers")}
    when sport is null or dport is null or proto is null then ${code("port or protocol out of range")}
    when state not in ('B', 'C', 'E', 'D') then ${code("flow state is none of B, C, E, D")}
    when e < ${bounds.earliestMs} or e >= ${bounds.latestMs} then ${code("time outside 2000 to 2100")}
    when bytes > ${bounds.mostBytes} or back_bytes > ${bounds.mostBytes} then ${code("more bytes than a record can hold")}
    else 0 end as reason from typed)`;

/** A tuple's source is the side that opened the flow. Its figures count since the flow's last tuple. */
const columns = [
  ..."mac,src,dst,sport,dport,proto,packets,bytes,back_packets,back_bytes,e,e".split(","),
  ...["state <> 'D'", "1", "false", "dir", "null", "null", "null", "state not in ('B', 'D')", "null"],
].map((sql) => `case when reason = 0 then ${sql} end`);

/** Fills `raw` from `tuple`. */
export const insertAzureTuples = `insert into raw ${judged} select reason, ${columns.join(", ")}, null, null, null from judged`;

/** Tuples with a reason. */
export function exampleTuples(reason: LineReason, limit: number): string {
  return `${judged} select left(tuple, 200) as line from judged where reason = ${code(reason)} limit ${limit}`;
}
