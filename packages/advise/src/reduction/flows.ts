/** SQL from records to the traffic of a NAT, and to the starts, ends and silences of its flows. */
import type { Dialect } from "./dialects.ts";
import { classCode } from "./pairs.ts";
import { quoted } from "./raw.ts";

const inside = classCode("inside");
const outside = classCode("outside");
const forwarded = classCode("forwarded");

/**
 * Makes `egress_bench_nat`: interfaces that forward others' traffic, by a log that says so, or by equal traffic of private
 * and public side on each service port, within a tenth.
 *
 * @param named Interfaces that a person named; `none`: there is no NAT. Empty: they are detected.
 */
export function natTable(dialect: Dialect, named: readonly string[]): string {
  if (named.length > 0) {
    return dialect.makeTable(
      "egress_bench_nat",
      `select distinct iface, 'given' as reason from egress_bench_record
where reason = 0 and iface <> 'none' and iface in (${named.map(quoted).join(", ")})`,
    );
  }
  return dialect.makeTable(
    "egress_bench_nat",
    `with port as (select iface, least(sport, dport) as port, coalesce(sum(bytes) filter (where pair = ${inside}), 0) as within,
    coalesce(sum(bytes) filter (where pair = ${outside}), 0) as beyond
  from egress_bench_record where reason = 0 and accept = 1 and sport is not null group by iface, least(sport, dport)),
volume as (select iface, sum(abs(within - beyond)) as apart, sum(beyond) as beyond from port group by iface),
said as (select iface, max(inside) as inside, max(case when pair = ${forwarded} then 1 else 0 end) as forwarded,
    max(case when pair = ${outside} then 1 else 0 end) as beyond
  from egress_bench_record where reason = 0 group by iface)
select said.iface as iface, case when said.iface like 'nat-%' then 'resource' when inside = 1 then 'packet addresses'
    when forwarded = 1 and said.beyond = 1 then 'direction' else 'volumes' end as reason
  from said left join volume on volume.iface = said.iface
  where said.iface like 'nat-%' or inside = 1 or forwarded = 1 and said.beyond = 1
    or volume.beyond > 0 and 10 * apart <= volume.beyond`,
  );
}

/** Makes `egress_bench_place`: each interface's account, region, network and zone, and the number of the first three together. */
export function placeTable(dialect: Dialect): string {
  const own = (column: string) => `coalesce(min(${column}), '') as ${column}`;
  return dialect.makeTable(
    "egress_bench_place",
    `select homes.*, cast(dense_rank() over (order by account, region, vpc) as integer) as place
from (select iface, ${["account", "region", "vpc", "az"].map(own).join(", ")} from egress_bench_record
  where reason = 0 group by iface) homes`,
  );
}

/** A flow: the same in both directions. */
export const flowKey = "place, iface, local, lport, remote, rport, proto";

/** AWS's `traffic-path` of packets to another interface of the network, such as a NAT's. Higher values bypass it. */
const THROUGH_THE_NETWORK = 1;

/** The end that opened a flow, by its ports: the lower port belongs to the server, unless both are ephemeral. */
const byPort =
  "not (lport >= 0 and proto in (6, 17) and lport < rport and (lport < 1024 or lport < 32768 and rport >= 32768))";

/** Facts of a log that spare a pass over it. */
export interface Shown {
  /** Whether records may have a `traffic-path`. */
  readonly paths: boolean;
  /** Whether the records of one flow may show its opener, and the opener matters. */
  readonly openers: boolean;
}

/**
 * Makes `egress_bench_outside`: accepted records between the private side and public addresses. `past` is AWS's `traffic-path` of a
 * flow that bypassed every NAT, `counted` whether a NAT carried the record, `outbound` whether the private side opened its
 * flow, `opened` the same by this record alone. Unknown ports are -1.
 *
 * @param named See {@link natTable}.
 */
export function outsideTable(dialect: Dialect, named: readonly string[], shown: Shown): string {
  const side = (swapped: string, other: string) => `case when swapped = 1 then ${swapped} else ${other} end`;
  const port = (swapped: string, other: string) => `coalesce(${side(swapped, other)}, -1)`;
  const past =
    named.includes("none") || !shown.paths
      ? "cast(null as bigint)"
      : `max(case when path > ${THROUGH_THE_NETWORK} and nat = 0 then path end) over (partition by ${flowKey})`;
  const opener = shown.openers
    ? `case when nat = 0 then max(opener) over (partition by ${flowKey}) end`
    : "cast(null as bigint)";
  return dialect.makeTable(
    "egress_bench_outside",
    `with oriented as (select place, r.iface as iface, ${side("b", "a")} as local, ${port("dport", "sport")} as lport, ${side("a", "b")} as remote,
    ${port("sport", "dport")} as rport, coalesce(proto, -1) as proto, path, s, e, ${side("src_service", "dst_service")} as service,
    ${side("back_bytes", "bytes")} as out_bytes, ${side("bytes", "back_bytes")} as in_bytes,
    ${side("back_packets", "packets")} as out_packets, ${side("packets", "back_packets")} as in_packets,
    case when opener = 0 then null when opener = 1 and swapped = 0 or opener = 2 and swapped = 1 then 1 else 0 end as opener
  from egress_bench_record r join egress_bench_place homes on homes.iface = r.iface
  where reason = 0 and pair = ${outside} and accept = 1 and (twin is null or r.iface in (select iface from egress_bench_nat)
    or twin not in (select iface from egress_bench_place))),
known as (select oriented.*, case when nats.iface is null then 0 else 1 end as nat, case when ${byPort} then 1 else 0 end as by_port
  from oriented left join egress_bench_nat nats on nats.iface = oriented.iface),
followed as (select known.*, ${past} as past,
    ${opener} as opener_of_flow from known),
number_of as (select count(*) as nats from egress_bench_nat)
select ${flowKey}, s, e, service, out_bytes, in_bytes, out_packets, in_packets, nat, past,
  case when nats > 0 then nat when past is null then 1 else 0 end as counted,
  case when nats > 0 then 1 else coalesce(opener_of_flow, by_port) end as outbound, coalesce(opener, by_port) as opened
from followed cross join number_of`,
  );
}

/**
 * Makes `egress_bench_mark`: starts and ends of spans. A span is a flow's packets without a silence as long as the NAT's idle
 * time-out, so it needs one mapping. Rows inside a span that do not follow a silence of a minute are left out. All rows come once
 * more without those that the free endpoints of a region take, `left_out`: the place's, or where that is not known the one with
 * most of them.
 */
export function markTable(dialect: Dialect, idleSeconds: number): string {
  const order = `partition by ${flowKey} order by s, e`;
  return dialect.makeTable(
    "egress_bench_mark",
    `with span as (select ${flowKey}, min(s) as s, max(e) as e from egress_bench_outside where counted = 1 and outbound = 1
  group by ${flowKey}, ${dialect.divided("s", 60)}),
followed as (select span.*, max(e) over (${order} rows between unbounded preceding and 1 preceding) as earlier,
    max(e) over (${order} rows between unbounded preceding and current row) as upto, lead(s) over (${order}) as later from span),
marked as (select ${flowKey}, s, upto, case when s > earlier then s - earlier else 0 end as gap,
    case when earlier is null or s - earlier > ${idleSeconds} then 1 else 0 end as fresh,
    case when later is null or later - upto > ${idleSeconds} then 1 else 0 end as final from followed),
kept as (select marked.*, ends.region as free from marked left join egress_bench_free ends on ends.remote = marked.remote
  where fresh = 1 or final = 1 or gap >= 60),
views as (select distinct place, cast(null as ${dialect.text}) as left_out from kept union all
  select taken.place, free from (select place, free, row_number() over (partition by place order by count(*) desc, free) as nth from kept
      where free is not null group by place, free) taken
    join (select distinct place, region from egress_bench_place) homes on homes.place = taken.place
    where homes.region = free or homes.region = '' and nth = 1)
select kept.*, left_out from kept join views on views.place = kept.place where left_out is null or free is null or free <> left_out`,
  );
}
