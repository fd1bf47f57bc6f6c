/**
 * SQL that reads the tuples of Azure's VNet flow logs, and the flow logs of NAT gateways, into `raw`.
 *
 * Tuples: https://learn.microsoft.com/azure/network-watcher/vnet-flow-logs-overview#log-format
 * NAT gateways: https://learn.microsoft.com/azure/nat-gateway/nat-gateway-flow-logs
 */
import { bounds, code, columnsNamed, insertRaw, type LineReason, wholeNumber } from "./raw.ts";

/** Table of unparsed tuples, as they come from the JSON; `home` is subscription, region and network, parted by bars. */
export const tupleTable = "create table tuple (mac varchar, home varchar, tuple varchar)";

const count = (text: string) => wholeNumber(`coalesce(nullif(${text}, ''), '0')`, "ubigint");
const reason = (more: string) => `case ${more}
    when src is null or dst is null then ${code("no address")}
    when e is null or packets is null or bytes is null or back_packets is null or back_bytes is null then ${code("bytes, packets or times are not whole numbers")}
    when e < ${bounds.earliestMs} or e >= ${bounds.latestMs} then ${code("time outside 2000 to 2100")}
    when bytes > ${bounds.mostBytes} or back_bytes > ${bounds.mostBytes} then ${code("more bytes than a record can hold")}
    else 0 end as reason`;

/** The fields of a tuple, and the reason why it counts no traffic. */
const judged = `with parsed as (select *, string_split(home, '|') as h, string_split(tuple, ',') as f from tuple),
  typed as (select *, ${wholeNumber("f[1]", "bigint")} as e, nullif(f[2], '') as src, nullif(f[3], '') as dst,
    ${wholeNumber("f[4]", "usmallint")} as sport, ${wholeNumber("f[5]", "usmallint")} as dport, ${wholeNumber("f[6]", "utinyint")} as proto,
    f[7] as dir, f[8] as state, ${count("f[10]")} as packets, ${count("f[11]")} as bytes, ${count("f[12]")} as back_packets, ${count("f[13]")} as back_bytes,
    nullif(h[1], '') as account, nullif(h[2], '') as region, nullif(h[3], '') as vpc from parsed),
  judged as (select *, ${reason(`when len(f) <> 13 then ${code("wrong number of fields")}
    when sport is null or dport is null or proto is null then ${code("port or protocol out of range")}
    when state not in ('B', 'C', 'E', 'D') then ${code("flow state is none of B, C, E, D")}`)} from typed)`;

/** What both logs have. A source is the side that opened the flow. */
const common = {
  ...columnsNamed("iface src dst packets bytes back_packets back_bytes e region vpc account"),
  ...{ opener: "1", inside: "false" },
};

/** Fills `raw` from `tuple`. A tuple's figures count since the flow's last tuple. */
export const insertAzureTuples = insertRaw(judged, {
  ...{ ...common, ...columnsNamed("sport dport proto dir") },
  ...{ iface: "mac", s: "e", accept: "state <> 'D'", untimed: "state not in ('B', 'D')" },
});

export function exampleTuples(reason: LineReason, limit: number): string {
  return `${judged} select left(tuple, 200) as line from judged where reason = ${code(reason)} limit ${limit}`;
}

/** Keys and columns of NAT gateways' flow logs, whose names' case differs between Azure's exports. */
export const natGatewayKeys = [
  ...["time", "timegenerated", "timegenerated [utc]", "resourceid", "_resourceid", "location"],
  ...["natgatewayip", "sourceip", "destinationip", "packetssent", "bytessent", "packetsreceived"],
  "bytesreceived",
];

/**
 * Fills `raw` from the flow logs of NAT gateways. A record is of one minute, whose end is the time of its making; it has no ports.
 *
 * @param from Rows with a column `json`, each a record's keys and values
 */
export function insertAzureNatGateway(from: string): string {
  // One extraction of all keys: the engine keeps each one's parsed rows.
  const values = `json_extract_string(lower(json::varchar), [${natGatewayKeys.map((key) => `'$."${key}"'`).join(", ")}])`;
  const value = (...keys: readonly string[]) =>
    `coalesce(${keys.map((key) => `v[${natGatewayKeys.indexOf(key) + 1}]`).join(", ")})`;
  const time = `upper(${value("time", "timegenerated", "timegenerated [utc]")})`;
  const id = value("resourceid", "_resourceid");
  const records = `with parsed as (select ${values} as v from ${from}),
  typed as (select coalesce(epoch_ms(try_cast(replace(${time}, 'Z', '') as timestamp)),
      epoch_ms(try_strptime(${time}, '%m/%d/%Y, %I:%M:%S.%g %p'))) as e, ${value("sourceip")} as src, ${value("destinationip")} as dst,
    ${count(value("packetssent"))} as packets, ${count(value("bytessent"))} as bytes,
    ${count(value("packetsreceived"))} as back_packets, ${count(value("bytesreceived"))} as back_bytes,
    'nat-gateway ' || coalesce(regexp_extract(${id}, '[^/]+$'), ${value("natgatewayip")}) as iface,
    regexp_extract(${id}, '/subscriptions/([^/]+)', 1) as account, replace(${value("location")}, ' ', '') as region, null as vpc from parsed),
  judged as (select *, ${reason("")} from typed)`;
  return insertRaw(records, { ...common, s: `e - ${60_000}`, accept: "true" });
}
